/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * The columns of UDP, and the remarks that follow a row when datagrams did
 * not arrive as they were sent, or were not sent as they were asked for.
 */

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "report/fact.h"
#include "report/row.h"
#include "report/text.h"

/* Delays beyond these tell of clocks that do not agree. */
#define DELAY_LEAST_NS (-10.0 * NS_PER_MS)
#define DELAY_MOST_NS (60.0 * NS_PER_S)

/* Less than this is not worth a remark. */
#define SHORTFALL_LEAST 0.0001

/* A cause of less than this share of what is missing need not be named. */
#define UNEXPLAINED_MOST 0.1

/*
 * Two significant digits, as scripts expect, but "100" rather than "1e+02".
 */
static void
write_percent(FILE *out, double percent)
{
	fprintf(out, percent < 99.5 ? "%.2g%%" : "%.0f%%", percent);
}

/* "16/1704 (0.94%)" */
static void
write_lost(FILE *out, const struct row_fact *row)
{
	fprintf(out, "%" PRIu64 "/%" PRIu64 " (", tally_lost(row->tally),
	    row->tally->advanced);
	write_percent(out, row_lost_percent(row));
	fputc(')', out);
}

static bool
is_realistic(const struct moments *delay)
{
	return delay->count > 0 && delay->min >= DELAY_LEAST_NS &&
	       delay->min <= DELAY_MOST_NS;
}

static double
ms(double ns)
{
	return ns / NS_PER_MS;
}

/* Little's law: so many datagrams are under way at this rate and delay. */
static double
in_progress(const struct row_fact *row, double delay_ns)
{
	/* Adding 0 turns what would be printed as "-0" into 0. */
	return round(row_pps(row) * delay_ns / NS_PER_S) + 0.0;
}

void
text_udp_send(FILE *out, const struct row_fact *row)
{
	fprintf(out, "  %" PRIu64 "/%" PRIu64 " %8.0f pps",
	    row->tally->datagrams, row->tally->errors, row_pps(row));
}

void
text_udp_recv(FILE *out, const struct row_fact *row)
{
	fprintf(out, "  %6.3f ms ", ms(row->tally->jitter_ns));
	write_lost(out, row);
}

void
text_udp_recv_enhanced(FILE *out, const struct row_fact *row)
{
	const struct moments *delay = &row->tally->delay;
	char power[UNITS_TEXT_MAX];
	double stddev_ns;

	text_udp_recv(out, row);
	if (!is_realistic(delay)) {
		fprintf(out, " -/-/-/- ms %.0f pps", row_pps(row));
		return;
	}
	stddev_ns = moments_stddev(delay);
	units_format_power(power, sizeof(power), row_rate(row),
	    delay->mean / NS_PER_S);
	fprintf(out,
	    " %.3f/%.3f/%.3f/%.3f ms %.0f pps %" PRIu64 "/%.0f(%.0f) pkts %s",
	    ms(delay->mean), ms(delay->min), ms(delay->max), ms(stddev_ns),
	    row_pps(row), row->tally->datagrams, in_progress(row, delay->mean),
	    in_progress(row, stddev_ns), power);
}

void
text_udp_recv_sum(FILE *out, const struct row_fact *row)
{
	fputs("   ", out);
	write_lost(out, row);
}

void
text_udp_recv_sum_only(FILE *out, const struct row_fact *row)
{
	fprintf(out, "  %" PRIu64 "/%" PRIu64 " %8.0f pps",
	    tally_lost(row->tally), row->tally->advanced, row_pps(row));
}

static void
write_sum_delays(FILE *out, const struct row_fact *row)
{
	const struct moments *delay = &row->tally->delay;

	fputs("  ", out);
	write_lost(out, row);
	if (is_realistic(delay))
		fprintf(out, "  %.3f/%.3f/%.3f", ms(delay->mean),
		    ms(delay->min), ms(delay->max));
	else
		fputs("  -/-/-", out);
}

void
text_udp_recv_sum_enhanced(FILE *out, const struct row_fact *row)
{
	write_sum_delays(out, row);
	fprintf(out, "  %.0f pps", row_pps(row));
}

