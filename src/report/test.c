/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/histogram.h"
#include "report/test.h"
#include "report/writer.h"

/* The tick at the planned end waits for the end, at most for so long. */
#define HOLD_MAX_NS (100 * NS_PER_MS)

static void
add_histograms(struct tally *t, const struct options *options)
{
	const struct histogram_option *h = &options->histogram;
	struct histogram_shape shape = {
	    .bins = (uint32_t)h->bins,
	    .lower_percent = h->lower_percent,
	    .upper_percent = h->upper_percent,
	};

	if (h->width_ns > 0) {
		shape.width_ns = h->width_ns;
		t->delay_bins = histogram_new(&shape);
	}
	if (options->jitter_width_ns > 0) {
		shape.width_ns = options->jitter_width_ns;
		t->jitter_bins = histogram_new(&shape);
	}
}

static void
free_histograms(struct tally *t)
{
	free(t->delay_bins);
	free(t->jitter_bins);
}

void
test_prepare_flow(struct flow *f, const struct options *options)
{
	if (f->kind != ROW_UDP_RECV)
		return;
	add_histograms(&f->tallies[0], options);
	add_histograms(&f->tallies[1], options);
	add_histograms(&f->pending, options);
	add_histograms(&f->total, options);
}

void
test_free_flow(struct flow *f)
{
	free_histograms(&f->tallies[0]);
	free_histograms(&f->tallies[1]);
	free_histograms(&f->pending);
	free_histograms(&f->total);
	free(f);
}

void
test_add_flow(struct test *t, struct flow *f)
{
	struct flow **at = &t->flows;

	while (*at != NULL && (*at)->connection.id < f->connection.id)
		at = &(*at)->next;
	f->next = *at;
	*at = f;
	t->grace_until_ns = INT64_MAX;
}

void
test_flow_started(struct test *t, struct flow *f, int64_t start_ns,
    int64_t interval_ns)
{
	f->started = true;
	f->start_ns = start_ns;
	f->last_ns = start_ns;
	if (t->start_ns == INT64_MAX && interval_ns > 0)
		t->next_tick_ns = start_ns + interval_ns;
	if (start_ns < t->start_ns)
		t->start_ns = start_ns;
}

/* Moves what the slot holds into the figures of the next row. */
static void
collect_flow(struct flow *f)
{
	struct tally *full;

	full = slot_collect(&f->slot, f->spare);
	tally_merge(&f->pending, full);
	tally_zero(full);
	f->spare = full;
}

static void
take_sample(struct flow *f, const struct tcp_sample *sample)
{
	f->pending.retransmits += sample->retransmits - f->retransmits_seen;
	f->retransmits_seen = sample->retransmits;
	f->sample = *sample;
	f->has_sample = true;
}

void
test_flow_reported(struct flow *f, const struct tally *figures,
    int64_t duration_ns)
{
	f->report = *figures;
	f->report.delay_bins = NULL;
	f->report.jitter_bins = NULL;
	f->report_ns = duration_ns;
	f->has_report = true;
}

void
test_flow_ended(struct test *t, struct flow *f, int64_t end_ns,
    const struct tcp_sample *sample)
{
	collect_flow(f);
	if (sample != NULL)
		take_sample(f, sample);
	/* A tick may have come between the end and its event. */
	if (f->started && end_ns < f->last_ns)
		end_ns = f->last_ns;
	f->ended = true;
	f->end_ns = end_ns;
	t->ended++;
	if (end_ns > t->end_ns)
		t->end_ns = end_ns;
}

int64_t
test_deadline_ns(const struct test *t)
{
	int64_t tick_ns =
	    t->hold_until_ns != 0 ? t->hold_until_ns : t->next_tick_ns;

	return tick_ns < t->grace_until_ns ? tick_ns : t->grace_until_ns;
}

