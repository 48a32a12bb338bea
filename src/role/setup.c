/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/setup.h"
#include "role/signals.h"
#include "role/threads.h"

struct setup {
	int (*work)(void *);
	void *arg;
	int rc; /* the thread's, until is_done */
	atomic_bool is_done;
};

static void *
setup_main(void *arg)
{
	struct setup *s = arg;

	s->rc = s->work(s->arg);
	atomic_store(&s->is_done, true);
	signals_wake();
	return NULL;
}

/* The thread may still use what is on the stacks: nothing is given back. */
static _Noreturn void
leave(const struct options *o, FILE *out)
{
	int rc;

	if (o->role != ROLE_SERVER)
		remarks_warn(o->remarks, "interrupted before the test began");
	rc = report_no_run(o, out, OUTCOME_INTERRUPTED, NULL);
	if (rc == -1)
		log_warn("cannot write results: %s", strerror(errno));
	_exit(rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

int
setup_run(const struct options *o, FILE *out, int (*work)(void *), void *arg,
    struct net_error *err)
{
	struct setup s = {.work = work, .arg = arg};
	pthread_t thread;
	int rc;

	rc = threads_start(&thread, setup_main, &s);
	if (rc != 0) {
		errno = rc;
		net_error_set(err, "cannot start a thread: %s", strerror(rc));
		return -1;
	}
	while (!atomic_load(&s.is_done)) {
		if (signals_wait(INT64_MAX) != SIGNALS_STOP)
			continue;
		/* Nobody is left to join it, should it end by itself. */
		pthread_detach(thread);
		leave(o, out);
	}
	pthread_join(thread, NULL);
	return s.rc;
}
