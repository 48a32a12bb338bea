/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_TCP_RECEIVER_H
#define ROLE_TCP_RECEIVER_H

/* What a client receives on the connection of a stream: -R, --full-duplex. */

#include <stdint.h>

#include "stream/tcp_recv.h"

struct flow;
struct options;
struct trouble;

/* Belongs to the thread that runs it. */
struct tcp_receiver {
	struct tcp_recv recv;
	struct flow *flow;
	struct trouble *trouble; /* of the connection, its owner's */
	int64_t start_ns;
	int64_t duration_ns;  /* that the peer was asked for; <= 0 none */
	int64_t amount_bytes; /* likewise; -1 none */
};

/* Prepares a receiver but for recv.stop, asks_end and the trouble. */
void tcp_receiver_init(struct tcp_receiver *, const struct options *,
    struct flow *, int fd, int64_t start_ns);

/*
 * Receives until the peer ends, and ends the flow. Returns 0, or -1 after
 * telling the reporter what is missing. The socket stays open.
 */
int tcp_receiver_run(struct tcp_receiver *);

/*
 * After that: whether the peer, which had begun to send, has ended before its
 * time, so that it wants no more of this test either.
 */
bool tcp_receiver_was_left(const struct tcp_receiver *);

#endif
