/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_TCP_RECV_H
#define STREAM_TCP_RECV_H

/* The receiving half of a TCP stream. Used by its worker only. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct late_answer;
struct options;
struct slot;

struct tcp_recv {
	int fd; /* connected, blocking; the owner's */
	struct slot *slot;
	const atomic_bool *stop; /* the owner also shuts the socket down */
	size_t read_bytes;	 /* largest read */
	size_t bin_bytes;	 /* width of a bin of the size distribution */
	int64_t rate_bps;	 /* limit of reading; 0 none */
	int64_t deadline_ns;	 /* INT64_MAX: none */
	int64_t planned_end_ns;	 /* of the peer's sending, and what follows
				    is waited for; INT64_MAX: not known */
	int64_t silence_ns;	 /* after it, if nothing comes */
	int64_t overtime_ns;	 /* ... and if something does */
	bool drains;   /* at a stop or the deadline, what is under way is read;
			  `asks_end` */
	bool asks_end; /* ... after the peer was told to end */
	const atomic_bool *was_asked; /* ... or will have been by another thread
					 when this is set; NULL: none */
	int64_t drain_ns; /* ... for no longer, and while something comes */
	struct late_answer *late; /* may precede the payload; NULL none */
	bool discard;		  /* --skip-rx-copy */
	bool quickack;
	/* Out: */
	int64_t first_ns; /* when the first data came; 0 none did */
	int64_t last_ns;  /* when the last data or the end came */
	bool has_ended;	  /* the peer ended its stream */
	uint64_t bytes;	  /* all that came */
	/* The worker's own: */
	int64_t heard_ns; /* if it drains: when the last data came, or 0 */
	int64_t stopped_ns;
};

/*
 * Prepares a stream from the options. fd, slot, stop, the ends and what to do
 * at a stop are the caller's to set.
 */
void tcp_recv_configure(struct tcp_recv *, const struct options *);

/*
 * Receives until the peer ends its stream, the deadline or the stop flag, or
 * until long after the planned end.
 * Calls `started` once, just before the first data is counted. Returns 0, or
 * -1 with errno when the connection failed.
 */
int tcp_recv_run(struct tcp_recv *, void (*started)(void *, int64_t now_ns),
    void *arg);

#endif
