/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PACE_PACER_H
#define PACE_PACER_H

/*
 * When may the next bytes leave? Pure arithmetic on absolute deadlines: the
 * time of the next send follows from the bytes sent since the schedule's
 * origin, so rounding and late wake-ups never add up. One pacer belongs to
 * one stream.
 *
 * A stream that falls behind sends at once until it has caught up, but a lag
 * of more than PACER_MAX_LAG_NS is forgiven: after a stall there is no burst
 * without bound.
 */

#include <stddef.h>
#include <stdint.h>

#define PACER_MAX_LAG_NS INT64_C(1000000000)

/* How often a varying rate (-b mean,stddev) takes a new value. */
#define PACER_VARY_NS INT64_C(100000000)

struct pacer {
	int64_t origin_ns;   /* of the schedule, monotonic clock */
	uint64_t sent_bytes; /* since the origin */
	double ns_per_byte;
	double mean_bps;
	double stddev_bps;	/* 0: constant rate */
	int64_t vary_ns;	/* when the rate changes next */
	unsigned short seed[3]; /* of the varying rate */
};

/*
 * Starts a schedule at now_ns. mean_bps > 0; stddev_bps >= 0 makes the rate
 * vary by a log-normal law with that mean and deviation. The seed decides
 * the sequence of rates.
 */
void pacer_init(struct pacer *, double mean_bps, double stddev_bps,
    uint32_t seed, int64_t now_ns);

/*
 * A value of the log-normal law with the given mean and deviation, > 0; the
 * seed advances.
 */
double pacer_log_normal(double mean, double stddev, unsigned short seed[3]);

/* The moment from which the next bytes may leave. */
int64_t pacer_due_ns(const struct pacer *);

/* Notes that bytes were sent at now_ns. */
void pacer_sent(struct pacer *, size_t bytes, int64_t now_ns);

#endif
