/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CLIENT_STREAM_H
#define ROLE_CLIENT_STREAM_H

/* One stream of a client, and what it shares with its siblings. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "report/fact.h"
#include "role/connect.h"
#include "role/gate.h"
#include "role/trouble.h"
#include "stream/late_answer.h"
#include "stream/tcp_send.h"
#include "wire/version.h"

struct client_header;
struct client_stream;
struct flow;
struct reporter;
struct test;

/*
 * Who may touch the members:
 *      I       immutable once the streams' threads have started
 *      g       set by the stream that opens the gate, before it opens
 *      a       atomic
 *      x       locked inside
 */
struct client {
	const struct options *options; /* I */
	struct reporter *reporter;     /* x */
	struct test *test;	       /* x */
	struct route route;	       /* I */
	struct settings_fact banner;   /* I */
	unsigned char *chunk;	       /* I, payload_new() */
	struct client_stream *streams; /* I */
	int n;			       /* I, streams */
	uint16_t tag;		       /* I, in our headers; 0 none */
	struct server *back;	       /* I, -d, -r: what listens; NULL: -- */
	struct options *back_options;  /* I, its */
	struct port_range back_ports;  /* I, its; 0: none */
	struct test *back_test;	       /* x, -r: its; NULL: -- */
	atomic_bool awaits_back;       /* a, it is still to begin */
	atomic_int succeeded;	       /* a, streams */
	atomic_bool has_warned;	       /* a, of an answer that is missing */
	bool has_gate;		       /* I */
	struct gate meeting;	       /* x, with has_gate: all connected */
	struct gate gate;	       /* x */
	int64_t start_ns;	       /* g, first payload byte may leave */
	struct tcp_send_shared shared; /* a */
	atomic_bool stop;	       /* a, set once by the main thread */
	atomic_int running;	       /* a, threads */
	atomic_bool failed;	       /* a */
};

/* Belongs to its thread, except as marked for the gate's opener (g). */
struct client_stream {
	struct client *client;
	int index;
	struct connected link;
	bool has_thread;  /* main thread */
	pthread_t thread; /* main thread */
	int64_t connected_ns;
	size_t header_bytes; /* as sent; 0: not yet, or none */
	bool was_answered;   /* the server has answered the header */
	bool is_answer_due;  /* it was asked in vain; it may come late */
	struct late_answer late;
	char peer_version[VERSION_TEXT_BYTES]; /* "" unknown */
	struct flow *flow;		       /* g */
	struct flow *received; /* g, --full-duplex: the other direction */
	struct trouble trouble;
};

/* A number that tells this process's streams from others'; 0 for one. */
uint16_t client_tag(int streams);

/* States the connection and adds the stream to the test. */
void client_stream_announce(struct client_stream *);

/* The header that tells the server of a stream. */
void client_stream_header(const struct client_stream *, int64_t start_ns,
    struct client_header *);

/*
 * Sends the header unless it has been sent, or is longer than `most` bytes.
 * Returns 0, or -1 with errno.
 */
int client_stream_write_header(struct client_stream *, int64_t start_ns,
    uint64_t most);

/* Whether the test shall end; for the functions that poll it. */
bool client_is_stopped(void *client);

/*
 * Run a connected and announced stream from start_ns to its end, one for each
 * direction: what sends, what receives, and what does both on a connection.
 * Return 0, or -1 when something went wrong, after telling the reporter. The
 * socket stays open.
 */
struct client_runs {
	int (*forward)(struct client_stream *, int64_t start_ns);
	int (*reverse)(struct client_stream *, int64_t start_ns);
	int (*full_duplex)(struct client_stream *, int64_t start_ns);
};

const struct client_runs *client_tcp_runs(void);
const struct client_runs *client_udp_runs(void);

/* Whether -F can be read. Returns 0, or -1 with *err. */
int client_check_input(const struct options *, struct net_error *err);

/* Opens it for one stream. Returns the descriptor, or -1 with errno. */
int client_open_input(const char *path);

#endif
