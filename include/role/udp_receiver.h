/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_RECEIVER_H
#define ROLE_UDP_RECEIVER_H

/* What a client receives on the socket of a UDP stream: -R, --full-duplex. */

#include <stdbool.h>
#include <stdint.h>

#include "stream/udp_pause.h"
#include "stream/udp_recv.h"

struct address;
struct client_header;
struct datagrams_in;
struct flow;
struct options;
struct reporter;

/* Belongs to the thread that runs it. */
struct udp_receiver {
	struct udp_recv recv;
	struct udp_pause_asker pauses;
	struct datagrams_in *in;
	struct flow *flow;
	struct reporter *reporter;
	const struct address *peer; /* for messages */
	int id;			    /* of the stream, likewise */
	int fd;
	int64_t start_ns;
	int64_t duration_ns; /* that the peer was asked for; <= 0 none */
	int64_t patience_ns; /* for which data may pause */
	int64_t heard_ns;    /* when something came last; start_ns */
	int64_t data_ns;     /* when the first data came; 0 not yet */
	bool was_refused;    /* nobody listens at the port */
};

/* A receiver but for reporter, id, peer and recv.stop. */
struct udp_receiver *udp_receiver_new(const struct options *, struct flow *,
    int fd, int64_t start_ns);
void udp_receiver_free(struct udp_receiver *);

/*
 * -R: sends the request again and again until data comes. Returns 0, or -1
 * after telling the reporter that there is none, and ending the flow.
 */
int udp_receiver_ask(struct udp_receiver *, const struct client_header *);

/*
 * Receives until the peer's final, or until it is silent after the planned
 * end, or the stop flag, and ends the flow. Returns 0, or -1 after telling
 * the reporter what is missing. The socket stays open.
 */
int udp_receiver_run(struct udp_receiver *);

#endif
