/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "report/progress.h"
#include "report/reporter.h"
#include "report/reporter_impl.h"
#include "report/test.h"
#include "report/writer.h"

/*
 * DESIGN
 *
 * One mutex guards the queue of events and the few members marked m; the
 * reporter thread holds it only to take the whole queue, to collect and to
 * look at the m members, never while it writes. Tests and flows otherwise
 * belong to the reporter thread: others hand them over by an event and do
 * not look back.
 *
 * A flow ends in two steps. The worker takes a last TCP_INFO sample, then
 * forbids further sampling (fd = -1, under the mutex) and posts the end, so
 * it may close the descriptor at once.
 */

struct event *
reporter_event(enum event_type type)
{
	struct event *e = xcalloc(1, sizeof(*e));

	e->type = type;
	return e;
}

void
reporter_post_locked(struct reporter *r, struct event *e)
{
	*r->tail = e;
	r->tail = &e->next;
	pthread_cond_signal(&r->cond);
}

void
reporter_post(struct reporter *r, struct event *e)
{
	pthread_mutex_lock(&r->mutex);
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
}

/* The first event of all that are queued. The mutex is held. */
static struct event *
take_all(struct reporter *r)
{
	struct event *all = r->head;

	r->head = NULL;
	r->tail = &r->head;
	return all;
}

/* The first failure of the output is remembered and told. */
static void
note_failure(struct reporter *r, int error)
{
	pthread_mutex_lock(&r->mutex);
	if (r->error == 0) {
		r->error = error;
		r->wake();
	}
	pthread_mutex_unlock(&r->mutex);
}

/* Pushes everything out. */
static void
flush_output(struct reporter *r)
{
	if (r->file == NULL)
		return;
	errno = 0;
	if (fflush(r->file) == EOF || ferror(r->file))
		note_failure(r, errno != 0 ? errno : EIO);
}

static void
handle_remark(struct reporter *r, const struct event *e)
{
	struct remark_fact f = {
	    .text = e->u.text,
	    .is_error = e->type == EVENT_ERROR,
	    .wall_ns = e->ns,
	};

	r->out.writer->remark(r->out.state, &f);
	flush_output(r);
	if (e->type == EVENT_LINE)
		log_line("%s", e->u.text);
	else
		log_warn("%s", e->u.text);
}

static void
handle_event(struct reporter *r, const struct event *e)
{
	const struct writer *w = r->out.writer;

	switch (e->type) {
	case EVENT_SETTINGS:
		w->settings(r->out.state, &e->u.settings);
		break;
	case EVENT_CONNECTION:
		w->connected(r->out.state, &e->u.connection);
		break;
	case EVENT_CONNECT_TIMES:
		w->connect_times(r->out.state, &e->u.connect_times);
		break;
	case EVENT_WARNING:
	case EVENT_ERROR:
	case EVENT_LINE:
		handle_remark(r, e);
		break;
	case EVENT_TEST_OPEN:
		*r->tests_tail = e->test;
		r->tests_tail = &e->test->next;
		break;
	case EVENT_FLOW_OPEN:
		if (!e->flow->is_second)
			w->connected(r->out.state, &e->flow->connection);
		test_add_flow(e->flow->test, e->flow);
		break;
	case EVENT_FLOW_START:
		test_flow_started(e->flow->test, e->flow, e->ns,
		    r->out.options->interval_ns);
		break;
	case EVENT_SERVER_REPORT:
		test_flow_reported(e->flow, &e->u.tally, e->ns);
		break;
	case EVENT_FLOW_END:
		test_flow_ended(e->flow->test, e->flow, e->ns,
		    e->has_sample ? &e->u.sample : NULL);
		break;
	case EVENT_WAKE:
		break;
	}
}

/*
 * Whether a test whose streams so far have ended is over, or may still get
 * some. The mutex is held.
 */
static bool
is_over(struct test *t, int64_t now_ns)
{
	if (t->ended < t->joined)
		return false;
	if (t->complete)
		return true;
	if (t->plan.until_complete || t->joined == 0)
		return false;
	if (t->held) {
		t->grace_until_ns = INT64_MAX;
		return false;
	}
	if (t->streams + t->given_up >= t->plan.streams ||
	    now_ns >= t->grace_until_ns)
		return true;
	if (t->grace_until_ns == INT64_MAX)
		t->grace_until_ns = now_ns + TEST_GRACE_NS;
	return false;
}

/* Closes a test that is over; nobody can join it from then on. */
static bool
close_test(struct reporter *r, struct test *t, int64_t now_ns)
{
	pthread_mutex_lock(&r->mutex);
	t->over = is_over(t, now_ns);
	pthread_mutex_unlock(&r->mutex);
	return t->over;
}