void
text_udp_recv_sum_delays(FILE *out, const struct row_fact *row)
{
	const struct moments *delay = &row->tally->delay;

	write_sum_delays(out, row);
	fprintf(out, "  %" PRIu64 "/%.0f  %8.0f pps", row->tally->datagrams,
	    is_realistic(delay) ? in_progress(row, delay->mean) : 0,
	    row_pps(row));
}

void
text_udp_both(FILE *out, const struct row_fact *row)
{
	fprintf(out, " %" PRIu64 "%8.0f pps", row->tally->datagrams,
	    row_pps(row));
}

static void
remark(struct text_state *st, const struct row_fact *row, uint64_t count,
    const char *what)
{
	if (count == 0)
		return;
	text_row_begin(st, row);
	fprintf(st->out, "  %" PRIu64 " %s\n", count, what);
}

/*
 * Why less was sent than asked for. What no wait explains is this host's.
 */
static void
write_reasons(FILE *out, const struct tally *t, double length_ns)
{
	double forgiven_ns = (double)t->forgiven_ns;
	double waited_ns = (double)t->full_ns + (double)t->starved_ns +
			   (double)t->input_ns + (double)t->held_ns;
	const char *separator = ": ";

	if ((double)t->input_ns > UNEXPLAINED_MOST * forgiven_ns) {
		fprintf(out, "%swaited for input ", separator);
		write_percent(out, 100 * (double)t->input_ns / length_ns);
		fputs(" of the time", out);
		separator = ", ";
	}
	if ((double)t->held_ns > UNEXPLAINED_MOST * forgiven_ns) {
		fprintf(out, "%sclient not proven, which sent too little ",
		    separator);
		write_percent(out, 100 * (double)t->held_ns / length_ns);
		fputs(" of the time", out);
		separator = ", ";
	}
	if ((double)t->full_ns > UNEXPLAINED_MOST * forgiven_ns) {
		fprintf(out, "%ssocket full ", separator);
		write_percent(out, 100 * (double)t->full_ns / length_ns);
		fputs(" of the time", out);
		separator = ", ";
	}
	if (t->errors > 0) {
		fprintf(out, "%sno buffer space for %" PRIu64 " writes",
		    separator, t->errors);
		separator = ", ";
	}
	if (forgiven_ns - waited_ns > UNEXPLAINED_MOST * forgiven_ns)
		fprintf(out, "%sthis host could not keep up", separator);
}

/*
 * A sender that fell behind for good gives schedule up instead of catching
 * up in a burst; what it gave up is missing from the rate.
 */
static void
remark_shortfall(struct text_state *st, const struct row_fact *row)
{
	const struct tally *t = row->tally;
	double length_ns = (double)(row->end_ns - row->start_ns) * row->streams;
	double share;

	if (!row->total || length_ns <= 0)
		return;
	share = (double)t->forgiven_ns / length_ns;
	if (share < SHORTFALL_LEAST)
		return;
	text_row_begin(st, row);
	fputs("  ", st->out);
	write_percent(st->out, 100 * share);
	fputs(" of the target rate not sent", st->out);
	write_reasons(st->out, t, length_ns);
	fputc('\n', st->out);
}

/* Without a limit the receiver may have had to ask for pauses. */
static void
remark_pauses(struct text_state *st, const struct row_fact *row)
{
	double length_ns = (double)(row->end_ns - row->start_ns) * row->streams;
	double share;

	if (!row->total || length_ns <= 0)
		return;
	share = (double)row->tally->paused_ns / length_ns;
	if (share < SHORTFALL_LEAST)
		return;
	text_row_begin(st, row);
	fputs("  paused ", st->out);
	write_percent(st->out, 100 * share);
	fputs(" of the time, as the receiver asked\n", st->out);
}

void
text_udp_remarks(struct text_state *st, const struct row_fact *row)
{
	switch (row->kind) {
	case ROW_TCP_SEND:
	case ROW_TCP_RECV:
	case ROW_TCP_BOTH:
	case ROW_UDP_BOTH:
		break;
	case ROW_UDP_SEND:
		remark_shortfall(st, row);
		remark_pauses(st, row);
		break;
	case ROW_UDP_RECV:
		remark(st, row, row_out_of_order(row),
		    "datagrams received out-of-order");
		remark(st, row, row->tally->duplicates,
		    "duplicate datagrams received");
		remark(st, row, row->tally->queue_drops,
		    "datagrams lost in this host's receive queue");
		break;
	}
}
