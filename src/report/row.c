/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/clock.h"
#include "base/options.h"
#include "report/fact.h"
#include "report/row.h"

bool
row_is_wanted(const struct row_fact *row, const struct options *options)
{
	if (row->sum)
		return true;
	return !options->sum_only && !(options->exclude & EXCLUDE_DATA);
}

double
row_rate(const struct row_fact *row)
{
	int64_t length_ns = row->end_ns - row->start_ns;

	if (length_ns <= 0)
		return 0;
	return (double)row->tally->bytes * NS_PER_S / (double)length_ns;
}

void
row_break_down_time(struct tm *tm, int64_t wall_ns,
    const struct options *options)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);

	if (options->utc)
		gmtime_r(&seconds, tm);
	else
		localtime_r(&seconds, tm);
}
