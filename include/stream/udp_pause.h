/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_UDP_PAUSE_H
#define STREAM_UDP_PAUSE_H

/*
 * A sender without a limit may be faster than the host that receives, and
 * then all that it is ahead is lost there. So a receiver of ours whose queue
 * fills asks the sender, if that is one of ours, to pause for a moment. One
 * that was asked for a rate keeps the rate and does not look for such requests.
 */

#include <stdbool.h>
#include <stdint.h>

struct datagrams_in;

/* The sender's side; zeroed at first. Belongs to its thread. */
struct udp_pause {
	int64_t looked_ns; /* when requests were looked for last, monotonic */
	int64_t until_ns;  /* the end of the latest pause that was asked for */
};

/*
 * Takes requests from the connected socket, now and then, and drops what else
 * is there; nobody else may read it. Returns whether to pause until until_ns;
 * -1 with errno: the error that the socket had.
 */
int udp_pause_heed(struct udp_pause *, int fd, int64_t now_ns);

/* The receiver's side; zeroed at first. Belongs to its thread. */
struct udp_pause_asker {
	bool may_ask;	 /* the peer is known to be one of ours */
	int64_t next_ns; /* when another request may leave, monotonic */
};

/*
 * Sends a request on the connected socket if one is due and the queue fills,
 * as it was when its drops were taken last.
 */
void udp_pause_ask(struct udp_pause_asker *, int fd,
    const struct datagrams_in *);

#endif
