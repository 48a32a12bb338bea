/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_MOMENTS_H
#define MEASURE_MOMENTS_H

/*
 * Count, mean, deviation and extremes of a series, in one pass and without
 * keeping the series. Two series merge exactly (Chan, Golub, LeVeque 1979),
 * so moments are a monoid with moments_zero() as its neutral element. Pure.
 */

#include <stdint.h>

struct moments {
	uint64_t count;
	double mean;
	double m2; /* sum of squared deviations from the mean */
	double min;
	double max;
};

void moments_zero(struct moments *);
void moments_add(struct moments *, double value);
void moments_merge(struct moments *into, const struct moments *from);

/* Sample deviation; 0 with fewer than two values. */
double moments_stddev(const struct moments *);

#endif
