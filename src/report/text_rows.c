/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * Lines of figures and the headers above them.
 *
 * All lines begin alike: who, when, how much, how fast. A const table says
 * what follows and which header belongs above. A header is printed before
 * the first line of a test and wherever the columns change. A sum has the
 * first columns of its streams, so it also fits under their header; it gets
 * its own one once in a test, lest a report consist of headers.
 */

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/fact.h"
#include "report/row.h"
#include "report/text.h"

/* Below this interval two decimals would not tell the rows apart. */
#define FINE_INTERVAL_NS (100 * NS_PER_MS)

struct text_header {
	const char *label;
	const char *columns; /* after "Interval" and blanks */
	int blanks;	     /* 0: as many as the width of times asks for */
};

static const struct text_header basic_header = {"[ ID]",
    "Transfer     Bandwidth", 7};
static const struct text_header sum_only_header = {"[SUM-cnt]",
    "Transfer     Bandwidth", 7};
static const struct text_header send_header = {
    "[ ID]",
    "Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        "
    "NetPwr",
    0,
};
static const struct text_header send_sum_header = {"[SUM-cnt]",
    "Transfer    Bandwidth       Write/Err  Rtry", 0};
static const struct text_header recv_header = {"[ ID]",
    "Transfer    Bandwidth       Reads=Dist", 0};
static const struct text_header recv_sum_header = {"[SUM-cnt]",
    "Transfer    Bandwidth       Reads=Dist", 0};

static const struct text_header udp_send_header = {"[ ID]",
    "Transfer     Bandwidth      Write/Err  PPS", 0};
static const struct text_header udp_send_sum_header = {"[SUM-cnt]",
    "Transfer     Bandwidth      Write/Err  PPS", 0};
static const struct text_header udp_recv_basic_header = {
    "[ ID]",
    "Transfer     Bandwidth        Jitter   Lost/Total Datagrams",
    7,
};
static const struct text_header udp_recv_header = {
    "[ ID]",
    "Transfer     Bandwidth        Jitter   Lost/Total  "
    "Latency avg/min/max/stdev PPS  Rx/inP  NetPwr",
    0,
};
static const struct text_header udp_recv_sum_only_header = {
    "[SUM-cnt]",
    "Transfer     Bandwidth       Lost/Total    PPS",
    5,
};
static const struct text_header udp_recv_sum_header = {
    "[SUM-cnt]",
    "Transfer     Bandwidth       Lost/Total  Latency avg/min/max  PPS",
    5,
};
static const struct text_header udp_recv_sum_delays_header = {
    "[SUM-cnt]",
    "Transfer     Bandwidth      Lost/Total  Latency avg/min/max  Rx/inP PPS",
    0,
};

static const struct text_header udp_both_header = {
    "[ ID]",
    "Transfer     Bandwidth    Datagrams   PPS",
    7,
};

static int
time_decimals(const struct options *options)
{
	if (options->interval_ns > 0 && options->interval_ns < FINE_INTERVAL_NS)
		return 4;
	return 2;
}

static void
write_header(struct text_state *st, const struct text_header *h)
{
	int blanks = h->blanks;

	if (blanks == 0)
		blanks = time_decimals(st->options) == 4 ? 12 : 8;
	fprintf(st->out, "%s Interval%*s%s\n", h->label, blanks, "",
	    h->columns);
}

/* Nothing follows: figures that every line has suffice. */
static void
write_nothing(FILE *out, const struct row_fact *row)
{
	(void)out;
	(void)row;
}

static void
write_send_sum(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	fprintf(out, "  %" PRIu64 "/%" PRIu64 "%10" PRIu64, t->calls, t->errors,
	    t->retransmits);
}

