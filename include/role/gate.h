/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_GATE_H
#define ROLE_GATE_H

/*
 * Where the streams of a client wait for each other, so that all start
 * together when all have connected (or failed to).
 */

#include <pthread.h>
#include <stdbool.h>

struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int missing;  /* guarded by the mutex */
	bool is_open; /* likewise */
	void (*opening)(void *);
	void *arg;
};

/*
 * A gate for n streams. The last one to arrive calls `opening`, alone,
 * before any of them goes on.
 */
void gate_init(struct gate *, int n, void (*opening)(void *), void *arg);
void gate_fini(struct gate *);

/* Arrives; returns when all have. Once per stream. */
void gate_pass(struct gate *);

/* Arrives on behalf of a stream that will not, without waiting. */
void gate_leave(struct gate *);

#endif