void
reporter_drop_test(struct reporter *r, struct test *t)
{
	bool last;

	pthread_mutex_lock(&r->mutex);
	last = --t->references == 0;
	pthread_mutex_unlock(&r->mutex);
	if (last)
		test_free(t);
}

static void
tick_test(struct reporter *r, struct test *t, int64_t now_ns)
{
	if (now_ns < test_deadline_ns(t))
		return;
	if (t->hold_until_ns == 0 && now_ns >= t->next_tick_ns) {
		pthread_mutex_lock(&r->mutex);
		test_collect(t, r->out.options->enhanced);
		pthread_mutex_unlock(&r->mutex);
		now_ns = clock_now_ns();
	}
	if (now_ns >= t->next_tick_ns || t->hold_until_ns != 0)
		test_tick(t, &r->out, now_ns);
}

/* Looks at all tests; returns when to look again. */
static int64_t
visit_tests(struct reporter *r)
{
	struct test **at = &r->tests, *t;
	int64_t next_ns = INT64_MAX, now_ns = clock_now_ns();

	r->out.wall_offset_ns = clock_wall_ns() - now_ns;
	while ((t = *at) != NULL) {
		if (close_test(r, t, now_ns)) {
			progress_hide(&r->progress);
			test_finish(t, &r->out);
			*at = t->next;
			reporter_drop_test(r, t);
			continue;
		}
		tick_test(r, t, now_ns);
		if (test_deadline_ns(t) < next_ns)
			next_ns = test_deadline_ns(t);
		at = &t->next;
	}
	r->tests_tail = at;
	return next_ns;
}

/*
 * Shows how far the running test is, after all output; returns when to do so
 * again. Only a client has a progress line, and runs one test after another.
 */
static int64_t
show_progress(struct reporter *r)
{
	const struct options *options = r->out.options;
	struct test *t = r->tests;
	int64_t now_ns;

	if (!r->progress.enabled)
		return INT64_MAX;
	while (t != NULL && !test_is_running(t))
		t = t->next;
	now_ns = clock_now_ns();
	if (progress_is_due(&r->progress, t, options, now_ns)) {
		pthread_mutex_lock(&r->mutex);
		test_collect(t, false);
		pthread_mutex_unlock(&r->mutex);
		progress_step(&r->progress, t, options, now_ns);
	}
	return r->progress.next_ns;
}

/* Waits for an event or the deadline. The mutex is held. */
static void
wait_for_work(struct reporter *r, int64_t deadline_ns)
{
	struct timespec ts;

	if (deadline_ns == INT64_MAX) {
		pthread_cond_wait(&r->cond, &r->mutex);
		return;
	}
	ts = clock_timespec(deadline_ns);
	pthread_cond_timedwait(&r->cond, &r->mutex, &ts);
}

static void
handle_all(struct reporter *r, struct event *all)
{
	struct event *e;

	while ((e = all) != NULL) {
		all = e->next;
		handle_event(r, e);
		free(e);
	}
}

/* No test is left, or it does not matter. The mutex is held. */
static bool
may_end(const struct reporter *r)
{
	return r->aborting || (r->stopping && r->tests == NULL);
}

/* Closes the report. */
static void
conclude(struct reporter *r, enum outcome outcome)
{
	progress_hide(&r->progress);
	if (r->out.writer->conclude(r->out.state, outcome) == -1)
		note_failure(r, errno);
	r->out.writer->end(r->out.state);
	flush_output(r);
}

static void *
reporter_main(void *arg)
{
	struct reporter *r = arg;
	struct event *all;
	int64_t next_ns = INT64_MAX, draw_ns;
	enum outcome outcome;

	pthread_mutex_lock(&r->mutex);
	for (;;) {
		while (
		    r->head == NULL && clock_now_ns() < next_ns && !may_end(r))
			wait_for_work(r, next_ns);
		if (may_end(r) && (r->aborting || r->head == NULL))
			break;
		all = take_all(r);
		pthread_mutex_unlock(&r->mutex);
		if (all != NULL)
			progress_hide(&r->progress);
		handle_all(r, all);
		next_ns = visit_tests(r);
		flush_output(r);
		draw_ns = show_progress(r);
		if (draw_ns < next_ns)
			next_ns = draw_ns;
		pthread_mutex_lock(&r->mutex);
	}
	outcome = r->aborting ? OUTCOME_ABORTED : r->outcome;
	pthread_mutex_unlock(&r->mutex);
	conclude(r, outcome);
	pthread_mutex_lock(&r->mutex);
	r->has_ended = true;
	r->wake();
	pthread_mutex_unlock(&r->mutex);
	return NULL;
}

static int
init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;
	int rc;

	rc = pthread_condattr_init(&attr);
	if (rc != 0)
		return rc;
	rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
	return rc;
}

