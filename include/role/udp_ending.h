/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_ENDING_H
#define ROLE_UDP_ENDING_H

/*
 * What a UDP worker does when its flow has been reported here: it tells the
 * peer, and keeps what still comes of the flow from opening another one. The
 * worker's thread only.
 */

#include <stdbool.h>
#include <stddef.h>

struct udp_worker;

/* Bytes of the report that the client of a flow is sent; 0 if it wants none. */
size_t udp_ending_report_bytes(const struct udp_worker *);

/*
 * Answers the final datagram, and each copy of it, until the peer has been
 * silent for a while. Never sends more than has come: the address may be a
 * lie, and its owner shall not suffer. So a test of a few small datagrams
 * needs a second final. Returns whether the peer has begun another flow, of
 * which the datagrams are in its queue.
 */
bool udp_ending_answer(struct udp_worker *);

/*
 * Takes what comes of a flow that was ended here (-t on the server) and
 * counts none of it, until its final comes, which is answered, or nothing
 * comes for as long as the flow may be silent, or the server takes no more
 * flows. Returns what udp_ending_answer() does.
 */
bool udp_ending_drain(struct udp_worker *);

#endif
