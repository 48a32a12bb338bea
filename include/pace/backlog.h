/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PACE_BACKLOG_H
#define PACE_BACKLOG_H

/*
 * How much may wait unsent in a socket? A send buffer of megabytes holds
 * seconds of a slow path: its filling would be taken for throughput, and the
 * end of the test would wait for it to drain. So a stream bounds what the
 * kernel has not sent yet to about BACKLOG_NS of the rate at which the path
 * takes data. What is under way in the network is not touched. Pure; one
 * belongs to one stream.
 */

#include <stddef.h>
#include <stdint.h>

#define BACKLOG_NS INT64_C(100000000)
#define BACKLOG_MIN_BYTES INT64_C(16384)
#define BACKLOG_START_BYTES INT64_C(131072)
#define BACKLOG_MAX_BYTES INT64_C(1073741824)

struct backlog {
	int64_t limit_bytes; /* in force */
	int64_t since_ns;    /* the rate is measured from here */
	int64_t bytes;	     /* accepted by the socket since then */
};

/* Starts with BACKLOG_START_BYTES, for the caller to set. */
void backlog_init(struct backlog *, int64_t now_ns);

/*
 * Notes that the socket took bytes. Returns a new limit to be set, or 0 when
 * the one in force still suits the rate.
 */
int64_t backlog_note(struct backlog *, size_t bytes, int64_t now_ns);

#endif
