/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_PENALTY_H
#define ROLE_PENALTY_H

/*
 * Addresses in whose name somebody asked for traffic and could not prove to
 * be there. A second failure within a minute bars the address for a minute.
 * IPv6 addresses with the same first 64 bits are one.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/address.h"

/* One more pushes out the one that failed the longest ago. */
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
