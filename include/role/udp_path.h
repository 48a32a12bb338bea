/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_UDP_PATH_H
#define ROLE_UDP_PATH_H

/*
 * The gate of what a UDP server sends: whether its client is where its
 * datagrams claim to come from. Until that is proven nobody gets more bytes
 * than came from there, unless the server trusts all (--trust-udp-sources).
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "stream/udp_send.h"

struct client_header;
struct server;
struct udp_peer;

/* What is known of a proof by silence; the sender's own. */
enum udp_path_stage {
	UDP_PATH_WAIT,	 /* for a request after a random time */
	UDP_PATH_DUE,	 /* the first datagram may leave */
	UDP_PATH_PROBE,	 /* it has left: the client should stop asking now */
	UDP_PATH_FAILED, /* it did not, or it paused before */
};

/*
 * Who may touch the members:
 *      I       immutable once the sender runs
 *      s       the sender's thread only
 *      a       atomic
 */
struct udp_path {
	struct server *server;	 /* I */
	struct udp_peer *peer;	 /* I, -R: what comes from it are requests, and
				    nobody else reads them; else NULL */
	int fd;			 /* I, what the sender sends on */
	bool reads_fd;		 /* I, nobody else does */
	size_t length;		 /* I, bytes of a datagram of the sender's */
	size_t report_bytes;	 /* I, of what came, for the report of the
				    client's own flow; 0 none */
	bool answers;		 /* I, the client knows challenges */
	uint64_t token;		 /* I */
	struct udp_gate gate;	 /* I, for the sender */
	atomic_bool is_proven;	 /* a */
	atomic_bool was_refused; /* a, nobody is at the client's port */
	atomic_bool cancelled;	 /* a, the stream shall end */
	atomic_bool is_complete; /* a, the client's own flow is over: it pays no
				    more, and only the sender reads fd */
	atomic_uint received;	 /* a, in units; see udp_path.c */
	uint64_t request_bytes;	 /* s, -R: all of the requests */
	int64_t sent_stamp_ns;	 /* s, -R: time stamp of the latest request */
	uint64_t spent_bytes;	 /* s, on challenges */
	int64_t challenge_ns;	 /* s, when the next one is due */
	int64_t complete_ns;	 /* s, when that was seen; 0 not yet */
	enum udp_path_stage stage; /* s */
	int64_t heard_ns;	   /* s, the latest request */
	int64_t looked_ns;	   /* s, when all that had come was read */
	int64_t probe_ns;	   /* s, when it is due, then when it left */
};

/*
 * Prepares a path to a client with that header; server, peer, fd, reads_fd,
 * length and report_bytes are set, all else is 0. Returns 0, or -1 with errno
 * when no random numbers are to be had.
 */
int udp_path_init(struct udp_path *, const struct client_header *);

/* Nothing holds the sender back any more. Any thread. */
bool udp_path_is_proven(const struct udp_path *);

/*
 * How much later than the client a sender begins whose datagrams, so far
 * apart, are paid for one by one by those of the client.
 */
int64_t udp_path_lead_ns(const struct udp_path *, double gap_ns);

/* How many bytes have come from the client so far. Any one thread. */
void udp_path_credit(struct udp_path *, uint64_t bytes);

/*
 * How many of so many bytes that have come are left for the report of the
 * client's own flow. Any thread.
 */
uint64_t udp_path_report_credit(const struct udp_path *, uint64_t bytes);

/* The client has sent a proof: true if it is one. Any thread. */
bool udp_path_prove(struct udp_path *, uint64_t token);

/*
 * A client answers the challenge of its server, with its token, from where its
 * data came to; `to` is NULL if the socket is connected. One that is lost is
 * asked for again. Any thread.
 */
void udp_path_answer(int fd, const struct sockaddr_storage *to, uint64_t token);

/* The client's host says that nobody is at its port. Any thread. */
void udp_path_refused(struct udp_path *);

/* -R: a request of so many bytes came. The sender's thread. */
void udp_path_request(struct udp_path *, const uint8_t *buf, size_t stored,
    size_t bytes);

enum udp_path_outcome {
	UDP_PATH_READY,	   /* data may flow, at least some */
	UDP_PATH_GONE,	   /* the client has stopped asking */
	UDP_PATH_UNPROVEN, /* it failed, or others with its address did */
	UDP_PATH_STOPPED,  /* the server ends */
};

/* -R: waits until the first datagram may leave. The sender's thread. */
enum udp_path_outcome udp_path_await(struct udp_path *);

/* -R: takes and forgets what still comes for a moment. */
void udp_path_drain(struct udp_path *);

#endif
