/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_TCP_SENDER_H
#define ROLE_TCP_SENDER_H

/* A TCP stream that a role sends: from its start to the row of its total. */

#include <stdbool.h>
#include <stdint.h>

#include "stream/tcp_send.h"

struct flow;
struct trouble;

/* Belongs to the thread that runs it. */
struct tcp_sender {
	struct tcp_send send; /* configured, but for what is said below */
	struct flow *flow;
	struct trouble *trouble; /* of the connection, its owner's */
	const char *input_path;	 /* of send.input_fd, for messages */
	bool ends_with_write;	 /* the flow does; what is on the way still
				    gets its time, but not in the figures */
	bool needs_peer;	 /* a peer that ends first is a failure */
	bool expects_answer;	 /* the peer answers the header: if it does not,
				    it never took up the test */
};

/*
 * Prepares a sender: everything of `send` that tcp_send_configure() leaves to
 * its caller but stop, shared, chunk and is_read or heeds_peer, and the members
 * of this struct that are for messages. The socket's
 * calls become short. Returns 0, or -1 with errno.
 */
int tcp_sender_init(struct tcp_sender *, const struct options *, struct flow *,
    int fd, int64_t start_ns);

/*
 * Waits for the start, sends, waits for the end and ends the flow. Returns 0,
 * or -1 after telling the reporter. The socket stays open.
 */
int tcp_sender_run(struct tcp_sender *);

/* The same for a sender that could not be prepared, with an errno value. */
int tcp_sender_fail(struct tcp_sender *, int error);

#endif
