/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "run_suite.h"

START_TEST(test_clock_now_ns_goes_on)
{
	int64_t last_ns = clock_now_ns(), now_ns;
	int i, backwards = 0;

	for (i = 0; i < 10000; i++) {
		now_ns = clock_now_ns();
		backwards += now_ns < last_ns;
		last_ns = now_ns;
	}
	ck_assert_int_eq(backwards, 0);
}
END_TEST

/* Nobody runs this before 2020. */
START_TEST(test_clock_wall_ns_plausible)
{
	ck_assert_int_gt(clock_wall_ns(), INT64_C(1577836800) * NS_PER_S);
}
END_TEST

/* How long ago by the wall clock, and if that is believed. */
static const struct {
	int64_t age_ns;
	bool is_believed;
} arrivals[] = {
    {0, true},
    {NS_PER_MS, true},
    {500 * NS_PER_MS, true},
    {2 * NS_PER_S, false},
    {3600 * NS_PER_S, false},
    {-NS_PER_S, false},
    {-3600 * NS_PER_S, false},
};

START_TEST(test_clock_arrival_ns_table)
{
	int64_t earliest_ns = clock_now_ns() - NS_PER_S;
	int64_t from_ns = clock_now_ns(), is_ns, to_ns, age_ns;

	is_ns = clock_arrival_ns(clock_wall_ns() - arrivals[_i].age_ns,
	    earliest_ns);
	to_ns = clock_now_ns();
	age_ns = arrivals[_i].is_believed ? arrivals[_i].age_ns : 0;
	ck_assert_int_ge(is_ns, from_ns - age_ns - NS_PER_MS);
	ck_assert_int_le(is_ns, to_ns - age_ns + NS_PER_MS);
}
END_TEST

static const struct {
	int64_t ns;
	int64_t s;
	long rest_ns;
} spans[] = {
    {0, 0, 0},
    {1, 0, 1},
    {999999999, 0, 999999999},
    {1000000000, 1, 0},
    {INT64_C(1796067631900000001), 1796067631, 900000001},
};

START_TEST(test_clock_timespec_table)
{
	struct timespec ts = clock_timespec(spans[_i].ns);

	ck_assert_int_eq(ts.tv_sec, spans[_i].s);
	ck_assert_int_eq(ts.tv_nsec, spans[_i].rest_ns);
}
END_TEST

START_TEST(test_clock_sleep_until_not_early)
{
	int64_t deadline_ns = clock_now_ns() + 5 * NS_PER_MS;

	clock_sleep_until(deadline_ns);
	ck_assert_int_ge(clock_now_ns(), deadline_ns);
}
END_TEST

/* The test would time out if it slept until the past came again. */
START_TEST(test_clock_sleep_until_past)
{
	clock_sleep_until(0);
	clock_sleep_until(clock_now_ns() - NS_PER_S);
}
END_TEST

static void
ignore(int sig)
{
	(void)sig;
}

/* Sends signals to a sleeping thread. */
static void *
disturb(void *arg)
{
	pthread_t *sleeper = arg;
	int i;

	for (i = 0; i < 10; i++) {
		pthread_kill(*sleeper, SIGUSR1);
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	}
	return NULL;
}

START_TEST(test_clock_sleep_until_signals)
{
	struct sigaction action = {.sa_handler = ignore};
	pthread_t self = pthread_self(), thread;
	int64_t deadline_ns;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, disturb, &self), 0);
	deadline_ns = clock_now_ns() + 30 * NS_PER_MS;
	clock_sleep_until(deadline_ns);
	ck_assert_int_ge(clock_now_ns(), deadline_ns);
	pthread_join(thread, NULL);
}
END_TEST

/* Says stop when it has been asked so many times. */
static bool
stop_after(void *arg)
{
	int *looks = arg;

	return (*looks)-- == 0;
}

START_TEST(test_clock_sleep_unless_stopped)
{
	int looks = 2;

	/* The test would time out if it slept to the end. */
	ck_assert(!clock_sleep_unless(clock_now_ns() + 1000 * NS_PER_S,
	    stop_after, &looks));
}
END_TEST

START_TEST(test_clock_sleep_unless_not_stopped)
{
	int64_t deadline_ns = clock_now_ns() + 30 * NS_PER_MS;
	int looks = 1000;

	ck_assert(clock_sleep_unless(deadline_ns, stop_after, &looks));
	ck_assert_int_ge(clock_now_ns(), deadline_ns);
	ck_assert_int_gt(looks, 0);
}
END_TEST

static Suite *
clock_suite(void)
{
	Suite *s = suite_create("clock");
	TCase *tc;

	tc = tcase_create("time");
	tcase_add_test(tc, test_clock_now_ns_goes_on);
	tcase_add_test(tc, test_clock_wall_ns_plausible);
	tcase_add_loop_test(tc, test_clock_arrival_ns_table, 0,
	    (int)(sizeof(arrivals) / sizeof(arrivals[0])));
	tcase_add_loop_test(tc, test_clock_timespec_table, 0,
	    (int)(sizeof(spans) / sizeof(spans[0])));
	suite_add_tcase(s, tc);

	tc = tcase_create("sleep");
	tcase_add_test(tc, test_clock_sleep_until_not_early);
	tcase_add_test(tc, test_clock_sleep_until_past);
	tcase_add_test(tc, test_clock_sleep_until_signals);
	tcase_add_test(tc, test_clock_sleep_unless_stopped);
	tcase_add_test(tc, test_clock_sleep_unless_not_stopped);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(clock_suite());
}
