/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_SIGNALS_H
#define ROLE_SIGNALS_H

/*
 * Signals are blocked in every thread; the main thread takes them here. So
 * nothing is ever interrupted and no handler runs.
 */

#include <stdint.h>

enum signals_event {
	SIGNALS_STOP, /* SIGINT or SIGTERM */
	SIGNALS_WAKE, /* signals_wake(): look at what has changed */
	SIGNALS_TIMEOUT,
};

/* A closed pipe shall be an error, not the end. Main thread, first of all. */
void signals_init(void);

/*
 * Blocks the signals. Main thread, before any other thread exists; until
 * then, as during the look-up of a name, they end the process.
 */
void signals_block(void);

/* Waits for an event until a monotonic time; INT64_MAX: for ever. */
enum signals_event signals_wait(int64_t deadline_ns);

/* Wakes signals_wait(), now or at its next call. Any thread. */
void signals_wake(void);

#endif