void
test_collect(struct test *t, bool with_samples)
{
	struct tcp_sample sample;
	struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		if (!f->started || f->ended)
			continue;
		collect_flow(f);
		if (with_samples && f->fd != -1 &&
		    tcp_sample_take(&sample, f->fd) == 0)
			take_sample(f, &sample);
	}
}

static void
row_addresses(struct row_fact *row, const struct flow *f)
{
	row->source_is_peer =
	    f->kind == ROW_TCP_RECV || f->kind == ROW_UDP_RECV;
	row->source =
	    row->source_is_peer ? f->connection.peer : f->connection.local;
	row->destination =
	    row->source_is_peer ? f->connection.local : f->connection.peer;
}

static struct row_fact
flow_row(const struct flow *f, const struct test_output *out,
    const struct tally *figures, int64_t from_ns, int64_t to_ns)
{
	struct row_fact row = {.kind = f->kind, .streams = 1};

	row.id = f->connection.id;
	row.start_ns = from_ns - f->start_ns;
	row.end_ns = to_ns - f->start_ns;
	row.wall_ns = to_ns + out->wall_offset_ns;
	row.tally = figures;
	row.tcp = f->has_sample ? &f->sample : NULL;
	row.has_delays = f->connection.trip_times;
	row_addresses(&row, f);
	return row;
}

static bool
has_sum(const struct test *t, const struct test_output *out)
{
	return out->options->sum_only ||
	       (t->flows != NULL && t->flows->next != NULL);
}

static int
count_flows(const struct test *t)
{
	const struct flow *f;
	int n = 0;

	for (f = t->flows; f != NULL; f = f->next)
		n++;
	return n;
}

static struct row_fact
sum_row(const struct test *t, const struct test_output *out,
    const struct tally *figures, int64_t from_ns, int64_t to_ns)
{
	struct row_fact row = {.kind = t->flows->kind, .sum = true, .id = -1};

	row.streams = count_flows(t);
	row.has_delays = t->flows->connection.trip_times;
	row.start_ns = from_ns - t->start_ns;
	row.end_ns = to_ns - t->start_ns;
	row.wall_ns = to_ns + out->wall_offset_ns;
	row.tally = figures;
	row_addresses(&row, t->flows);
	return row;
}

/* The figures of one interval, and the span of its rows. */
struct interval {
	struct tally sum;
	int64_t from_ns;
	int64_t to_ns;
};

/* Writes a stream's interval that ends at to_ns or at the stream's end. */
static void
write_interval(struct flow *f, const struct test_output *out, int64_t to_ns,
    struct interval *all)
{
	struct row_fact row;

	if (f->ended)
		to_ns = f->end_ns;
	if (to_ns < f->last_ns)
		to_ns = f->last_ns;
	if (!f->ended || !tally_is_zero(&f->pending)) {
		row = flow_row(f, out, &f->pending, f->last_ns, to_ns);
		out->writer->interval(out->state, &row);
		if (f->last_ns < all->from_ns)
			all->from_ns = f->last_ns;
		if (to_ns > all->to_ns)
			all->to_ns = to_ns;
	}
	tally_merge(&all->sum, &f->pending);
	tally_merge(&f->total, &f->pending);
	tally_zero(&f->pending);
	f->last_ns = to_ns;
	f->reported = f->ended;
}

static bool
has_running(const struct test *t)
{
	const struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		if (f->started && !f->reported)
			return true;
	}
	return false;
}

/* Writes one interval of all streams and its sum. */
static void
write_intervals(struct test *t, const struct test_output *out, int64_t to_ns)
{
	struct interval all = {.from_ns = INT64_MAX, .to_ns = INT64_MIN};
	struct row_fact row;
	struct flow *f;

	if (!has_running(t))
		return;
	if (!t->has_intervals)
		out->writer->test_begins(out->state);
	t->has_intervals = true;
	for (f = t->flows; f != NULL; f = f->next) {
		if (f->started && !f->reported)
			write_interval(f, out, to_ns, &all);
	}
	if (has_sum(t, out) && all.from_ns <= all.to_ns) {
		row = sum_row(t, out, &all.sum, all.from_ns, all.to_ns);
		out->writer->interval(out->state, &row);
	}
}