static void
write_send(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;
	const struct tcp_sample *tcp = row->tcp;
	char power[UNITS_TEXT_MAX];
	uint64_t cwnd_bytes;

	fprintf(out, "  %" PRIu64 "/%" PRIu64 " %10" PRIu64, t->calls,
	    t->errors, t->retransmits);
	if (tcp == NULL) {
		fputs("       NA/NA(NA) us    NA", out);
		return;
	}
	units_format_power(power, sizeof(power), row_rate(row),
	    (double)tcp->rtt_us * NS_PER_US / NS_PER_S);
	cwnd_bytes = tcp_sample_cwnd_bytes(tcp);
	if (cwnd_bytes == 0)
		fprintf(out, "       NA/%" PRIu32 "(%" PRIu32 ") us    %s",
		    tcp->rtt_us, tcp->rttvar_us, power);
	else
		fprintf(out, " %8" PRIu64 "K/%" PRIu32 "(%" PRIu32 ") us  %s",
		    cwnd_bytes / 1024, tcp->rtt_us, tcp->rttvar_us, power);
}

static void
write_recv(FILE *out, const struct row_fact *row)
{
	const struct tally *t = row->tally;
	size_t i;

	fprintf(out, "  %" PRIu64, t->calls);
	for (i = 0; i < TALLY_READ_BINS; i++)
		fprintf(out, "%c%" PRIu64, i == 0 ? '=' : ':', t->read_bins[i]);
}

struct layout {
	const struct text_header *header;
	const struct text_header *also; /* another that suits; may be NULL */
	void (*write_rest)(FILE *, const struct row_fact *);
};

/* Of a stream and of a sum. */
static const struct layout enhanced_layouts[][2] = {
    [ROW_TCP_SEND] = {{&send_header, NULL, write_send},
	{&send_sum_header, &send_header, write_send_sum}},
    [ROW_TCP_RECV] = {{&recv_header, &recv_sum_header, write_recv},
	{&recv_sum_header, &recv_header, write_recv}},
    [ROW_UDP_SEND] = {{&udp_send_header, &udp_send_sum_header, text_udp_send},
	{&udp_send_sum_header, &udp_send_header, text_udp_send}},
    [ROW_UDP_RECV] = {{&udp_recv_header, NULL, text_udp_recv_enhanced},
	{&udp_recv_sum_header, NULL, text_udp_recv_sum_enhanced}},
    [ROW_TCP_BOTH] = {{&basic_header, NULL, write_nothing},
	{&basic_header, NULL, write_nothing}},
    [ROW_UDP_BOTH] = {{&udp_both_header, NULL, text_udp_both},
	{&udp_both_header, NULL, text_udp_both}},
};

/* Trip times bring the columns of -e with them. */
static const struct layout delay_layouts[2] = {
    {&udp_recv_header, NULL, text_udp_recv_enhanced},
    {&udp_recv_sum_delays_header, NULL, text_udp_recv_sum_delays},
};

static const struct layout basic_layouts[][2] = {
    [ROW_TCP_SEND] = {{&basic_header, NULL, write_nothing},
	{&basic_header, NULL, write_nothing}},
    [ROW_TCP_RECV] = {{&basic_header, NULL, write_nothing},
	{&basic_header, NULL, write_nothing}},
    [ROW_UDP_SEND] = {{&basic_header, NULL, write_nothing},
	{&basic_header, NULL, write_nothing}},
    [ROW_UDP_RECV] = {{&udp_recv_basic_header, NULL, text_udp_recv},
	{&basic_header, &udp_recv_basic_header, text_udp_recv_sum}},
    [ROW_TCP_BOTH] = {{&basic_header, NULL, write_nothing},
	{&basic_header, NULL, write_nothing}},
    [ROW_UDP_BOTH] = {{&udp_both_header, NULL, text_udp_both},
	{&udp_both_header, NULL, text_udp_both}},
};

/* Of sums, with --sum-only. */
static const struct layout sum_only_layouts[] = {
    [ROW_TCP_SEND] = {&sum_only_header, NULL, write_nothing},
    [ROW_TCP_RECV] = {&sum_only_header, NULL, write_nothing},
    [ROW_UDP_SEND] = {&sum_only_header, NULL, write_nothing},
    [ROW_UDP_RECV] = {&udp_recv_sum_only_header, NULL, text_udp_recv_sum_only},
    [ROW_TCP_BOTH] = {&sum_only_header, NULL, write_nothing},
    [ROW_UDP_BOTH] = {&udp_both_header, NULL, text_udp_both},
};

