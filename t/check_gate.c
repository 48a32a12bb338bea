/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

#include "role/gate.h"
#include "run_suite.h"

#define STREAMS 8

struct scene {
	struct gate gate;
	pthread_t threads[STREAMS];
	atomic_int passed;
	int openings;
	int passed_at_opening;
	int value; /* not atomic: the gate orders it */
	int sum;   /* of what those who passed saw, under the mutex */
	pthread_mutex_t mutex;
};

static void
opening(void *arg)
{
	struct scene *s = arg;

	s->openings++;
	s->passed_at_opening = atomic_load(&s->passed);
	s->value = 1;
}

static void *
arrive(void *arg)
{
	struct scene *s = arg;

	gate_pass(&s->gate);
	atomic_fetch_add(&s->passed, 1);
	pthread_mutex_lock(&s->mutex);
	s->sum += s->value;
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

static void
set_up(struct scene *s, int n)
{
	*s = (struct scene){.mutex = PTHREAD_MUTEX_INITIALIZER};
	gate_init(&s->gate, n, opening, s);
}

static void
start(struct scene *s, int first, int end)
{
	int i;

	for (i = first; i < end; i++)
		ck_assert_int_eq(pthread_create(&s->threads[i], NULL, arrive,
				     s),
		    0);
}

static void
join(struct scene *s, int n)
{
	int i;

	for (i = 0; i < n; i++)
		pthread_join(s->threads[i], NULL);
}

/* How many of the streams leave instead of passing. */
static const int leaving[] = {0, 1, STREAMS - 1, STREAMS};

START_TEST(test_gate_pass_together)
{
	int i, passing = STREAMS - leaving[_i];
	struct scene s;

	set_up(&s, STREAMS);
	start(&s, 0, passing);
	for (i = passing; i < STREAMS; i++)
		gate_leave(&s.gate);
	join(&s, passing);
	ck_assert_int_eq(s.openings, 1);
	ck_assert_int_eq(s.passed_at_opening, 0);
	ck_assert_int_eq(atomic_load(&s.passed), passing);
	ck_assert_int_eq(s.sum, passing);
	gate_fini(&s.gate);
}
END_TEST

/* Those who fail early do not open it for the others. */
START_TEST(test_gate_leave_first)
{
	struct scene s;

	set_up(&s, STREAMS);
	gate_leave(&s.gate);
	gate_leave(&s.gate);
	start(&s, 2, STREAMS - 1);
	ck_assert_int_eq(atomic_load(&s.passed), 0);
	arrive(&s);
	ck_assert_int_eq(s.openings, 1);
	ck_assert_int_eq(s.passed_at_opening, 0);
	for (int i = 2; i < STREAMS - 1; i++)
		pthread_join(s.threads[i], NULL);
	ck_assert_int_eq(s.sum, STREAMS - 2);
	gate_fini(&s.gate);
}
END_TEST

START_TEST(test_gate_pass_alone)
{
	struct scene s;

	set_up(&s, 1);
	gate_pass(&s.gate);
	ck_assert_int_eq(s.openings, 1);
	gate_fini(&s.gate);
}
END_TEST

static Suite *
gate_suite(void)
{
	Suite *s = suite_create("gate");
	TCase *tc;

	tc = tcase_create("gate");
	tcase_add_loop_test(tc, test_gate_pass_together, 0,
	    (int)(sizeof(leaving) / sizeof(leaving[0])));
	tcase_add_test(tc, test_gate_leave_first);
	tcase_add_test(tc, test_gate_pass_alone);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(gate_suite());
}
