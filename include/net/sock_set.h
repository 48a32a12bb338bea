/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_SOCK_SET_H
#define NET_SOCK_SET_H

/*
 * What sockets of all protocols set alike. Functions with an error argument
 * return 0, or -1 with *err filled in; they do nothing for an option that was
 * not given. Any thread.
 */

#include <stdint.h>

#include "net/address.h"
#include "net/socket.h"

/* Sets an option with an int value. 0, or -1 with errno. */
int sock_set_int(int fd, int level, int name, int64_t value);

/* -w; name is SO_SNDBUF or SO_RCVBUF. */
int sock_set_window(int fd, int name, const struct options *,
    struct net_error *err);

/* -S, --dscp. */
int sock_set_tos(int fd, const struct options *, struct net_error *err);

/* --fq-rate. */
int sock_set_pacing(int fd, const struct options *, struct net_error *err);

/* --local-only; family is the one of the peer. */
int sock_set_local(int fd, int family, const struct options *,
    struct net_error *err);

/*
 * What to add to the text of a failed connect's error: " without a router
 * (--local-only)" where that is the reason, else "".
 */
const char *sock_local_hint(const struct options *, int error);

/* The device of an endpoint, unless it is "". */
int sock_bind_device(int fd, const char *device, struct net_error *err);

int sock_bind(int fd, const struct address *, struct net_error *err);

#endif
