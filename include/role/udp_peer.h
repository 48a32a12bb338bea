/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_PEER_H
#define ROLE_UDP_PEER_H

/*
 * The peers of a UDP server: who has a flow, and the datagrams that the
 * listener took for them. The listener thread finds and adds peers, a worker
 * removes its own; all under the mutex of the table.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/datagrams.h"

/* Datagrams that wait for a worker at most; more are dropped and counted. */
#define UDP_PEER_QUEUE_MAX 16384

/* A datagram that the listener took. */
struct udp_handed {
	struct udp_handed *next;
	struct datagram_in in; /* data is behind; from and to are not set */
	uint8_t data[];
};

/*
 * Who may touch the members:
 *      I       immutable once added
 *      m       guarded by the mutex of the table
 *      a       changed under the mutex, read by the worker without
 */
struct udp_peer {
	struct udp_peer *next;	  /* m, in its bucket */
	struct address address;	  /* I, of the peer, with its port */
	struct address local;	  /* I, ours, as the peer knows it */
	int fd;			  /* I, connected to the peer; -1: none, all
				     comes through the queue */
	int id;			  /* of the flow; the worker's own */
	pthread_cond_t cond;	  /* something was queued, or handed over */
	struct udp_handed *head;  /* m, oldest first */
	struct udp_handed **tail; /* m */
	atomic_uint queued;	  /* a */
	uint64_t dropped;	  /* m, for want of room in the queue */
	bool is_due;		  /* m, to be handed over next time */
	bool is_handed_over;	  /* m, read fd: hardly any more will come */
};

#define UDP_PEER_BUCKETS 1024

struct udp_peers {
	pthread_mutex_t mutex;
	struct udp_peer *buckets[UDP_PEER_BUCKETS];
	int count;  /* m */
	int shared; /* m, of these, peers without a socket */
};

void udp_peers_init(struct udp_peers *);
void udp_peers_fini(struct udp_peers *);

/* How many peers there are; how many of them have no socket. */
int udp_peers_count(struct udp_peers *);
int udp_peers_count_shared(struct udp_peers *);

/* How many peers have the address of a host. */
int udp_peers_count_host(struct udp_peers *, const struct address *host);

/*
 * Adds a peer, allocated and zeroed, whose members address, local, fd and id
 * are set. It belongs to its worker; nobody else may hold a pointer to it.
 */
void udp_peers_add(struct udp_peers *, struct udp_peer *);

/* Removes a peer and frees it with its queue. */
void udp_peers_remove(struct udp_peers *, struct udp_peer *);

/*
 * Queues a copy of a datagram for the peer that has an address and talks to
 * one of ours. Returns false when there is none. Listener only.
 */
bool udp_peers_hand(struct udp_peers *, const struct address *peer,
    const struct address *local, const struct datagram_in *);

/*
 * To be called each time that the listener has read all its sockets: hands
 * over the peers that were there at the last call, and so had their sockets
 * before all that reading.
 */
void udp_peers_hand_over(struct udp_peers *);

/*
 * Takes the oldest datagram into *taken; the caller frees it. Waits for one
 * until deadline_ns (monotonic), then *taken is NULL. Returns false, with
 * NULL, when none waits and the peer has been handed over. *dropped is what
 * did not fit since the last datagram.
 */
bool udp_peers_take(struct udp_peers *, struct udp_peer *, int64_t deadline_ns,
    struct udp_handed **taken, uint64_t *dropped);

#endif
