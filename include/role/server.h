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

struct address;
struct net_error;
struct options;
struct reporter;
struct server;
struct test;

/*
 * Binds and listens. Returns NULL with *err when that fails. No thread is
 * started yet, so the process may still become a daemon.
 */
struct server *server_open(const struct options *, struct net_error *err);

/* What a client awaits that listens for connections back (-d, -r). */
struct awaited {
	int flows;	    /* so many */
	struct test *test;  /* which all of them join; the caller's */
	int last_id;	    /* theirs follow this one */
	int64_t wait_ns;    /* from server_start() on, until all have come */
	bool is_open_ended; /* ... or rather from server_await_until() on */
	void *arg;	    /* of the functions, which the listener calls */
	bool (*is_from_peer)(void *arg, const struct address *);
	void (*is_over)(void *arg, int missing); /* the wait; if flows miss */
};

/* Makes a server one for these only; before server_start(). */
void server_await(struct server *, const struct awaited *);

/* How long they are awaited, a monotonic time. Any thread. */
void server_await_until(struct server *, int64_t until_ns);

/* Prints the banner. Before or after server_start(). */
void server_announce(struct server *, struct reporter *);

/* The ports in use: the first, and the last of a range. */
uint16_t server_port(const struct server *);
uint16_t server_last_port(const struct server *);

/* Starts accepting. Returns 0, or -1 with a message. */
int server_start(struct server *, struct reporter *);

/* Accepts no more connections; running tests go on. Any thread. */
void server_stop_accepting(struct server *);

/* Ends running tests too; their totals are printed. Any thread. */
void server_stop(struct server *);

/* True when nothing runs any more and nothing is accepted. Any thread. */
bool server_has_ended(struct server *);

/* Forgets all tests; after server_has_ended(), while the reporter runs. */
void server_release(struct server *);

/*
 * Number of streams that run: not those that are over, though they answer
 * further copies of a final datagram. Any thread.
 */
int server_running(struct server *);

/* Frees, after server_has_ended(). */
void server_close(struct server *);

/* Runs a server to its end. Returns 0, or -1 after a message. */
int server_run(const struct options *, FILE *out);

#endif
