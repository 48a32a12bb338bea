/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_REVERSE_H
#define ROLE_UDP_REVERSE_H

/*
 * What a UDP server sends to its client: -R, --full-duplex, -d, -r. For the
 * worker of the client's flow.
 */

#include <pthread.h>
#include <stdbool.h>

#include "base/options.h"
#include "role/call_back.h"
#include "role/trouble.h"
#include "role/udp_path.h"
#include "role/udp_sender.h"

struct connection_fact;
struct flow;
struct party;
struct udp_handed;
struct udp_worker;

/* Shared by the worker and the sender, which is a thread of its own. */
struct udp_reverse {
	struct udp_worker *worker;
	enum direction direction;
	struct udp_path path;
	struct options options;	  /* of the sender */
	struct udp_sender sender; /* --full-duplex */
	struct trouble trouble;
	struct call_back call_back; /* -d, -r */
	bool has_thread;	    /* the worker's own */
	pthread_t thread;	    /* likewise */
};

/*
 * -R: serves a flow whose first request is at hand, to its end. Nothing is
 * reported of a client that does not prove to be where it claims to be, but
 * a line.
 */
void udp_reverse_serve(struct udp_worker *, const struct udp_handed *first,
    struct connection_fact *);

/*
 * Begins to send, unless that is to follow (-r). The flow is one of the
 * party. Returns NULL after a message when that cannot be.
 */
struct udp_reverse *udp_reverse_open(struct udp_worker *, struct party *,
    enum direction);

/* The client's own flow has ended: if not well, ours does, too. */
void udp_reverse_received(struct udp_reverse *);

/* -r: begins to send, if the client's flow has ended well. */
void udp_reverse_follow(struct udp_reverse *);

/* Waits until all has been sent, and frees. */
void udp_reverse_close(struct udp_reverse *);

#endif
