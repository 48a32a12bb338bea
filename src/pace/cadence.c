/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "pace/cadence.h"

void
cadence_init(struct cadence *c, double gap_ns, int64_t now_ns,
    unsigned together)
{
	c->origin_ns = now_ns;
	c->gap_ns = gap_ns;
	c->sent = 0;
	c->free_ns = now_ns;
	c->together = together;
}

static int64_t
scheduled_ns(const struct cadence *c)
{
	return c->origin_ns + (int64_t)((double)c->sent * c->gap_ns);
}

void
cadence_set_gap(struct cadence *c, double gap_ns)
{
	c->origin_ns = scheduled_ns(c);
	c->sent = 0;
	c->gap_ns = gap_ns;
}

int64_t
cadence_due_ns(const struct cadence *c)
{
	int64_t due_ns = scheduled_ns(c);

	return due_ns > c->free_ns ? due_ns : c->free_ns;
}

void
cadence_overslept(struct cadence *c, int64_t now_ns)
{
	if (now_ns > c->free_ns)
		c->free_ns = now_ns;
}

unsigned
cadence_count(const struct cadence *c, int64_t now_ns, unsigned max)
{
	double scheduled, allowed;

	if (now_ns < cadence_due_ns(c))
		return 0;
	scheduled = 1 + (double)(now_ns - scheduled_ns(c)) / c->gap_ns;
	allowed = 1 + 2 * (double)(now_ns - c->free_ns) / c->gap_ns;
	/* Less than two are allowed after a call that took less than a gap. */
	if (scheduled < c->together || allowed < 2)
		return 1;
	if (allowed < c->together)
		allowed = c->together;
	if (allowed < scheduled)
		scheduled = allowed;
	return scheduled < max ? (unsigned)scheduled : max;
}

int64_t
cadence_sent(struct cadence *c, unsigned n, int64_t now_ns)
{
	int64_t lag_ns, free_ns;

	c->sent += n;
	c->free_ns += (int64_t)(n * c->gap_ns / 2);
	free_ns = now_ns + (int64_t)(c->gap_ns / 2);
	if (c->free_ns < free_ns)
		c->free_ns = free_ns;
	lag_ns = cadence_lag_ns(c, now_ns);
	if (lag_ns <= CADENCE_MAX_LAG_NS)
		return 0;
	c->origin_ns = now_ns;
	c->sent = 0;
	return lag_ns;
}

int64_t
cadence_lag_ns(const struct cadence *c, int64_t now_ns)
{
	return now_ns - scheduled_ns(c);
}
