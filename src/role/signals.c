/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "role/signals.h"

/* Sent by the process to itself; from outside it is harmless. */
#define WAKE_SIGNAL SIGUSR1

static sigset_t
awaited(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, WAKE_SIGNAL);
	return set;
}

void
signals_init(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGPIPE, &ignore, NULL);
}

void
signals_block(void)
{
	sigset_t set = awaited();

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void
signals_unblock(void)
{
	sigset_t set = awaited();

	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

enum signals_event
signals_wait(int64_t deadline_ns)
{
	sigset_t set = awaited();
	struct timespec ts;
	int64_t left_ns;
	int sig;

	do {
		if (deadline_ns == INT64_MAX) {
			sig = sigwaitinfo(&set, NULL);
			continue;
		}
		left_ns = deadline_ns - clock_now_ns();
		ts = clock_timespec(left_ns > 0 ? left_ns : 0);
		sig = sigtimedwait(&set, NULL, &ts);
		if (sig == -1 && left_ns <= 0)
			return SIGNALS_TIMEOUT;
	} while (sig == -1); /* interrupted, or the time is up */
	return sig == WAKE_SIGNAL ? SIGNALS_WAKE : SIGNALS_STOP;
}

void
signals_wake(void)
{
	kill(getpid(), WAKE_SIGNAL);
}
