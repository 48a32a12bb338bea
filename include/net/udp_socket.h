/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_UDP_SOCKET_H
#define NET_UDP_SOCKET_H

/*
 * UDP sockets with the options of a test. Receive buffers are 4 MB, or what
 * the system allows of that, unless -w says otherwise. Any thread.
 */

#include <stdbool.h>

#include "net/address.h"
#include "net/socket.h"

bool udp_socket_is_multicast(const struct address *);

/*
 * A blocking socket for one client stream, connected to `peer` and bound to
 * `local` unless that is NULL. The peer may be a multicast group: the device
 * of the options, if any, is then where datagrams leave. Returns the
 * descriptor, which is the caller's, or -1 with *err filled in.
 */
int udp_socket_client(const struct address *peer, const struct address *local,
    const struct options *, struct net_error *err);

/*
 * A non-blocking socket that gets the datagrams of all peers and reports the
 * address that they were sent to. The wildcard IPv6 address also takes IPv4.
 * A multicast group is joined on the device of the options, or on the
 * system's choice, for datagrams of any host, or of the one of -H, which is
 * looked up. No other program can have the port, but for multicast. Returns
 * the descriptor, which is the caller's, or -1 with *err filled in.
 */
int udp_socket_listen(const struct address *, const struct options *,
    struct net_error *err);

/*
 * Sets what all sockets of a test have: buffers, TOS, TTL. `family` is the
 * one of the peer. Returns 0, or -1 with *err filled in.
 */
int udp_socket_set(int fd, int family, const struct options *,
    struct net_error *err);

/*
 * Has datagrams say which address they were sent to, for datagram_in.to, and
 * with which TOS, where the system can. Returns 0, or -1 with *err filled in.
 */
int udp_socket_report_local(int fd, int family, struct net_error *err);

/* The latter only. */
void udp_socket_report_tos(int fd);

#endif
