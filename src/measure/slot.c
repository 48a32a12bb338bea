/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sched.h>

#include "measure/slot.h"

struct tally *
slot_collect(struct slot *s, struct tally *spare)
{
	struct tally *t;

	for (;;) {
		t = atomic_load_explicit(&s->tally, memory_order_relaxed);
		if (t != NULL &&
		    atomic_compare_exchange_weak_explicit(&s->tally, &t, spare,
			memory_order_acq_rel, memory_order_relaxed))
			return t;
		/* The worker is inside its few instructions. */
		sched_yield();
	}
}
