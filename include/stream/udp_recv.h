/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_UDP_RECV_H
#define STREAM_UDP_RECV_H

/*
 * The receiving half of a UDP stream: accounts for every datagram of one
 * peer, up to the final one. Used by its worker only, but for the stop flag.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/sequence.h"
#include "measure/tally.h"
#include "wire/aside.h"

struct datagram_in;
struct datagrams_in;
struct slot;

struct udp_recv {
	struct slot *slot;
	const atomic_bool *stop;
	size_t expected_bytes; /* of a datagram; others are odd; 0 any */
	bool is_wide;	       /* ids have 64 bits */

	/* The worker's own: */
	struct sequence sequence;
	uint64_t drops;	      /* of queues, not found to be losses so far */
	struct tally total;   /* of all batches, for the report to the peer */
	int64_t first_rt_ns;  /* arrival of the first datagram, since 1970 */
	int64_t last_rt_ns;   /* of the latest */
	int64_t last_sent_ns; /* its time stamp */
	int64_t first_ns;     /* first_rt_ns on the monotonic clock, and */
	int64_t last_ns;      /* last_rt_ns: the wall clock may be set */
	bool has_final;
	int64_t final_sent_ns; /* its time stamp */
	enum aside_kind aside; /* the kind that came last, if any */
	uint64_t aside_value;  /* with it */
};

void udp_recv_init(struct udp_recv *, int64_t first_id);

/*
 * Accounts for datagrams 0 to n-1 of a batch, up to the final one. `drops`
 * is what the socket's queue has dropped. Returns how many were used.
 */
unsigned udp_recv_account(struct udp_recv *, const struct datagrams_in *,
    unsigned n, uint64_t drops);

/* The same for one datagram that came another way, and drops on that. */
void udp_recv_account_one(struct udp_recv *, const struct datagram_in *,
    uint64_t drops);

/* Drops after which no datagram came. */
void udp_recv_add_drops(struct udp_recv *, uint64_t drops);

#endif
