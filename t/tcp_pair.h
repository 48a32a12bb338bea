/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TCP_PAIR_H
#define TCP_PAIR_H

/* Two ends of a TCP connection over the loopback interface. */

#include <pthread.h>
#include <stdint.h>

struct tcp_pair {
	int near; /* under test */
	int far;  /* of the peer */
};

/* Connects, or fails the test. SIGPIPE is ignored from then on. */
void tcp_pair_open(struct tcp_pair *);

/* Closes what is still open. */
void tcp_pair_close(struct tcp_pair *);

/* Closes the peer's end with a reset. */
void tcp_pair_reset(struct tcp_pair *);

/*
 * A peer that reads to the end of the stream, then answers with 28 bytes and
 * closes. It compares what it gets with a text that repeats; without one it
 * must be digits, in any order.
 */
struct tcp_reader {
	struct tcp_pair *pair;
	const char *text;
	uint64_t bytes; /* valid after tcp_reader_join() */
	uint64_t bad;	/* bytes that differ */
	int answered;
	pthread_t thread;
};

void tcp_reader_start(struct tcp_reader *, struct tcp_pair *, const char *text);
void tcp_reader_join(struct tcp_reader *);

#endif
