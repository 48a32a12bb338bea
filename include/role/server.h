/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_SERVER_H
#define ROLE_SERVER_H

/*
 * The server: a listener thread that accepts, and one detached worker thread
 * per connection. server_open() and server_close() are for the main thread.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct options;
struct reporter;
struct server;

/*
 * Binds and listens. Returns NULL after a message when that fails. No thread
 * is started yet, so the process may still become a daemon.
 */
struct server *server_open(const struct options *);

/* The port in use (the first one). */
uint16_t server_port(const struct server *);

/* Prints the banner and starts accepting. Returns 0, or -1 with a message. */
int server_start(struct server *, struct reporter *);

/* Accepts no more connections; running tests go on. Any thread. */
void server_stop_accepting(struct server *);

/* Ends running tests too; their totals are printed. Any thread. */
void server_stop(struct server *);

/* True when nothing runs any more and nothing is accepted. Any thread. */
bool server_has_ended(struct server *);

/* Forgets all tests; after server_has_ended(), while the reporter runs. */
void server_release(struct server *);

/* Number of tests that run. Any thread. */
int server_running(struct server *);

/* Frees, after server_has_ended(). */
void server_close(struct server *);

/* Runs a server to its end. Returns 0, or -1 after a message. */
int server_run(const struct options *, FILE *out);

#endif
