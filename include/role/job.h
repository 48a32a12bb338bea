/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_JOB_H
#define ROLE_JOB_H

/*
 * What the main thread does while others work: it waits for the end and for
 * signals. The first SIGINT or SIGTERM ends the work gracefully, so that
 * totals are printed; the second ends the process at once.
 */

#include <stdbool.h>
#include <stdint.h>

struct reporter;

struct job {
	void *arg;
	/* True when all threads of the job are done. */
	bool (*has_ended)(void *arg);
	/* Ends the job soon; called at most once by a signal or a failure. */
	void (*stop)(void *arg);
	/* Gives back what it holds of the reporter; once, after the end. */
	void (*release)(void *arg);
	/* Whether it failed, after the end; NULL: it never does. */
	bool (*has_failed)(void *arg);
	/* What to tell when the first signal stops it; NULL: nothing. */
	const char *interrupted;
	/* The moment comes at which `expire` is called; INT64_MAX never. */
	int64_t expire_ns;
	void (*expire)(void *arg);
};

/*
 * Runs a job to its end and the reporter after it, then frees the reporter.
 * Returns 0, or -1 when results could not be written (and says so). The job
 * and the reporter call signals_wake() when they have ended.
 */
int job_run(struct job *, struct reporter *);

#endif
