/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

/*
 * TCP sockets with the options of a test set in the right order: before
 * connect() or listen() where the kernel wants them there. Any thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "net/address.h"

/* Why a socket could not be had: a sentence for the user, and errno. */
struct net_error {
	char text[256]; /* "bind failed: Address already in use [...]" */
	int code;
};

/* Fills in the text from a format and the code from errno. */
void net_error_set(struct net_error *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * An unconnected socket for one client stream to `peer`, bound to `local`
 * unless that is NULL. Returns the descriptor, which is the caller's, or -1
 * with *err filled in.
 */
int socket_client(const struct address *peer, const struct address *local,
    const struct options *, struct net_error *err);

/*
 * Connects within the time limit. `stop` is looked at every few ms and ends
 * the attempt with ECANCELED. Returns 0, or -1 with errno.
 */
int socket_connect(int fd, const struct address *peer, int64_t deadline_ns,
    bool (*stop)(void *), void *arg);

/*
 * A listening, non-blocking socket. The wildcard IPv6 address also accepts
 * IPv4, whatever the system's default is. Returns the descriptor, or -1
 * with *err filled in.
 */
int socket_listen(const struct address *, const struct options *,
    struct net_error *err);

/* Prepares a connection that a server accepted. 0, or -1 with errno. */
int socket_accepted(int fd, const struct options *);

/* Makes a connection whose peer has vanished fail in time. Likewise. */
int socket_set_keepalive(int fd);

/*
 * Ends a connection to a peer that takes nothing of what is sent, for half a
 * minute, where the system can: a client may ask for a test without end.
 */
void socket_limit_unread(int fd);

/*
 * Gives an accepted connection what the options ask of a sender: buffer,
 * pacing, unsent data, congestion control. 0, or -1 with *err.
 */
int socket_set_sender(int fd, const struct options *, struct net_error *err);

/* Bounds how long one blocking write (read) may take. 0, or -1 with errno. */
int socket_set_send_timeout(int fd, int64_t ns);
int socket_set_receive_timeout(int fd, int64_t ns);

/* The buffer that -w is about; -1 when the kernel does not say. */
int64_t socket_send_buffer(int fd);
int64_t socket_receive_buffer(int fd);

/* Sets the TOS or traffic class byte. 0, or -1 with errno. */
int socket_set_tos(int fd, int tos);

/*
 * That byte of the packet with which a peer opened an accepted connection; -1:
 * the kernel does not say. What came later may have another one.
 */
int socket_received_tos(int fd, const struct address *peer);

#endif
