/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CLIENT_BACK_H
#define ROLE_CLIENT_BACK_H

/*
 * The other half of a client with -d or -r: a server within it that takes the
 * connections back, and nothing else. Without -d and -r there is none, and
 * all these do nothing.
 */

#include <stdbool.h>

struct client;
struct net_error;

/*
 * Binds the port of -L, or any if the default one is in use. Before the
 * streams connect. Returns 0, or -1 with *err. Main thread.
 */
int client_back_open(struct client *, struct net_error *err);

/* Opens the test of the connections back. Main thread. */
void client_back_prepare(struct client *);

/*
 * Called when all streams have connected, `streams` of them well: with -d
 * their connections back are awaited from now on.
 */
void client_back_connected(struct client *, int streams);

/* Called when all streams have ended, `streams` well: likewise with -r. */
void client_back_sent(struct client *, int streams);

/* Ends what runs. Any thread. */
void client_back_stop(struct client *);

/* True when nothing is awaited, and nothing runs any more. Any thread. */
bool client_back_has_ended(struct client *);

/* Forgets the test, while the reporter runs. Main thread. */
void client_back_release(struct client *);

/* Frees. Main thread. */
void client_back_close(struct client *);

#endif
