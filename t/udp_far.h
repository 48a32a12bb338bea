/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UDP_FAR_H
#define UDP_FAR_H

/* The far end of a UDP stream, for tests of the sender. */

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define UDP_FAR_IDS 4096

/* What it does about finals. */
enum udp_far_answer {
	UDP_FAR_NOTHING,
	UDP_FAR_REPORT,
	UDP_FAR_SECOND, /* to the second final only */
	UDP_FAR_ECHO,
	UDP_FAR_AFTER_OTHERS, /* garbage and an acknowledgement come first */
};

/*
 * The far end: notes what comes until a quiet moment after the final. It is
 * read by the test after udp_far_join().
 */
struct udp_far {
	int fd;
	enum udp_far_answer answer;
	pthread_t thread;
	atomic_bool stop;
	unsigned n; /* datagrams, copies of the final included */
	int64_t id[UDP_FAR_IDS];
	size_t size[UDP_FAR_IDS];
	uint64_t bytes;	 /* without copies of the final */
	unsigned finals; /* all of them */
};

/* Runs with fd set, and all else 0, until udp_far_join(). */
void udp_far_start(struct udp_far *, enum udp_far_answer);
void udp_far_join(struct udp_far *);

#endif
