/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_SLOT_H
#define MEASURE_SLOT_H

/*
 * The place where a worker and the reporter meet, without a lock.
 *
 * The slot is one atomic pointer to the tally that the worker fills. The
 * worker takes the tally out, adds to it and puts it back: two atomic
 * operations, no loop, so it never waits. The reporter replaces the tally by
 * an empty one; while the worker holds it (a few instructions) the reporter
 * yields and tries again. Nothing is reset under a writer and no copy can be
 * torn.
 *
 * One worker and one reporter per slot. The line is aligned to 128 bytes
 * because neighbouring 64-byte lines are prefetched in pairs.
 */

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

struct tally;

struct slot {
	alignas(128) _Atomic(struct tally *) tally; /* NULL: worker holds it */
};

/* Makes a slot that holds an empty tally. Before the worker is started. */
static inline void
slot_init(struct slot *s, struct tally *t)
{
	atomic_init(&s->tally, t);
}

/* Takes the tally out, for adding. Worker only; never NULL. */
static inline struct tally *
slot_take(struct slot *s)
{
	return atomic_exchange_explicit(&s->tally, NULL, memory_order_acquire);
}

/* Puts back what slot_take() returned. Worker only. */
static inline void
slot_give(struct slot *s, struct tally *t)
{
	atomic_store_explicit(&s->tally, t, memory_order_release);
}

/*
 * Exchanges the tally for `spare`, which must be empty, and returns it: it
 * belongs to the caller until it serves as a spare again. Reporter only.
 */
struct tally *slot_collect(struct slot *, struct tally *spare);

#endif
