/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_UDP_FLOW_H
#define NET_UDP_FLOW_H

/*
 * Sockets of a UDP server for one peer each, on the server's port, so that
 * the kernel sorts datagrams by peer and replies leave from the address that
 * the peer knows. For unicast. One thread per listener.
 *
 *	listener   udp_socket_listen(): gets what no other socket takes
 *	front      takes the listener's place for one local address
 *	flow       one peer
 *
 * How a listening thread uses them:
 *
 *	- It reads listener and fronts alike, first the listener until that
 *	  is empty, so that a peer's datagrams keep their order.
 *	- A datagram of a new peer tells our address in `to`. The thread
 *	  makes a front for that address, unless it has one, and then the
 *	  flow socket.
 *	- Datagrams that came before the flow socket was connected are still
 *	  in the listener or the front. The thread hands them to the flow.
 *	- Once it saw both empty after that, the rest of the peer's datagrams
 *	  comes in the flow socket, and the flow's worker may begin to read
 *	  there. What the kernel was queueing just then may still turn up
 *	  in front; it is handed on as well.
 */

#include "net/address.h"
#include "net/socket.h"

/*
 * Makes an address of what datagrams_in reports as `from` or `to`. A mapped
 * IPv4 address becomes a plain one, so that a peer has one spelling.
 */
void udp_flow_address(struct address *, const struct sockaddr_storage *);

/*
 * Prepares a socket that is to be a listener or a front, before bind().
 * udp_socket_listen() does so.
 */
void udp_flow_prepare(int fd);

/*
 * A non-blocking front of a listener for a local address, the port of which
 * does not count; it must outlive its flows. A listener that is bound to the
 * address needs none: then this is the listener itself. Returns the
 * descriptor, which else is the caller's, or -1 with *err filled in: with
 * the code ENOTSUP where the system cannot sort datagrams by peer.
 */
int udp_flow_front(int listener, const struct address *local,
    const struct options *, struct net_error *err);

/*
 * A blocking socket connected to `peer` from the address of the front.
 * Returns the descriptor, which is the caller's, or -1 with *err filled in.
 */
int udp_flow_open(int listener, int front, const struct address *peer,
    const struct options *, struct net_error *err);

#endif
