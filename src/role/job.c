/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "report/reporter.h"
#include "role/job.h"
#include "role/signals.h"

static void
stop_once(struct job *job, bool *stopped)
{
	if (!*stopped)
		job->stop(job->arg);
	*stopped = true;
}

/* A second signal that came while the job was ending counts as well. */
static bool
is_interrupted_again(void)
{
	enum signals_event event;

	do
		event = signals_wait(0);
	while (event == SIGNALS_WAKE);
	return event == SIGNALS_STOP;
}

/* How long the report is given to be closed before the process ends. */
#define ABORT_MAX_NS (200 * NS_PER_MS)

/*
 * Ends the process, as soon as a report that has to be closed to be valid is:
 * at once if the output takes it, soon if not, and with the next signal.
 */
static _Noreturn void
end_at_once(struct reporter *reporter)
{
	int64_t deadline_ns = clock_now_ns() + ABORT_MAX_NS;

	reporter_abort(reporter);
	while (!reporter_has_ended(reporter) &&
	       signals_wait(deadline_ns) == SIGNALS_WAKE)
		continue;
	reporter_abandon(reporter);
	_exit(1);
}

static enum outcome
outcome_of(struct job *job, bool interrupted)
{
	if (job->has_failed != NULL && job->has_failed(job->arg))
		return OUTCOME_FAILED;
	return interrupted ? OUTCOME_INTERRUPTED : OUTCOME_COMPLETED;
}

int
job_run(struct job *job, struct reporter *reporter)
{
	bool interrupted = false, stopped = false, reporting = true;
	int error = 0;

	while (!reporter_has_ended(reporter)) {
		if (error == 0 && (error = reporter_error(reporter)) != 0) {
			log_warn("cannot write results: %s", strerror(error));
			stop_once(job, &stopped);
		}
		if (reporting && job->has_ended(job->arg)) {
			job->release(job->arg);
			reporter_set_outcome(reporter,
			    outcome_of(job, interrupted));
			reporter_stop(reporter);
			reporting = false;
			continue;
		}
		switch (signals_wait(job->expire_ns)) {
		case SIGNALS_STOP:
			if (interrupted)
				end_at_once(reporter);
			interrupted = true;
			if (job->interrupted != NULL && !stopped && reporting)
				reporter_warn(reporter, "%s", job->interrupted);
			stop_once(job, &stopped);
			break;
		case SIGNALS_TIMEOUT:
			job->expire_ns = INT64_MAX;
			job->expire(job->arg);
			break;
		case SIGNALS_WAKE:
			break;
		}
	}
	if (interrupted && is_interrupted_again())
		end_at_once(reporter);
	if (error == 0 && (error = reporter_error(reporter)) != 0)
		log_warn("cannot write results: %s", strerror(error));
	reporter_free(reporter);
	return error == 0 ? 0 : -1;
}
