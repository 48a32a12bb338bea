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

/* A closed pipe shall be an error, not the end. Main thread, before a run. */
void signals_init(void);

/*
 * Blocks the signals. Main thread, first of all: what comes before waits for
 * signals_wait().
 */
void signals_block(void);

/*
 * Lets them end the process again, also those that came meanwhile: for what
 * may block where nobody waits for signals. Main thread, without others.
 */
void signals_unblock(void);

/* Waits for an event until a monotonic time; INT64_MAX: for ever. */
enum signals_event signals_wait(int64_t deadline_ns);

/* Wakes signals_wait(), now or at its next call. Any thread. */
void signals_wake(void);

#endif
