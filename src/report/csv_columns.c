/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* What is not known, or not known of a sum, is -1 in all of these. */

#include <inttypes.h>

#include "base/clock.h"
#include "report/csv.h"
#include "report/fact.h"
#include "report/row.h"

static void
write_tcp_send(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;
	const struct tcp_sample *s = row->tcp;

	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, t->calls, t->errors,
	    t->retransmits);
	if (s == NULL)
		fputs(",-1,-1,-1,-1", out);
	else
		fprintf(out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
		    tcp_sample_cwnd_bytes(s) / 1024, s->cwnd_packets, s->rtt_us,
		    s->rttvar_us);
}

static void
write_tcp_recv(FILE *out, const struct row_fact *row)
{
	size_t i;

	fprintf(out, ",%" PRIu64, row->tally->calls);
	for (i = 0; i < TALLY_READ_BINS; i++)
		fprintf(out, ",%" PRIu64, row->tally->read_bins[i]);
}

static void
write_nothing(FILE *out, const struct row_fact *row)
{
	(void)out;
	(void)row;
}

static void
write_udp_send(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	fprintf(out,
	    ",-1.000,-1,%" PRIu64 ",-1.000,-1,%" PRIu64 ",%" PRIu64 ",-1,%f",
	    t->datagrams, t->datagrams, t->errors, row_pps(row));
}

static void
write_losses(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	fprintf(out, ",%.3f,%" PRIu64 ",%" PRIu64 ",%.3f,%" PRIu64,
	    row->sum ? -1 : t->jitter_ns / NS_PER_MS, tally_lost(t),
	    t->advanced, row_lost_percent(row), row_out_of_order(row));
}

static void
write_reads(FILE *out, const struct row_fact *row)
{
	fprintf(out, ",%" PRIu64 ",-1,%" PRIu64 ",%f", row->tally->datagrams,
	    row->tally->odd_sizes, row_pps(row));
}

static void
write_udp_recv(FILE *out, const struct row_fact *row)
{
	write_losses(out, row);
	write_reads(out, row);
}

static void
write_udp_delays(FILE *out, const struct row_fact *row)
{
	const struct moments *m = &row->tally->delay;

	write_losses(out, row);
	if (m->count == 0)
		fputs(",-1,-1,-1,-1,0,-1", out);
	else
		fprintf(out, ",%.3f,%.3f,%.3f,%.3f,%" PRIu64 ",%.0f",
		    m->mean / NS_PER_MS, m->min / NS_PER_MS, m->max / NS_PER_MS,
		    moments_stddev(m) / NS_PER_MS, m->count,
		    (double)row->tally->bytes / (double)row->tally->datagrams);
	write_reads(out, row);
}

#define LOSSES ",jitter,errors,datagrams,errpercent,outoforder"

static const struct csv_columns columns[] = {
    [ROW_TCP_SEND] =
	{",writecnt,writeerr,tcpretry,tcpcwnd,tcppcwnd,tcprtt,tcprttvar",
	    write_tcp_send},
    [ROW_TCP_RECV] = {",readcnt,bin0,bin1,bin2,bin3,bin4,bin5,bin6,bin7",
	write_tcp_recv},
    [ROW_UDP_SEND] = {LOSSES ",writecnt,writeerr,writetimeo,pps",
	write_udp_send},
    [ROW_UDP_RECV] = {LOSSES ",readcnt,readtimeo,readerrlen,pps",
	write_udp_recv},
    [ROW_TCP_BOTH] = {"", write_nothing},
    [ROW_UDP_BOTH] = {"", write_nothing},
};

static const struct csv_columns delays = {
    LOSSES
    ",ttavg,ttmin,ttmax,ttsdev,ttcnt,ttsize,readcnt,readtimeo,readerrlen,pps",
    write_udp_delays,
};

const struct csv_columns *
csv_columns_of(const struct row_fact *row)
{
	if (row->kind == ROW_UDP_RECV && row->has_delays)
		return &delays;
	return &columns[row->kind];
}
