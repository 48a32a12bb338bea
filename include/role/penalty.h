/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_PENALTY_H
#define ROLE_PENALTY_H

/*
 * Addresses in whose name somebody asked for traffic and could not prove to
 * be there. A second failure bars the address for a minute, and each further
 * one for twice as long as the one before, up to an hour and four minutes. Ten
 * minutes after the end of a bar, or after a first failure, all is forgotten.
 * IPv6 addresses with the same first 64 bits are one.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/address.h"

/* One more pushes out one of the fewest failures, the longest ago. */
#define PENALTY_ADDRESSES 256

#define PENALTY_FAILURES 2

struct penalty {
	uint64_t key;
	unsigned failures; /* 0: the entry is free */
	int64_t latest_ns;
};

/* All members are guarded by the mutex. */
struct penalties {
	pthread_mutex_t mutex;
	struct penalty list[PENALTY_ADDRESSES];
};

/* Makes an empty table; penalties_fini() ends it. */
void penalties_init(struct penalties *);
void penalties_fini(struct penalties *);

/* The address failed at a time of clock_now_ns(). Any thread. */
void penalties_add(struct penalties *, const struct address *, int64_t now_ns);

/* Whether the address is barred at that time. Any thread. */
bool penalties_bar(struct penalties *, const struct address *, int64_t now_ns);

#endif
