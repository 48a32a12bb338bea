/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CONNECTION_H
#define ROLE_CONNECTION_H

/* What can be said of a connection when it has just been made. */

#include <stdbool.h>

struct address;
struct connection_fact;
struct options;

/*
 * Fills in a fact from a connected socket, whose peer may be gone: addresses,
 * device, what TCP_INFO says, the options that its line shows. Any thread.
 */
void connection_describe(struct connection_fact *, int fd, int id,
    const struct address *peer, bool is_server, const struct options *);

#endif
