/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

/*
 * A histogram of times with bins of equal width (output.md, section 18).
 * Only histograms of the same shape merge. One owner at a time.
 */

#include <stddef.h>
#include <stdint.h>

struct histogram_shape {
	int64_t width_ns; /* of a bin */
	uint32_t bins;
	double lower_percent; /* confidence limits, 5 and 95 by default */
	double upper_percent;
};

struct histogram {
	struct histogram_shape shape;
	uint64_t count;
	uint64_t below; /* samples below 0 */
	uint64_t above; /* samples beyond the last bin */
	int64_t max_ns;
	int64_t max_wall_ns; /* when the maximum was seen */
	uint64_t bin[];
};

/* The caller frees with free(). */
struct histogram *histogram_new(const struct histogram_shape *);
void histogram_clear(struct histogram *);
void histogram_add(struct histogram *, int64_t ns, int64_t wall_ns);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The bin (from 1) at which the running share first exceeds percent, the
   last one if that is beyond it; 0 if there are no samples. */
uint32_t histogram_percentile(const struct histogram *, double percent);

/* Samples in bins above f90 + 3 (f90 - f10), where f10 and f90 are the
   percentiles; none if these are the same bin. */
uint64_t histogram_outliers(const struct histogram *);

#endif