/* What was warned of before; it has been told on stderr. */
static void
write_remarks(const struct writer *w, void *state, const struct options *o)
{
	const struct remark *remark;
	struct remark_fact f = {0};

	if (o->remarks == NULL)
		return;
	for (remark = o->remarks->first; remark != NULL;
	     remark = remark->next) {
		f.text = remark->text;
		f.wall_ns = remark->wall_ns;
		w->remark(state, &f);
	}
}

struct reporter *
reporter_start(const struct options *options, const struct writer *writer,
    FILE *out, void (*wake)(void))
{
	struct reporter *r = xcalloc(1, sizeof(*r));
	int rc;

	r->tail = &r->head;
	r->tests_tail = &r->tests;
	r->wake = wake;
	r->file = out;
	r->out.options = options;
	r->out.writer = writer;
	progress_init(&r->progress, options);
	rc = pthread_mutex_init(&r->mutex, NULL);
	if (rc != 0)
		goto no_mutex;
	rc = init_cond(&r->cond);
	if (rc != 0)
		goto no_cond;
	r->out.state = writer->begin(out, options);
	write_remarks(writer, r->out.state, options);
	rc = pthread_create(&r->thread, NULL, reporter_main, r);
	if (rc == 0)
		return r;
	writer->end(r->out.state);
	pthread_cond_destroy(&r->cond);
no_cond:
	pthread_mutex_destroy(&r->mutex);
no_mutex:
	free(r);
	errno = rc;
	return NULL;
}

void
reporter_set_outcome(struct reporter *r, enum outcome outcome)
{
	pthread_mutex_lock(&r->mutex);
	r->outcome = outcome;
	pthread_mutex_unlock(&r->mutex);
}

void
reporter_abort(struct reporter *r)
{
	pthread_mutex_lock(&r->mutex);
	r->aborting = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&r->mutex);
}

void
reporter_stop(struct reporter *r)
{
	pthread_mutex_lock(&r->mutex);
	r->stopping = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&r->mutex);
}

void
reporter_abandon(struct reporter *r)
{
	progress_wipe(r->out.options);
}

bool
reporter_has_ended(struct reporter *r)
{
	bool ended;

	pthread_mutex_lock(&r->mutex);
	ended = r->has_ended;
	pthread_mutex_unlock(&r->mutex);
	return ended;
}

int
reporter_error(struct reporter *r)
{
	int error;

	pthread_mutex_lock(&r->mutex);
	error = r->error;
	pthread_mutex_unlock(&r->mutex);
	return error;
}

void
reporter_free(struct reporter *r)
{
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->cond);
	pthread_mutex_destroy(&r->mutex);
	free(r);
}

void
reporter_settings(struct reporter *r, const struct settings_fact *fact)
{
	struct event *e = reporter_event(EVENT_SETTINGS);

	e->u.settings = *fact;
	reporter_post(r, e);
}

void
reporter_connection(struct reporter *r, const struct connection_fact *fact)
{
	struct event *e = reporter_event(EVENT_CONNECTION);

	e->u.connection = *fact;
	reporter_post(r, e);
}

void
reporter_connect_times(struct reporter *r,
    const struct connect_times_fact *fact)
{
	struct event *e = reporter_event(EVENT_CONNECT_TIMES);

	e->u.connect_times = *fact;
	reporter_post(r, e);
}

static void __attribute__((format(printf, 3, 0)))
post_text(struct reporter *r, enum event_type type, const char *fmt, va_list ap)
{
	struct event *e = reporter_event(type);

	e->ns = clock_wall_ns();
	vsnprintf(e->u.text, sizeof(e->u.text), fmt, ap);
	reporter_post(r, e);
}

void
reporter_warn(struct reporter *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	post_text(r, EVENT_WARNING, fmt, ap);
	va_end(ap);
}

void
reporter_fail(struct reporter *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	post_text(r, EVENT_ERROR, fmt, ap);
	va_end(ap);
}

void
reporter_line(struct reporter *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	post_text(r, EVENT_LINE, fmt, ap);
	va_end(ap);
}

int
report_no_run(const struct options *options, FILE *out, enum outcome outcome,
    const char *why)
{
	const struct writer *w = writer_for(options);
	struct remark_fact f = {
	    .text = why,
	    .is_error = true,
	    .wall_ns = clock_wall_ns(),
	};
	void *state = w->begin(out, options);
	int rc;

	write_remarks(w, state, options);
	if (why != NULL)
		w->remark(state, &f);
	rc = w->conclude(state, outcome);
	w->end(state);
	return fflush(out) == EOF || ferror(out) ? -1 : rc;
}

void
report_failed_run(const struct options *options, FILE *out, const char *why)
{
	/* It has failed already, and fclose() tells main() of the output. */
	report_no_run(options, out, OUTCOME_FAILED, why);
	log_warn("%s", why);
}
