/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_SENDER_H
#define ROLE_UDP_SENDER_H

/* A UDP stream that a role sends: from its start to the row of its total. */

#include <stdint.h>

#include "stream/udp_send.h"

struct client_header;
struct flow;
struct reporter;

/* Belongs to the thread that runs it. */
struct udp_sender {
	struct udp_send send;
	struct flow *flow;
	struct reporter *reporter;
	int id; /* of the stream, for messages */
};

/*
 * Prepares a sender but for reporter, id, send.stop and what of `send` is 0
 * in most streams. The options stay the caller's, and outlive it.
 */
void udp_sender_init(struct udp_sender *, const struct options *, struct flow *,
    int fd, int64_t start_ns);

/*
 * Makes it a sender that nobody reports to: its final datagram is sent a few
 * times, as nobody asks for another. After udp_sender_init().
 */
void udp_sender_set_one_way(struct udp_sender *);

/*
 * Waits for the start, sends with that header (NULL: none), ends the exchange
 * and the flow. Returns 0, or -1 after telling the reporter. The socket stays
 * open.
 */
int udp_sender_run(struct udp_sender *, const struct client_header *);

#endif