/*
 * The tick nearest to the planned end: the streams will end within moments,
 * and their last bytes belong to this interval, not to a sliver of their
 * own.
 */
static bool
is_final_tick(const struct test *t, int64_t tick_ns, int64_t interval_ns)
{
	int64_t off_ns;

	if (t->plan.duration_ns <= 0)
		return false;
	off_ns = tick_ns - (t->start_ns + t->plan.duration_ns);
	return off_ns > -interval_ns / 4 && off_ns < interval_ns / 4;
}

void
test_tick(struct test *t, const struct test_output *out, int64_t now_ns)
{
	int64_t interval_ns = out->options->interval_ns;
	int64_t held_ns = t->held_ns, tick_ns = t->next_tick_ns;

	if (t->hold_until_ns != 0) {
		/* The end did not come: the row is as of its own tick. */
		t->hold_until_ns = 0;
		write_intervals(t, out, held_ns);
		return;
	}
	t->next_tick_ns += interval_ns;
	if (t->next_tick_ns <= now_ns)
		t->next_tick_ns =
		    now_ns + interval_ns - (now_ns - t->start_ns) % interval_ns;
	if (is_final_tick(t, tick_ns, interval_ns)) {
		t->held_ns = now_ns;
		t->hold_until_ns = now_ns + interval_ns / 4;
		if (t->hold_until_ns > now_ns + HOLD_MAX_NS)
			t->hold_until_ns = now_ns + HOLD_MAX_NS;
		return;
	}
	write_intervals(t, out, now_ns);
}

static bool
has_pending(const struct test *t)
{
	const struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		if (f->started && !f->reported && !tally_is_zero(&f->pending))
			return true;
	}
	return false;
}

static void
write_total(const struct test_output *out, struct row_fact *row)
{
	struct udp_sent_fact sent = {
	    .id = row->id,
	    .sum = row->sum,
	    .streams = row->streams,
	    .datagrams = row->tally->datagrams,
	};

	row->total = true;
	out->writer->total(out->state, row);
	if (row->kind == ROW_UDP_SEND)
		out->writer->udp_sent(out->state, &sent);
}

static void
write_server_report(const struct flow *f, const struct test_output *out)
{
	struct row_fact row = flow_row(f, out, &f->report, f->start_ns,
	    f->start_ns + f->report_ns);

	row.kind = ROW_UDP_RECV;
	row.total = true;
	row.server_report = true;
	out->writer->server_report(out->state, &row);
}

void
test_finish(struct test *t, const struct test_output *out)
{
	struct tally sum = {0};
	struct row_fact row;
	struct flow *f;

	if (t->flows == NULL)
		return;
	if (t->start_ns == INT64_MAX)
		t->start_ns = t->end_ns;
	if (t->has_intervals && (t->hold_until_ns != 0 || has_pending(t)))
		write_intervals(t, out, t->end_ns);
	if (!t->has_intervals)
		out->writer->test_begins(out->state);
	for (f = t->flows; f != NULL; f = f->next) {
		if (!f->started)
			f->start_ns = f->end_ns;
		tally_merge(&f->total, &f->pending);
		tally_merge(&sum, &f->total);
		row = flow_row(f, out, &f->total, f->start_ns, f->end_ns);
		write_total(out, &row);
	}
	if (has_sum(t, out)) {
		row = sum_row(t, out, &sum, t->start_ns, t->end_ns);
		write_total(out, &row);
	}
	for (f = t->flows; f != NULL; f = f->next) {
		if (f->has_report)
			write_server_report(f, out);
	}
}

void
test_free(struct test *t)
{
	struct flow *f;

	while ((f = t->flows) != NULL) {
		t->flows = f->next;
		test_free_flow(f);
	}
	free(t);
}
