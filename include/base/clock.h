/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/*
 * Time is int64_t nanoseconds. Durations and deadlines are on the monotonic
 * clock; wall time (ns since 1970) appears only in time stamps. Any thread.
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* How late a sleeper may notice that it shall stop. */
#define CLOCK_NAP_NS (20 * NS_PER_MS)

/* Now, on the monotonic clock. */
int64_t clock_now_ns(void);

/* Now, since 1970. */
int64_t clock_wall_ns(void);

/* Wall time as a moment of the monotonic clock, for the present. */
int64_t clock_monotonic_of(int64_t wall_ns);

/*
 * When something came that the kernel stamped with wall time, as a moment of
 * the monotonic clock. Now, if that is not between earliest_ns and now: the
 * wall clock has been set meanwhile.
 */
int64_t clock_arrival_ns(int64_t wall_ns, int64_t earliest_ns);

/* Sleeps until a moment of the monotonic clock; signals do not shorten it. */
void clock_sleep_until(int64_t deadline_ns);

/*
 * The same, but looks at `stop` every CLOCK_NAP_NS and gives up when it says
 * so. Returns true when the moment has come.
 */
bool clock_sleep_unless(int64_t deadline_ns, bool (*stop)(void *), void *arg);

/* Converts, for calls that take a struct timespec; ns >= 0. */
struct timespec clock_timespec(int64_t ns);

#endif
