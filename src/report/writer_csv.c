/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * The writer for -y C: nine fields a line, five more where datagrams were
 * received, in the order that programs have read since iperf 2.0.5. Nothing
 * but rows is written, since whatever else appeared on the stream would be
 * taken for data. A client logs losses because the server's report is a row;
 * of several streams the last row is their sum, since programs read that.
 *
 * With -e each line has start and end apart and the columns of its kind
 * (csv_columns.c), below a line with their names.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "report/address.h"
#include "report/csv.h"
#include "report/fact.h"
#include "report/ignore.h"
#include "report/row.h"
#include "report/writer.h"

struct csv_state {
	FILE *out;
	const struct options *options;
	const char *names; /* -e: of the columns above; NULL none yet */
};

static void *
begin(FILE *out, const struct options *options)
{
	struct csv_state *st = xcalloc(1, sizeof(*st));

	st->out = out;
	st->options = options;
	return st;
}

static void
write_stamp(struct csv_state *st, int64_t wall_ns)
{
	char stamp[32];
	struct tm tm;

	row_break_down_time(&tm, wall_ns, st->options);
	if (strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm) == 0)
		stamp[0] = '\0';
	fputs(stamp, st->out);
}

static void
write_end(struct csv_state *st, const struct sockaddr_storage *end,
    bool port_varies)
{
	char text[ADDRESS_TEXT_MAX];

	address_print(text, sizeof(text), end, st->options);
	fprintf(st->out, ",%s,%u", text,
	    port_varies ? 0U : (unsigned)address_port_of(end));
}

static void
write_received(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	fprintf(out, ",%.3f,%" PRIu64 ",%" PRIu64 ",%.3f,%" PRIu64,
	    row->sum ? 0 : t->jitter_ns / NS_PER_MS, tally_lost(t), t->advanced,
	    row_lost_percent(row), row_out_of_order(row));
}

static void
write_ends(struct csv_state *st, const struct row_fact *row)
{
	write_end(st, &row->source, row->sum && row->source_varies);
	write_end(st, &row->destination, row->sum && row->destination_varies);
}

/* The zone's offset first: "+0100:20261130194101.328859". */
static void
write_fine_stamp(struct csv_state *st, int64_t wall_ns)
{
	char zone[16];
	struct tm tm;

	row_break_down_time(&tm, wall_ns, st->options);
	if (strftime(zone, sizeof(zone), "%z", &tm) == 0)
		zone[0] = '\0';
	fprintf(st->out, "%s:", zone);
	write_stamp(st, wall_ns);
	fprintf(st->out, ".%06d", (int)(wall_ns % NS_PER_S / NS_PER_US));
}

static void
write_enhanced(struct csv_state *st, const struct row_fact *row)
{
	const struct csv_columns *columns = csv_columns_of(row);

	if (st->names == NULL || strcmp(st->names, columns->names) != 0)
		fprintf(st->out,
		    "time,srcaddress,srcport,dstaddr,dstport,transferid,"
		    "istart,iend,bytes,speed%s\n",
		    columns->names);
	st->names = columns->names;
	write_fine_stamp(st, row->wall_ns);
	write_ends(st, row);
	fprintf(st->out, ",%d,%.1f,%.1f,%" PRIu64 ",%.0f",
	    row->sum ? -1 : row->id, (double)row->start_ns / NS_PER_S,
	    (double)row->end_ns / NS_PER_S, row->tally->bytes,
	    row_rate(row) * 8);
	columns->write(st->out, row);
	fputc('\n', st->out);
}

static void
write_line(struct csv_state *st, const struct row_fact *row)
{
	if (st->options->enhanced) {
		write_enhanced(st, row);
		return;
	}
	write_stamp(st, row->wall_ns);
	write_ends(st, row);
	fprintf(st->out, ",%d,%.1f-%.1f,%" PRIu64 ",%.0f",
	    row->sum ? -1 : row->id, (double)row->start_ns / NS_PER_S,
	    (double)row->end_ns / NS_PER_S, row->tally->bytes,
	    row_rate(row) * 8);
	if (row->kind == ROW_UDP_RECV)
		write_received(st->out, row);
	fputc('\n', st->out);
}

static void
write_row(void *state, const struct row_fact *row)
{
	struct csv_state *st = state;

	if (row_is_wanted(row, st->options) && !row_is_of_pair(row))
		write_line(st, row);
}

static void
write_server_report(void *state, const struct row_fact *row)
{
	struct csv_state *st = state;

	if (row_server_report_is_wanted(st->options))
		write_line(st, row);
}

const struct writer *
writer_csv(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = ignore_settings,
	    .connected = ignore_connection,
	    .test_begins = ignore_test_begins,
	    .interval = write_row,
	    .total = write_row,
	    .udp_sent = ignore_udp_sent,
	    .server_report = write_server_report,
	    .server_report_sum = write_server_report,
	    .connect_times = ignore_connect_times,
	    .remark = ignore_remark,
	    .conclude = ignore_outcome,
	    .end = free,
	};

	return &writer;
}
