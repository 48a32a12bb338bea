/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/alloc.h"
#include "measure/histogram.h"

struct histogram *
histogram_new(const struct histogram_shape *shape)
{
	struct histogram *h;

	h = xcalloc(1, sizeof(*h) + shape->bins * sizeof(h->bin[0]));
	h->shape = *shape;
	return h;
}

void
histogram_clear(struct histogram *h)
{
	h->count = 0;
	h->below = 0;
	h->above = 0;
	h->max_ns = 0;
	h->max_wall_ns = 0;
	memset(h->bin, 0, h->shape.bins * sizeof(h->bin[0]));
}

/* Keeps the larger maximum; of equal ones the first seen. */
static void
raise_max(struct histogram *h, int64_t ns, int64_t wall_ns)
{
	if (h->count > 0 && ns <= h->max_ns)
		return;
	h->max_ns = ns;
	h->max_wall_ns = wall_ns;
}

void
histogram_add(struct histogram *h, int64_t ns, int64_t wall_ns)
{
	raise_max(h, ns, wall_ns);
	h->count++;
	if (ns < 0)
		h->below++;
	else if (ns / h->shape.width_ns >= h->shape.bins)
		h->above++;
	else
		h->bin[ns / h->shape.width_ns]++;
}

void
histogram_merge(struct histogram *into, const struct histogram *from)
{
	uint32_t i;

	if (from->count == 0)
		return;
	raise_max(into, from->max_ns, from->max_wall_ns);
	into->count += from->count;
	into->below += from->below;
	into->above += from->above;
	for (i = 0; i < into->shape.bins; i++)
		into->bin[i] += from->bin[i];
}

uint32_t
histogram_percentile(const struct histogram *h, double percent)
{
	double limit = percent * (double)h->count;
	uint64_t running = h->below;
	uint32_t i;

	if (h->count == 0)
		return 0;
	for (i = 0; i < h->shape.bins; i++) {
		running += h->bin[i];
		if (100 * (double)running > limit)
			return i + 1;
	}
	return h->shape.bins;
}

uint64_t
histogram_outliers(const struct histogram *h)
{
	uint64_t first = histogram_percentile(h, 10);
	uint64_t last = histogram_percentile(h, 90);
	uint64_t fence = last + 3 * (last - first);
	uint64_t outliers = h->above;

	/* A spread of nothing makes no fence. */
	if (first == last || fence > h->shape.bins)
		return 0;
	for (uint64_t i = fence; i < h->shape.bins; i++)
		outliers += h->bin[i];
	return outliers;
}
