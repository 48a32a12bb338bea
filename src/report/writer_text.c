/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * The writer for people, and for the scripts that have parsed the text of
 * iperf 2 for years.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "report/fact.h"
#include "report/ignore.h"
#include "report/row.h"
#include "report/text.h"
#include "report/writer.h"

static void *
begin(FILE *out, const struct options *options)
{
	struct text_state *st = xcalloc(1, sizeof(*st));

	st->out = out;
	st->options = options;
	return st;
}

static void
write_settings(void *state, const struct settings_fact *f)
{
	struct text_state *st = state;

	if (st->options->exclude & EXCLUDE_SETTINGS)
		return;
	text_settings(st, f);
}

static void
write_connection(void *state, const struct connection_fact *f)
{
	struct text_state *st = state;

	if (st->options->sum_only || st->options->exclude & EXCLUDE_CONNECTION)
		return;
	text_connection(st, f);
}

static void
begin_test(void *state)
{
	text_rows_restart(state);
}

/* The sum over both directions of one stream, which "[FD1]" has shown. */
static bool
repeats_pair(const struct row_fact *row, const struct options *options)
{
	return row->sum && row->streams == 1 && row_kind_is_both(row->kind) &&
	       !options->sum_only && !(options->exclude & EXCLUDE_DATA);
}

static void
write_row(void *state, const struct row_fact *row)
{
	struct text_state *st = state;

	if (!row_is_wanted(row, st->options) ||
	    (row_is_of_pair(row) && !st->options->enhanced) ||
	    repeats_pair(row, st->options))
		return;
	text_row(st, row);
}

static void
write_udp_sent(void *state, const struct udp_sent_fact *f)
{
	struct text_state *st = state;

	if (f->sum) {
		fprintf(st->out, "[SUM-%d] ", f->streams);
	} else {
		if (st->options->sum_only ||
		    st->options->exclude & EXCLUDE_DATA)
			return;
		fprintf(st->out, TEXT_ID, f->id);
	}
	fprintf(st->out, "Sent %" PRIu64 " datagrams\n", f->datagrams);
}

static void
write_server_report(void *state, const struct row_fact *row)
{
	struct text_state *st = state;

	if (!row_server_report_is_wanted(st->options))
		return;
	fprintf(st->out, TEXT_ID "Server Report:\n", row->id);
	text_row(st, row);
}

static void
write_connect_times(void *state, const struct connect_times_fact *f)
{
	struct text_state *st = state;
	bool any = f->failures < f->attempts;

	if (f->attempts < 2)
		return;
	fprintf(st->out,
	    "[ CT] final connect times (min/avg/max/stdev) = "
	    "%.3f/%.3f/%.3f/%.3f ms (tot/err) = %" PRIu64 "/%" PRIu64 "\n",
	    any ? (double)f->min_ns / NS_PER_MS : 0,
	    any ? f->mean_ns / NS_PER_MS : 0,
	    any ? (double)f->max_ns / NS_PER_MS : 0,
	    any ? f->stddev_ns / NS_PER_MS : 0, f->attempts, f->failures);
}

const struct writer *
writer_text(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = write_settings,
	    .connected = write_connection,
	    .test_begins = begin_test,
	    .interval = write_row,
	    .total = write_row,
	    .udp_sent = write_udp_sent,
	    .server_report = write_server_report,
	    .server_report_sum = ignore_row,
	    .connect_times = write_connect_times,
	    .remark = ignore_remark,
	    .conclude = ignore_outcome,
	    .end = free,
	};

	return &writer;
}
