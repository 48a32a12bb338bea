/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "measure/histogram.h"
#include "measure/tally.h"

void
tally_zero(struct tally *t)
{
	struct histogram *delay_bins = t->delay_bins;
	struct histogram *jitter_bins = t->jitter_bins;

	*t = (struct tally){0};
	t->delay_bins = delay_bins;
	t->jitter_bins = jitter_bins;
	if (delay_bins != NULL)
		histogram_clear(delay_bins);
	if (jitter_bins != NULL)
		histogram_clear(jitter_bins);
}

/* Reads by size are also counted in `calls`, histograms in `datagrams`. */
bool
tally_is_zero(const struct tally *t)
{
	return t->bytes == 0 && t->calls == 0 && t->errors == 0 &&
	       t->retransmits == 0 && t->datagrams == 0 && t->coalesced == 0 &&
	       t->forgiven_ns == 0 && t->full_ns == 0 && t->starved_ns == 0 &&
	       t->input_ns == 0 && t->held_ns == 0 && t->paused_ns == 0 &&
	       t->advanced == 0 && t->gaps == 0 && t->late == 0 &&
	       t->duplicates == 0 && t->queue_drops == 0 && t->odd_sizes == 0 &&
	       t->delay.count == 0 && !t->has_jitter;
}

static void
merge_bins(struct histogram *into, const struct histogram *from)
{
	if (into != NULL && from != NULL)
		histogram_merge(into, from);
}

void
tally_merge(struct tally *into, const struct tally *from)
{
	size_t i;

	into->bytes += from->bytes;
	into->calls += from->calls;
	into->errors += from->errors;
	into->retransmits += from->retransmits;
	for (i = 0; i < TALLY_READ_BINS; i++)
		into->read_bins[i] += from->read_bins[i];

	into->datagrams += from->datagrams;
	into->coalesced += from->coalesced;
	into->forgiven_ns += from->forgiven_ns;
	into->full_ns += from->full_ns;
	into->starved_ns += from->starved_ns;
	into->input_ns += from->input_ns;
	into->held_ns += from->held_ns;
	into->paused_ns += from->paused_ns;
	into->advanced += from->advanced;
	into->gaps += from->gaps;
	into->late += from->late;
	into->duplicates += from->duplicates;
	into->queue_drops += from->queue_drops;
	into->odd_sizes += from->odd_sizes;
	moments_merge(&into->delay, &from->delay);
	if (from->has_jitter) {
		into->has_jitter = true;
		into->jitter_ns = from->jitter_ns;
	}
	merge_bins(into->delay_bins, from->delay_bins);
	merge_bins(into->jitter_bins, from->jitter_bins);
}

void
tally_add_read(struct tally *t, size_t n, size_t bin_bytes)
{
	size_t bin = n / bin_bytes;

	t->bytes += n;
	t->calls++;
	t->read_bins[bin < TALLY_READ_BINS ? bin : TALLY_READ_BINS - 1]++;
}
