/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/clock.h"
#include "base/options.h"
#include "report/fact.h"
#include "report/row.h"

bool
row_kind_receives(enum row_kind kind)
{
	return kind == ROW_TCP_RECV || kind == ROW_UDP_RECV;
}

bool
row_kind_is_both(enum row_kind kind)
{
	return kind == ROW_TCP_BOTH || kind == ROW_UDP_BOTH;
}

bool
row_is_of_pair(const struct row_fact *row)
{
	return !row->sum && row_kind_is_both(row->kind);
}

bool
row_is_wanted(const struct row_fact *row, const struct options *options)
{
	if (row->sum)
		return true;
	return !options->sum_only && !(options->exclude & EXCLUDE_DATA);
}

bool
row_server_report_is_wanted(const struct options *options)
{
	return !(options->exclude & EXCLUDE_SERVER_REPORT);
}

static double
per_second(const struct row_fact *row, uint64_t count)
{
	int64_t length_ns = row->end_ns - row->start_ns;

	if (length_ns <= 0)
		return 0;
	return (double)count * NS_PER_S / (double)length_ns;
}

double
row_rate(const struct row_fact *row)
{
	return per_second(row, row->tally->bytes);
}

double
row_pps(const struct row_fact *row)
{
	return per_second(row, row->tally->datagrams);
}

uint64_t
row_out_of_order(const struct row_fact *row)
{
	return row->tally->late + row->tally->duplicates;
}

double
row_lost_percent(const struct row_fact *row)
{
	if (row->tally->advanced == 0)
		return 0;
	return 100 * (double)tally_lost(row->tally) /
	       (double)row->tally->advanced;
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
