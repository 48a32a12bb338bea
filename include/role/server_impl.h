/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_SERVER_IMPL_H
#define ROLE_SERVER_IMPL_H

/* What the listener, the workers and the table of tests share. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "net/address.h"
#include "report/fact.h"
#include "role/penalty.h"
#include "role/server.h"
#include "role/trouble.h"
#include "role/udp_peer.h"
#include "stream/tcp_send.h"
#include "wire/client_header.h"

struct flow;
struct hello;
struct reporter;
struct test;

#define SERVER_PORTS_MAX 1024

#define PARTY_ID_WORDS ((CLIENT_HEADER_TRANSFER_ID_MAX + 1) / 32)

/* What streams of one client have in common. */
struct party_key {
	struct address host; /* of the client, or --sum-dstip: ours */
	bool is_solo;	     /* nothing was said: shares with nobody */
	bool has_header;
	struct client_header header; /* only what streams share is compared */
};

/*
 * The streams of one client within the server: a test that later streams
 * may join. Guarded by the server's mutex.
 */
struct party {
	struct party *next;
	struct party_key key;
	struct test *test; /* a reference */
	struct test *back; /* -r: of the streams back to the client, a
			      reference; NULL none yet */
	struct options *back_options; /* of those streams, once there is one */
	struct tcp_send_shared sending; /* a, of streams that we send */
	int expected;			/* streams; 0 unknown */
	int joined;
	int active;	/* workers in it */
	int owed;	/* -d: streams back that are to be opened */
	int owed_after; /* -r: likewise */
	int given_up;	/* .. that will not be */
	int64_t opened_ns;
	uint32_t ids[PARTY_ID_WORDS]; /* bits: numbers of its streams, of those
					 that a client can ask for */
};

/*
 * One accepted connection. Its place in the list is guarded by the server's
 * mutex, the rest is its thread's and immutable, but for the trouble.
 */
struct worker {
	struct worker *next;
	struct server *server;
	int fd;
	struct address peer;
	int id;
	bool drains; /* the server's mutex: at a stop it reads on for a while,
			as its client ends then, too */
	struct trouble trouble;
};

/*
 * Who may touch the members:
 *      I       immutable after server_start()
 *      m       guarded by the mutex
 *      l       the listener thread only
 *      a       atomic
 */
struct server {
	const struct options *options;	/* I */
	struct reporter *reporter;	/* I */
	int fds[SERVER_PORTS_MAX];	/* l, listening */
	int n_fds;			/* l, I until server_start() */
	int wake[2];			/* I, a pipe: ends accepting */
	bool is_deaf;			/* I, there is no listener */
	struct address local;		/* I, of the first port */
	uint16_t port;			/* I, first one */
	uint16_t last_port;		/* I */
	struct awaited awaited;		/* I, of a client; else .test is NULL */
	_Atomic int64_t await_until_ns; /* a, INT64_MAX none */
	atomic_bool awaits_ours;	/* a, the awaited server is one of ours:
					   it has sent a challenge */
	struct party visitors;		/* m, .. all flows are in it */
	atomic_int accepted;		/* a, changed by the listener, or under
					   the mutex with UDP */
	atomic_uint flows;		/* a, that had a number */
	pthread_mutex_t mutex;
	pthread_cond_t cond;	    /* a party has ended (-1) */
	struct worker *workers;	    /* m */
	struct udp_peers peers;	    /* has a mutex of its own */
	struct penalties penalties; /* likewise */
	int n_workers;		    /* m */
	struct party *parties;	    /* m */
	struct party *served;	    /* m, -1: the one client */
	bool accepting;		    /* m */
	atomic_bool closing;	    /* a, accepting is to end */
	atomic_bool stop;	    /* a, workers look at it */
};

/* The listener thread, for TCP and for UDP. */
void *listener_main(void *server);
void *udp_listener_main(void *server);

/* True when the server has accepted as many streams as -P says. */
bool server_is_full(const struct server *);

/* Counts one more flow towards -P; by who may change `accepted`. */
void server_count_accepted(struct server *);

/* A number for one more flow, 1 or more. */
int server_next_id(struct server *);

/* True when the server takes no more streams, or has been told so. */
bool server_is_closing(const struct server *);

/* The id of one more UDP flow; 0 when there are as many as -P says. */
int server_admit(struct server *);

/* Whether an address is one that the server itself listens at. */
bool server_listens_at(const struct server *, const struct address *);

/* Whether a peer is served at all; a client awaits but its server. */
bool server_admits(const struct server *, const struct address *peer);

/* How long to wait for something to accept, ms; -1 for ever. */
int server_accept_wait_ms(const struct server *);

/* The listener has done: closes its sockets. */
void server_end_accepting(struct server *);

/* Count the threads that the end of the server waits for. */
void server_worker_began(struct server *);
void server_worker_ended(struct server *);

/* Serves a connection: a new thread, or an errno value. */
int worker_start(struct server *, int fd, const struct address *peer, int id);

/* Serves a flow, and removes the peer at its end; likewise. */
int udp_worker_start(struct server *, struct udp_peer *);

/*
 * Finds or opens the test to which a connection belongs and adds its stream
 * to it. With -1 it first waits until no other client is served. Returns the
 * party, and the flow; NULL when the server is being stopped. The number of
 * the fact becomes the client's own (--sync-transfer-id), or another one, where
 * a stream whose rows are not all out has it.
 */
struct party *party_join(struct server *, const struct hello *,
    struct connection_fact *, enum row_kind, int fd, struct flow **flow);

/*
 * A stream that has joined will be followed by one back to the client: their
 * test does not end before that joins, or is given up.
 */
void party_promise_back(struct server *, struct party *, enum direction);
void party_give_up_back(struct server *, struct party *, enum direction);

/*
 * Adds a promised stream that the server opens back to a client whose stream
 * is in the party: to its test, or with -r to one that follows. Returns NULL
 * when nobody may join that any more. The number is treated likewise.
 */
struct flow *party_join_back(struct server *, struct party *,
    struct connection_fact *, enum row_kind, int fd, enum direction direction);

/*
 * Whether this is the first stream back; if so, the party keeps the options,
 * which must be on the heap.
 */
bool party_keep_options(struct server *, struct party *, struct options *);

/* The stream has ended. */
void party_leave(struct server *, struct party *);

/* Forgets all parties; no stream will come. The mutex is held. */
void parties_close(struct server *);

/* Forgets the parties whose tests have ended. The mutex is held. */
void parties_prune(struct server *);

#endif
