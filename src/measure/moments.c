/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <math.h>

#include "measure/moments.h"

void
moments_zero(struct moments *m)
{
	*m = (struct moments){0};
}

/* Welford 1962: the mean moves by its share, nothing large is subtracted. */
void
moments_add(struct moments *m, double value)
{
	double off_old_mean = value - m->mean;

	if (m->count == 0 || value < m->min)
		m->min = value;
	if (m->count == 0 || value > m->max)
		m->max = value;
	m->count++;
	m->mean += off_old_mean / (double)m->count;
	m->m2 += off_old_mean * (value - m->mean);
}

void
moments_merge(struct moments *into, const struct moments *from)
{
	double apart = from->mean - into->mean;
	double share;

	if (from->count == 0)
		return;
	if (into->count == 0) {
		*into = *from;
		return;
	}
	share = (double)from->count / (double)(into->count + from->count);
	into->m2 += from->m2 + apart * apart * share * (double)into->count;
	into->mean += apart * share;
	into->count += from->count;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

double
moments_stddev(const struct moments *m)
{
	return m->count < 2 ? 0 : sqrt(m->m2 / (double)(m->count - 1));
}