static bool
shows_delays(const struct row_fact *row)
{
	return row->kind == ROW_UDP_RECV && row->has_delays;
}

static const struct layout *
choose_layout(const struct options *options, const struct row_fact *row)
{
	if (shows_delays(row))
		return &delay_layouts[row->sum];
	if (options->enhanced)
		return &enhanced_layouts[row->kind][row->sum];
	if (options->sum_only && row->sum)
		return &sum_only_layouts[row->kind];
	return &basic_layouts[row->kind][row->sum];
}

static bool
needs_header(const struct text_state *st, const struct layout *l,
    const struct row_fact *row)
{
	/* What all lines have in common fits under any header. */
	if (st->header == l->header ||
	    (row->kind == ROW_TCP_BOTH && st->header != NULL))
		return false;
	if (st->header == NULL || st->header != l->also)
		return true;
	return row->sum && !st->sum_introduced;
}

void
text_key(FILE *out, const char *key)
{
	for (; *key != '\0'; key++) {
		if (*key >= ' ' && *key <= '~' && strchr("\\[]'", *key) == NULL)
			fputc(*key, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*key);
	}
}

void
text_id(struct text_state *st, int id, bool reversed)
{
	char text[16];

	if (st->options->permit_key[0] != '\0') {
		fputs(reversed ? "[*" : "[", st->out);
		text_key(st->out, st->options->permit_key);
		fprintf(st->out, "(%d)] ", id);
	} else if (reversed) {
		snprintf(text, sizeof(text), "*%d", id);
		fprintf(st->out, "[%3s] ", text);
	} else {
		fprintf(st->out, TEXT_ID, id);
	}
}

static void
write_id(struct text_state *st, const struct row_fact *row)
{
	if (row_is_of_pair(row))
		fprintf(st->out, "[FD%d] ", row->id);
	else if (!row->sum)
		text_id(st, row->id, row->reversed);
	else if (st->options->enhanced || st->options->sum_only ||
		 shows_delays(row))
		fprintf(st->out, "[SUM-%d] ", row->streams);
	else
		fputs("[SUM] ", st->out);
}

/* Tells the sums of a test of both directions apart. */
static void
write_direction(FILE *out, const struct row_fact *row)
{
	switch (row->kind) {
	case ROW_TCP_SEND:
	case ROW_UDP_SEND:
		fputs(" (sent)", out);
		break;
	case ROW_TCP_RECV:
	case ROW_UDP_RECV:
		fputs(" (received)", out);
		break;
	case ROW_TCP_BOTH:
	case ROW_UDP_BOTH:
		fputs(" (both directions)", out);
		break;
	}
}

void
text_row_begin(struct text_state *st, const struct row_fact *row)
{
	int decimals = time_decimals(st->options);

	write_id(st, row);
	fprintf(st->out, "%4.*f-%4.*f sec", decimals,
	    (double)row->start_ns / NS_PER_S, decimals,
	    (double)row->end_ns / NS_PER_S);
}

void
text_row(struct text_state *st, const struct row_fact *row)
{
	const struct options *options = st->options;
	const struct layout *l = choose_layout(options, row);
	char amount[UNITS_TEXT_MAX];
	char rate[UNITS_TEXT_MAX];

	if (needs_header(st, l, row)) {
		write_header(st, l->header);
		st->header = l->header;
		st->sum_introduced |= row->sum;
	}
	units_format_amount(amount, sizeof(amount), (double)row->tally->bytes,
	    units_bytes_letter(options->format));
	units_format_amount(rate, sizeof(rate), row_rate(row), options->format);
	text_row_begin(st, row);
	fprintf(st->out, "  %ss  %ss/sec", amount, rate);
	l->write_rest(st->out, row);
	if (row->two_way)
		write_direction(st->out, row);
	fputc('\n', st->out);
	text_histograms(st, row);
	text_udp_remarks(st, row);
}

void
text_rows_restart(struct text_state *st)
{
	st->header = NULL;
	st->sum_introduced = false;
}
