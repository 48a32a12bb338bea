/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PACE_CADENCE_H
#define PACE_CADENCE_H

/*
 * When is the next datagram due, and how many are by now? Pure arithmetic on
 * an absolute schedule: datagram n is due at origin + n * gap, so neither
 * rounding nor late wake-ups add up. One cadence belongs to one stream.
 *
 * A stream that is late catches up at no more than twice its rate, so a late
 * wake-up makes no burst. Datagrams leave one by one as long as that keeps the
 * schedule. Where a call takes longer than a gap it cannot: then lag is let
 * grow to `together` datagrams, which leave in one call. That each call saves
 * the more the more leave in it makes few large batches better than many
 * small ones: most datagrams still leave alone, and what comes in a batch is
 * no later than the batch is long.
 *
 * A lag of more than CADENCE_MAX_LAG_NS is forgiven: the schedule starts anew,
 * and what was given up is told.
 */

#include <stdint.h>

#define CADENCE_MAX_LAG_NS INT64_C(1000000000)

/*
 * The least batch of a stream that is to be even; 1 where evenness is given up
 * for fewer calls.
 */
#define CADENCE_TOGETHER 8

struct cadence {
	int64_t origin_ns; /* monotonic */
	double gap_ns;	   /* > 0 */
	uint64_t sent;	   /* since the origin */
	int64_t free_ns;   /* not before, at twice the rate */
	unsigned together; /* least batch */
};

void cadence_init(struct cadence *, double gap_ns, int64_t now_ns,
    unsigned together);

/* Goes on at another gap from the next datagram. */
void cadence_set_gap(struct cadence *, double gap_ns);

/* The moment from which the next datagram may leave. */
int64_t cadence_due_ns(const struct cadence *);

/*
 * Says that the stream waited for its moment until now_ns. What it is late by
 * then is caught up with from here on, not at once.
 */
void cadence_overslept(struct cadence *, int64_t now_ns);

/*
 * How many may leave at now_ns, at most `max`: 1 when on time or when
 * that keeps the schedule, else a batch; 0 when none is due.
 */
unsigned cadence_count(const struct cadence *, int64_t now_ns, unsigned max);

/*
 * Notes that n left at now_ns. Returns the nanoseconds of the schedule that
 * were given up, 0 unless the stream is hopelessly late.
 */
int64_t cadence_sent(struct cadence *, unsigned n, int64_t now_ns);

/* How late the next datagram of the schedule is at now_ns; < 0: it is not. */
int64_t cadence_lag_ns(const struct cadence *, int64_t now_ns);

#endif
