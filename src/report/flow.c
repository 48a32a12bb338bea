/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "measure/tcp_info.h"
#include "report/reporter.h"
#include "report/reporter_impl.h"
#include "report/test.h"

/*
 * Tests and flows as their owners see them: all that changes is an event for
 * the reporter's thread (reporter.c).
 */

struct test *
test_open(struct reporter *r, const struct test_plan *plan)
{
	struct test *t = xcalloc(1, sizeof(*t));
	struct event *e = reporter_event(EVENT_TEST_OPEN);

	t->reporter = r;
	t->plan = *plan;
	t->references = 2; /* the reporter's and the caller's */
	t->start_ns = INT64_MAX;
	t->next_tick_ns = INT64_MAX;
	t->grace_until_ns = INT64_MAX;
	e->test = t;
	pthread_mutex_lock(&r->mutex);
	t->number = ++r->n_tests;
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
	return t;
}

void
test_release(struct test *t)
{
	reporter_drop_test(t->reporter, t);
}

void
test_hold(struct test *t, bool is_held)
{
	struct reporter *r = t->reporter;
	struct event *e = reporter_event(EVENT_WAKE);

	pthread_mutex_lock(&r->mutex);
	t->held = is_held;
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
}

void
test_give_up_stream(struct test *t)
{
	struct reporter *r = t->reporter;
	struct event *e = reporter_event(EVENT_WAKE);

	pthread_mutex_lock(&r->mutex);
	t->given_up++;
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
}

void
test_complete(struct test *t)
{
	struct reporter *r = t->reporter;
	struct event *e = reporter_event(EVENT_WAKE);

	pthread_mutex_lock(&r->mutex);
	t->complete = true;
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
}

bool
test_has_ended(struct test *t)
{
	bool over;

	pthread_mutex_lock(&t->reporter->mutex);
	over = t->over;
	pthread_mutex_unlock(&t->reporter->mutex);
	return over;
}

static struct flow *
flow_new(struct test *t, const struct connection_fact *connection,
    enum row_kind kind, int fd)
{
	struct flow *f = xaligned(alignof(struct flow), sizeof(*f));

	slot_init(&f->slot, &f->tallies[0]);
	f->spare = &f->tallies[1];
	f->test = t;
	f->connection = *connection;
	f->connection.test = t->number;
	f->kind = kind;
	f->fd = fd;
	test_prepare_flow(f, t->reporter->out.options);
	return f;
}

/* Hands a flow over to the reporter. False: the test has ended. */
static bool
join(struct test *t, struct flow *f)
{
	struct reporter *r = t->reporter;
	struct event *e = reporter_event(EVENT_FLOW_OPEN);
	bool over;

	e->flow = f;
	pthread_mutex_lock(&r->mutex);
	over = t->over || t->complete;
	if (!over) {
		t->joined++;
		t->streams += !f->is_second;
		reporter_post_locked(r, e);
	}
	pthread_mutex_unlock(&r->mutex);
	if (over)
		free(e);
	return !over;
}

struct flow *
flow_open(struct test *t, const struct connection_fact *connection,
    enum row_kind kind, int fd)
{
	struct flow *f = flow_new(t, connection, kind, fd);

	if (join(t, f))
		return f;
	test_free_flow(f);
	return NULL;
}

struct flow *
flow_open_second(struct flow *first, enum row_kind kind)
{
	struct flow *f;

	f = flow_new(first->test, &first->connection, kind, first->fd);
	f->is_second = true;
	if (join(first->test, f))
		return f;
	test_free_flow(f);
	return NULL;
}

struct slot *
flow_slot(struct flow *f)
{
	return &f->slot;
}

void
flow_start(struct flow *f, int64_t start_ns)
{
	struct event *e = reporter_event(EVENT_FLOW_START);

	e->flow = f;
	e->ns = start_ns;
	reporter_post(f->test->reporter, e);
}

void
flow_server_report(struct flow *f, const struct tally *figures,
    int64_t duration_ns)
{
	struct event *e = reporter_event(EVENT_SERVER_REPORT);

	e->flow = f;
	e->ns = duration_ns;
	e->u.tally = *figures;
	reporter_post(f->test->reporter, e);
}

void
flow_end(struct flow *f, int64_t end_ns)
{
	struct reporter *r = f->test->reporter;
	struct event *e = reporter_event(EVENT_FLOW_END);

	e->flow = f;
	e->ns = end_ns;
	e->has_sample = tcp_sample_take(&e->u.sample, f->fd) == 0;
	pthread_mutex_lock(&r->mutex);
	f->fd = -1;
	reporter_post_locked(r, e);
	pthread_mutex_unlock(&r->mutex);
}
