/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CONNECT_H
#define ROLE_CONNECT_H

/* How a client reaches its server: which addresses, how often it tries. */

#include <stdbool.h>
#include <stdint.h>

#include "net/address.h"
#include "net/socket.h"

struct route {
	const struct options *options;
	struct addresses peers; /* all that the host name stands for */
	struct addresses local; /* -B; empty: the system's choice */
};

/*
 * Resolves the names. Returns 0, or -1 with *err filled in. May block in the
 * resolver. Free with route_fini(), also after an error.
 */
int route_init(struct route *, const struct options *, struct net_error *err);
void route_fini(struct route *);

/*
 * A socket as stream 0 would use it, bound but with TCP not connected: for
 * the banner, and so that what cannot be bound (-B) is said before it. The
 * caller closes it. -1 with *err filled in.
 */
int route_probe(const struct route *, struct net_error *err);

/* How a stream got on. */
struct connected {
	int fd;			/* the caller's; -1 it failed */
	struct address peer;	/* where it went */
	int64_t connect_ns;	/* how long the handshake took */
	struct net_error error; /* if it failed */
};

/*
 * Connects stream `index`: tries all addresses, and again as the retry
 * options say. `stop` is polled and gives up. Fills in *c; returns c->fd.
 */
int route_connect(const struct route *, int index, bool (*stop)(void *),
    void *arg, struct connected *c);

#endif
