/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef T_RELAY_RULES_H
#define T_RELAY_RULES_H

/*
 * What a relay does to the datagrams of clients, by their ids. IDS is like
 * 3,10-19,50-1000/50 or, for 25 of 1000 at random, ?25:
 *
 *	drop=IDS	lose them
 *	dup=IDS		send them twice
 *	hold=IDS:K	send them after K more have come
 *	delay=IDS:MS	send them so much later
 *	seed=N		another choice at random
 *	finals=N	lose the first N finals of each flow
 *	firsts=N	lose the first N datagrams of each flow, of any kind
 *	mute=N		lose all of the Nth flow, from 1
 *	reports=N	lose the first N datagrams from the server
 *	back=IDS	lose those of the server
 *	backfinals=N	lose the first N finals of the server
 *	add=N		to all ids
 *	narrow=1	take the flag for 64-bit ids, and their upper halves
 */

#include <stdbool.h>
#include <stdint.h>

#define RANGES_MAX 64

struct ids {
	struct {
		int64_t first;
		int64_t last;
		int64_t step;
	} ranges[RANGES_MAX];
	int n;
	uint64_t per_mille; /* at random */
	uint64_t by;	    /* what follows the colon */
};

struct rules {
	struct ids drop, dup, hold, delay, back;
	uint64_t seed, firsts, finals, reports, mute, add, narrow, backfinals;
};

/* Adds a rule to those there are; exits when it is none. */
void rules_parse(struct rules *, const char *arg);

/*
 * Whether an id is one of these: listed, or chosen by the seed, always the
 * same for the same seed.
 */
bool ids_have(const struct ids *, int64_t id, uint64_t seed);

#endif
