/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_TCP_SEND_H
#define STREAM_TCP_SEND_H

/*
 * The sending half of a TCP stream: from the first payload byte to the end
 * of the connection. One struct per stream, used by its worker only, but for
 * the members marked otherwise.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pace/backlog.h"

struct options;
struct slot;

/* No call blocks for longer, so that deadlines and the stop flag hold. */
#define TCP_SEND_CALL_NS INT64_C(20000000)

/* What all sending streams of a test share. */
struct tcp_send_shared {
	int streams;		     /* of the test; immutable */
	_Atomic int64_t progress_ns; /* when an ending stream last moved */
};

struct tcp_send {
	int fd; /* connected, blocking; the owner's */
	struct slot *slot;
	const atomic_bool *stop; /* the owner sets it once */
	atomic_bool cancelled;	 /* the same for this stream only */
	struct tcp_send_shared *shared;
	unsigned char *chunk; /* payload_new(), shared, read-only */
	int input_fd;	      /* -F; -1 send the pattern */
	size_t block_bytes;   /* one write */
	bool adaptive;	      /* one write may grow beyond a block */
	int64_t rate_bps;     /* 0 no limit */
	int64_t rate_stddev_bps;
	int64_t start_ns;
	int64_t deadline_ns;	  /* INT64_MAX: none */
	uint64_t remaining_bytes; /* UINT64_MAX: no limit */
	bool bounds_backlog;	  /* see pace/backlog.h */
	struct backlog backlog;
	/* Of the other direction of the connection: */
	bool is_read;	 /* somebody else reads it */
	bool heeds_peer; /* nothing is to come: its end ends the test.
			    Needs looked_ns and peer_left zeroed */
	/* The worker's own: */
	int64_t accepted_ns; /* when the socket took data last */
	int64_t looked_ns;   /* when the peer's end was looked for */
	bool peer_left;	     /* out: the peer ended first */
	bool was_answered;   /* out: the peer sent something. Needs to be
				zeroed */
	bool input_failed;   /* out: not the connection, but input_fd */
};

/*
 * Prepares a stream from the options: block size, rate, limits. fd, slot,
 * stop, shared, chunk, the times and the other direction are the caller's to
 * set.
 */
void tcp_send_configure(struct tcp_send *, const struct options *);

/*
 * Whether nothing more is to be sent: for those that wait for the start. Takes
 * a struct tcp_send.
 */
bool tcp_send_is_over(void *send);

/*
 * Sends until time, amount, input or the stop flag ends it. Returns 0, or -1
 * with errno when the connection (or the input) failed.
 */
int tcp_send_run(struct tcp_send *);

/* How the end of a connection went. */
enum tcp_finish {
	TCP_FINISH_CLOSED,  /* the peer has read everything and closed */
	TCP_FINISH_OPEN,    /* all acknowledged, but the peer did not close */
	TCP_FINISH_STALLED, /* data was left unacknowledged */
	TCP_FINISH_FAILED,  /* errno says why */
};

/*
 * Shuts down the sending side, reads and drops what the peer still sends
 * (the header acknowledgement) and waits for its close, for as long as
 * something moves. Where the other direction has a reader or has ended, it
 * waits for the acknowledgement of all data instead. Stores the moment of the
 * last progress and the bytes left unacknowledged.
 */
enum tcp_finish tcp_send_finish(struct tcp_send *, int64_t *end_ns,
    uint64_t *unacknowledged_bytes);

#endif
