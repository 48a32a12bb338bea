/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <unistd.h>

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

static _Noreturn void
abandon(struct reporter *reporter)
{
	reporter_abandon(reporter);
	_exit(1);
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
			reporter_stop(reporter);
			reporting = false;
			continue;
		}
		switch (signals_wait(job->expire_ns)) {
		case SIGNALS_STOP:
			if (interrupted)
				abandon(reporter);
			interrupted = true;
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
		abandon(reporter);
	if (error == 0 && (error = reporter_error(reporter)) != 0)
		log_warn("cannot write results: %s", strerror(error));
	reporter_free(reporter);
	return error == 0 ? 0 : -1;
}
