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

/* Blocks the signals. Main thread, before any other thread exists. */
void signals_init(void);

/* Waits for an event until a monotonic time; INT64_MAX: for ever. */
enum signals_event signals_wait(int64_t deadline_ns);

/* Wakes signals_wait(), now or at its next call. Any thread. */
void signals_wake(void);

#endif
