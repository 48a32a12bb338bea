/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/reporter.h"
#include "report/writer.h"
#include "role/banner.h"
#include "role/client.h"
#include "role/connect.h"
#include "role/connection.h"
#include "role/job.h"
#include "role/setup.h"
#include "role/signals.h"
#include "role/threads.h"

struct connects {
	const struct options *options;
	struct reporter *reporter;
	struct route route;
	int64_t deadline_ns;
	atomic_bool stop;
	atomic_bool has_ended;
	struct connect_times_fact times; /* thread's, until has_ended */
	double squares_ns2;		 /* sum of squared deviations */
};

static bool
is_over(void *arg)
{
	struct connects *c = arg;

	return atomic_load(&c->stop) || clock_now_ns() >= c->deadline_ns;
}

/* Running mean and deviation by Welford's method (1962). */
static void
add_time(struct connects *c, int64_t ns)
{
	struct connect_times_fact *t = &c->times;
	double n = (double)(t->attempts - t->failures), delta;

	if (n == 1 || ns < t->min_ns)
		t->min_ns = ns;
	if (n == 1 || ns > t->max_ns)
		t->max_ns = ns;
	delta = (double)ns - t->mean_ns;
	t->mean_ns += delta / n;
	c->squares_ns2 += delta * ((double)ns - t->mean_ns);
	t->stddev_ns = n > 1 ? sqrt(c->squares_ns2 / (n - 1)) : 0;
}

static void
connect_once(struct connects *c, int id)
{
	struct connection_fact fact;
	struct connected link;

	if (route_connect(&c->route, 0, is_over, c, &link) == -1 &&
	    link.error.code == ECANCELED)
		return;
	c->times.attempts++;
	if (link.fd == -1) {
		c->times.failures++;
		reporter_fail(c->reporter, "%s", link.error.text);
		return;
	}
	add_time(c, link.connect_ns);
	connection_describe(&fact, link.fd, id, &link.peer, false, c->options);
	fact.connect_ns = link.connect_ns;
	reporter_connection(c->reporter, &fact);
	close(link.fd);
}

static void *
connects_main(void *arg)
{
	struct connects *c = arg;
	const struct options *o = c->options;
	int64_t start_ns = clock_now_ns(), rounds, i;
	int64_t count = (int64_t)o->connect_only * o->parallel;

	for (i = 0; (count == 0 || i < count) && !is_over(c); i++) {
		rounds = i / o->parallel;
		if (clock_sleep_unless(start_ns + rounds * o->interval_ns,
			is_over, c))
			connect_once(c, (int)(i % INT_MAX) + 1);
	}
	reporter_connect_times(c->reporter, &c->times);
	atomic_store(&c->has_ended, true);
	signals_wake();
	return NULL;
}

static bool
has_ended(void *arg)
{
	struct connects *c = arg;

	return atomic_load(&c->has_ended);
}

static bool
has_failed(void *arg)
{
	struct connects *c = arg;

	return c->times.failures > 0;
}

/* No test, no reference. */
static void
release(void *arg)
{
	(void)arg;
}

static void
stop(void *arg)
{
	struct connects *c = arg;

	atomic_store(&c->stop, true);
}

/* Starts the thread and waits for it. 0, or -1 after a message. */
static int
run(struct connects *c)
{
	struct job job = {
	    .arg = c,
	    .has_ended = has_ended,
	    .stop = stop,
	    .release = release,
	    .has_failed = has_failed,
	    .expire_ns = INT64_MAX,
	};
	pthread_t thread;
	int rc;

	rc = threads_start(&thread, connects_main, c);
	if (rc != 0) {
		reporter_fail(c->reporter, "cannot start a thread: %s",
		    strerror(rc));
		c->times.failures++;
		atomic_store(&c->has_ended, true);
		job_run(&job, c->reporter);
		return -1;
	}
	rc = job_run(&job, c->reporter);
	pthread_join(thread, NULL);
	return rc;
}

struct preparation {
	struct connects *connects;
	struct settings_fact *banner;
	struct net_error *err;
};

static int
prepare(void *arg)
{
	struct preparation *p = arg;
	struct connects *c = p->connects;
	int fd;

	if (route_init(&c->route, c->options, p->err) == -1 ||
	    (fd = route_probe(&c->route, p->err)) == -1)
		return -1;
	banner_client(p->banner, c->options, fd);
	close(fd);
	return 0;
}

int
connect_only_run(const struct options *o, FILE *out)
{
	struct connects c = {.options = o};
	struct settings_fact banner;
	struct net_error err;
	struct preparation preparation = {&c, &banner, &err};
	int rc = -1;

	c.deadline_ns =
	    o->duration_ns > 0 ? clock_now_ns() + o->duration_ns : INT64_MAX;
	if (setup_run(o, out, prepare, &preparation, &err) == -1) {
		report_failed_run(o, out, err.text);
		goto out;
	}
	c.reporter = reporter_start(o, writer_for(o), out, signals_wake);
	if (c.reporter == NULL) {
		net_error_set(&err, "cannot start the reporter: %s",
		    strerror(errno));
		report_failed_run(o, out, err.text);
		goto out;
	}
	reporter_settings(c.reporter, &banner);
	rc = run(&c);
	if (c.times.failures > 0)
		rc = -1;
out:
	route_fini(&c.route);
	return rc;
}
