/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>

#include "base/clock.h"

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	/* Fails only for a clock that does not exist; POSIX has both. */
	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t
clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t
clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t
clock_monotonic_of(int64_t wall_ns)
{
	return wall_ns - clock_wall_ns() + clock_now_ns();
}

int64_t
clock_arrival_ns(int64_t wall_ns, int64_t earliest_ns)
{
	int64_t wall_now_ns = clock_wall_ns(), now_ns = clock_now_ns();
	int64_t age_ns = wall_now_ns - wall_ns;

	return age_ns >= 0 && age_ns <= now_ns - earliest_ns ? now_ns - age_ns
							     : now_ns;
}

void
clock_sleep_until(int64_t deadline_ns)
{
	struct timespec ts = clock_timespec(deadline_ns);

	while (
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		continue;
}

bool
clock_sleep_unless(int64_t deadline_ns, bool (*stop)(void *), void *arg)
{
	int64_t now_ns;

	while ((now_ns = clock_now_ns()) < deadline_ns) {
		if (stop(arg))
			return false;
		clock_sleep_until(deadline_ns - now_ns > CLOCK_NAP_NS
				      ? now_ns + CLOCK_NAP_NS
				      : deadline_ns);
	}
	return !stop(arg);
}

struct timespec
clock_timespec(int64_t ns)
{
	struct timespec ts;

	ts.tv_sec = (time_t)(ns / NS_PER_S);
	ts.tv_nsec = (long)(ns % NS_PER_S);
	return ts;
}
