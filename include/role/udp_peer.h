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
	uint64_t dropped;	  /* m, for want of room in the queue, or in
				     the listener's socket */
	bool is_due;		  /* m, to be handed over next time */
	bool is_handed_over;	  /* m, read fd: hardly any more will come */
	bool is_lingering;	  /* m, its flow has been reported */
	int64_t ended_sent_ns;	  /* see struct udp_ended; the worker's own */
	int64_t resume_id;	  /* likewise; the listener's before */
};

#define UDP_PEER_BUCKETS 1024

/*
 * A flow that has ended, for as long as datagrams of it may be under way: what
 * was sent before its end opens no other. m.
 */
struct udp_ended {
	struct address address; /* of the peer */
	int64_t sent_ns; /* time stamp of what was its last datagram; 0 none */
	int64_t resume_id; /* what comes next if it goes on; 0: it does not */
	int64_t until_ns;  /* monotonic */
};

#define UDP_PEERS_ENDED 256
#define UDP_PEERS_ENDED_NS (30 * NS_PER_S)

struct udp_peers {
	pthread_mutex_t mutex;
	struct udp_peer *buckets[UDP_PEER_BUCKETS];
	int count;  /* m */
	int shared; /* m, of these, peers without a socket */
	struct udp_ended ended[UDP_PEERS_ENDED];
};

void udp_peers_init(struct udp_peers *);
void udp_peers_fini(struct udp_peers *);

/* How many peers there are; how many of them have no socket. */
int udp_peers_count(struct udp_peers *);
int udp_peers_count_shared(struct udp_peers *);

/* How many peers have the address of a host. */
int udp_peers_count_host(struct udp_peers *, const struct address *host);

/*
 * Whether there is room for one more flow of a host: bounds of all and of one
 * host. Lingering peers do not count, unless they exceed the bound by
 * UDP_PEERS_LINGERING themselves.
 */
#define UDP_PEERS_LINGERING 64
enum udp_room {
	UDP_ROOM,
	UDP_ROOM_NO_FLOW,
	UDP_ROOM_NO_HOST
};
enum udp_room udp_peers_room(struct udp_peers *, const struct address *host,
    int max_flows, int max_flows_per_host);
void udp_peers_set_lingering(struct udp_peers *, struct udp_peer *, bool);

/*
 * Adds a peer, allocated and zeroed, whose members address, local, fd and id
 * are set. It belongs to its worker; nobody else may hold a pointer to it.
 */
void udp_peers_add(struct udp_peers *, struct udp_peer *);

/*
 * Removes a peer and frees it with its queue. Its flow is remembered for a
 * while if ended_sent_ns is set.
 */
void udp_peers_remove(struct udp_peers *, struct udp_peer *);

/*
 * Queues a copy of a datagram for the peer that has an address and talks to
 * one of ours. Returns false when there is none. Listener only.
 */
bool udp_peers_hand(struct udp_peers *, const struct address *peer,
    const struct address *local, const struct datagram_in *);

/* The reverse of taking the oldest one. */
void udp_peers_put_back(struct udp_peers *, struct udp_peer *,
    struct udp_handed *);

/*
 * Whether a datagram from a peer without a flow, and sent at sent_ns, is left
 * over from one that has ended. If not, *resume_id is the id that one would
 * go on with, or 0.
 */
bool udp_peers_is_leftover(struct udp_peers *, const struct address *peer,
    int64_t id, int64_t sent_ns, int64_t *resume_id);

/*
 * Notes what the listener's queue lost. It can be said whose datagrams these
 * were if just one peer has not been handed over: then returns true.
 */
bool udp_peers_note_drops(struct udp_peers *, uint64_t n);

/* How many peers have not been handed over. */
int udp_peers_count_waiting(struct udp_peers *);

/* Losses that udp_peers_take() has not told yet. */
uint64_t udp_peers_take_drops(struct udp_peers *, struct udp_peer *);

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
 * was lost since the last call.
 */
bool udp_peers_take(struct udp_peers *, struct udp_peer *, int64_t deadline_ns,
    struct udp_handed **taken, uint64_t *dropped);

#endif
