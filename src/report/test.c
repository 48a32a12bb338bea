/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/histogram.h"
#include "report/row.h"
#include "report/test.h"
#include "report/test_rows.h"

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

static bool
comes_before(const struct flow *f, const struct flow *g)
{
	if (f->connection.id != g->connection.id)
		return f->connection.id < g->connection.id;
	return row_kind_receives(f->kind);
}

void
test_add_flow(struct test *t, struct flow *f)
{
	struct flow **at = &t->flows;

	while (*at != NULL && comes_before(*at, f))
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
	/* The kernel counts in 32 bits, which may wrap. */
	f->pending.retransmits +=
	    (uint32_t)(sample->retransmits - f->retransmits_seen);
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

bool
test_is_running(const struct test *t)
{
	const struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		if (f->started && !f->ended)
			return true;
	}
	return false;
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
		test_write_intervals(t, out, held_ns);
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
	test_write_intervals(t, out, now_ns);
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
