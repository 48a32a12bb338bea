/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_SEQUENCE_H
#define MEASURE_SEQUENCE_H

/*
 * What became of a flow's datagrams, from their ids and times alone: lost,
 * late, duplicated; jitter and one-way delay. Pure; the state belongs to the
 * flow's worker, figures go into a tally, so that intervals and totals are
 * folds of the same numbers.
 *
 * A datagram whose id is above the highest so far opens a gap of the ids
 * between; one that comes below is late if its id was missing and a
 * duplicate if it was not. A window of SEQUENCE_WINDOW ids behind the highest
 * remembers which were seen; what comes from further behind counts as late
 * as long as any id is missing. So late arrivals never exceed the gaps, and
 * lost is gaps minus late arrivals. Jitter is RFC 3550, section 6.4.1:
 * J += (|D| - J) / 16, the first datagram only being the reference, and the
 * final one left out. Delay and jitter are those of the datagrams that raise
 * the highest id.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally;

#define SEQUENCE_WINDOW 65536
#define SEQUENCE_ID_MAX (INT64_C(1) << 62) /* larger ids are taken for it */

struct sequence {
	bool is_64_bit;	    /* ids of the sender: else 32 bits that wrap */
	bool has_reference; /* last_transit_ns is known */
	int64_t highest;    /* highest id so far, unwrapped; first_id - 1 */
	int64_t last_transit_ns;
	double jitter_ns;
	uint64_t missing; /* ids jumped over that have not come yet */
	uint64_t seen[SEQUENCE_WINDOW / 64]; /* a bit per id, modulo window */
};

/* first_id is the id that the sender starts with: 1, or 0 up to 2.0.x. */
void sequence_init(struct sequence *, int64_t first_id, bool is_64_bit);

/*
 * Whether a datagram ends its flow: its id, as it stands there, is negative.
 * Not each negative one does, as 32-bit ids reach 2^31 in a long test. To
 * be asked before the datagram is added.
 */
bool sequence_is_final(const struct sequence *, int64_t wire_id);

/*
 * Accounts for one datagram of `bytes` payload: wire_id as it stands in the
 * datagram (sign-extended), sent at sent_rt_ns and received at
 * received_rt_ns, both wall time, from 0 to below 2^62. has_delay is false
 * when the time stamp means nothing (garbage). The final datagram has the
 * absolute value as its id. Counts all of a receiver but calls, queue_drops
 * and odd_sizes. Returns the unwrapped id, not negative. Constant time.
 */
int64_t sequence_add(struct sequence *, struct tally *, int64_t wire_id,
    size_t bytes, int64_t sent_rt_ns, int64_t received_rt_ns, bool has_delay);

#endif
