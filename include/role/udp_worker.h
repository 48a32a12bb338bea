/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_WORKER_H
#define ROLE_UDP_WORKER_H

/*
 * A worker of a UDP server: it serves the flow of one peer, and those that
 * follow from the peer's port. The struct is its thread's own.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "role/handshake.h"
#include "stream/udp_pause.h"
#include "stream/udp_recv.h"
#include "wire/client_header.h"

struct datagrams_in;
struct flow;
struct server;
struct udp_peer;
struct udp_reverse;

/* How often a waiting worker looks at its server. */
#define UDP_WORKER_LOOK_NS (200 * NS_PER_MS)

struct udp_worker {
	struct server *server;
	struct udp_peer *peer;
	struct hello hello;
	enum client_header_form form;
	struct datagrams_in *in; /* NULL: all comes from the listener */
	struct flow *flow;
	struct udp_reverse *reverse; /* what goes to the client; NULL: -- */
	struct udp_recv recv;
	struct udp_pause_asker pauses;
	uint64_t drops; /* in the listener's queue, not yet accounted for */
	int64_t idle_ns;
	int64_t deadline_ns; /* server -t; INT64_MAX none */
	int64_t heard_ns;    /* when something came last, monotonic */
	int64_t start_ns;    /* of the flow, monotonic too */
	int64_t end_ns;
	bool has_started;
};

#endif
