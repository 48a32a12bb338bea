/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "measure/slot.h"
#include "recorder.h"
#include "report/reporter.h"
#include "report/test.h"
#include "run_suite.h"

/* The reporter's thread, with a writer that records. */

#define POLL_NS NS_PER_MS
#define WORKERS 4
#define UPDATES 50000

static struct options options;
static struct reporter *reporter;
static FILE *null;
static atomic_int wakes;
static char warning[256];

static void
count_wake(void)
{
	atomic_fetch_add(&wakes, 1);
}

/* Called by the reporter thread; read when that has ended. */
static void
keep_warning(const char *line)
{
	strlcpy(warning, line, sizeof(warning));
}

static void
start(const char *path, int64_t interval_ns)
{
	options = (struct options){.interval_ns = interval_ns};
	log_set_sink(keep_warning);
	null = fopen(path, "w");
	ck_assert_ptr_nonnull(null);
	reporter = reporter_start(&options, recorder_new(), null, count_wake);
	ck_assert_ptr_nonnull(reporter);
}

/* Ends the reporter, in so far as it ends by itself. */
static void
stop(void)
{
	reporter_stop(reporter);
	while (!reporter_has_ended(reporter))
		clock_sleep_until(clock_now_ns() + POLL_NS);
	reporter_free(reporter);
	log_set_sink(NULL);
	ck_assert_int_ge(atomic_load(&wakes), 1);
	ck_assert_int_eq(recorder_get(recorder_count() - 1)->kind, RECORD_END);
}

static struct test *
open_test(int streams)
{
	struct test_plan plan = {.streams = streams, .duration_ns = -1};

	return test_open(reporter, &plan);
}

static struct flow *
open_flow(struct test *t, int id)
{
	struct connection_fact c = {.id = id};

	return flow_open(t, &c, ROW_TCP_SEND, -1);
}

static void
send_bytes(struct flow *f, uint64_t bytes)
{
	struct slot *slot = flow_slot(f);
	struct tally *t = slot_take(slot);

	t->bytes += bytes;
	t->calls++;
	slot_give(slot, t);
}

/* A whole stream that sends so many bytes at once. */
static void
run_flow(struct test *t, int id, uint64_t bytes)
{
	struct flow *f = open_flow(t, id);

	ck_assert_ptr_nonnull(f);
	flow_start(f, clock_now_ns());
	send_bytes(f, bytes);
	flow_end(f, clock_now_ns());
}

static void
wait_for_end(struct test *t)
{
	while (!test_has_ended(t))
		clock_sleep_until(clock_now_ns() + POLL_NS);
}

START_TEST(test_reporter_stop_idle)
{
	start("/dev/null", 0);
	stop();
	ck_assert_uint_eq(recorder_count(), 1);
}
END_TEST

/* Facts come out in the order in which they were stated. */
START_TEST(test_reporter_facts_order)
{
	struct settings_fact settings = {.streams = 1};
	struct connection_fact connection = {.id = 7};
	struct connect_times_fact times = {.attempts = 1};

	start("/dev/null", 0);
	reporter_settings(reporter, &settings);
	reporter_connection(reporter, &connection);
	reporter_connect_times(reporter, &times);
	reporter_warn(reporter, "[%3d] %s", 7, "trouble");
	stop();
	ck_assert_uint_eq(recorder_count(), 4);
	ck_assert_int_eq(recorder_get(0)->kind, RECORD_SETTINGS);
	ck_assert_int_eq(recorder_get(1)->kind, RECORD_CONNECTED);
	ck_assert_int_eq(recorder_get(1)->id, 7);
	ck_assert_int_eq(recorder_get(2)->kind, RECORD_CONNECT_TIMES);
	ck_assert_str_eq(warning, "iperf: [  7] trouble");
}
END_TEST

START_TEST(test_reporter_error_told)
{
	struct connect_times_fact times = {.attempts = 1};

	start("/dev/full", 0);
	ck_assert_int_eq(reporter_error(reporter), 0);
	reporter_connect_times(reporter, &times);
	while (reporter_error(reporter) == 0)
		clock_sleep_until(clock_now_ns() + POLL_NS);
	ck_assert_int_eq(reporter_error(reporter), ENOSPC);
	stop();
	ck_assert_int_ge(atomic_load(&wakes), 2);
}
END_TEST

START_TEST(test_test_open_totals)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(3);
	run_flow(t, 3, 300);
	run_flow(t, 1, 100);
	ck_assert(!test_has_ended(t));
	run_flow(t, 2, 200);
	wait_for_end(t);
	ck_assert_ptr_null(open_flow(t, 4));
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_CONNECTED), 3);
	ck_assert_uint_eq(recorder_records(RECORD_TEST_BEGINS), 1);
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 4);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 1, 0)->tally->bytes, 100);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 600);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, -1, 0)->streams, 3);
	recorder_check_sums();
}
END_TEST

START_TEST(test_test_complete_without_flows)
{
	struct test *t;

	start("/dev/null", NS_PER_MS);
	t = open_test(2);
	test_complete(t);
	wait_for_end(t);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_count(), 1);
}
END_TEST

/* Those who are missing do not come any more. */
START_TEST(test_test_complete_short_of_flows)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(5);
	run_flow(t, 1, 10);
	test_complete(t);
	ck_assert_ptr_null(open_flow(t, 2));
	wait_for_end(t);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
}
END_TEST

/* The owner says when it is over, however many streams there were. */
START_TEST(test_test_complete_by_plan)
{
	struct test_plan plan = {.until_complete = true, .duration_ns = -1};
	struct test *t;

	start("/dev/null", 0);
	t = test_open(reporter, &plan);
	run_flow(t, 1, 10);
	clock_sleep_until(clock_now_ns() + 20 * NS_PER_MS);
	ck_assert(!test_has_ended(t));
	run_flow(t, 2, 20);
	test_complete(t);
	wait_for_end(t);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 30);
}
END_TEST

/* A stream that comes after the other has ended is still in time. */
START_TEST(test_flow_open_late)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(2);
	run_flow(t, 1, 10);
	clock_sleep_until(clock_now_ns() + 20 * NS_PER_MS);
	run_flow(t, 2, 20);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 30);
}
END_TEST

/* But nobody waits for ever: half a second, or more on a busy machine. */
START_TEST(test_flow_open_second)
{
	struct connection_fact c = {.id = 1, .full_duplex = true};
	struct flow *first, *second;
	struct test *t;

	start("/dev/null", 0);
	t = open_test(1);
	first = flow_open(t, &c, ROW_TCP_SEND, -1);
	second = flow_open_second(first, ROW_TCP_RECV);
	ck_assert_ptr_nonnull(second);
	flow_start(second, clock_now_ns());
	send_bytes(second, 70);
	flow_end(second, clock_now_ns());
	/* The one announced stream is two flows; both are waited for. */
	clock_sleep_until(clock_now_ns() + 20 * POLL_NS);
	ck_assert(!test_has_ended(t));
	flow_start(first, clock_now_ns());
	send_bytes(first, 5);
	flow_end(first, clock_now_ns());
	wait_for_end(t);
	ck_assert_ptr_null(open_flow(t, 2));
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_CONNECTED), 1);
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 3);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 1, 0)->tally->bytes, 70);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 1, 1)->tally->bytes, 5);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 1, 2)->tally->bytes, 75);
}
END_TEST

START_TEST(test_flow_open_too_late)
{
	int64_t before_ns = clock_now_ns();
	struct test *t;

	start("/dev/null", 0);
	t = open_test(2);
	run_flow(t, 1, 10);
	wait_for_end(t);
	ck_assert_int_ge(clock_now_ns() - before_ns, 400 * NS_PER_MS);
	ck_assert_ptr_null(open_flow(t, 2));
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
}
END_TEST

/* One that is on its way is waited for, however long that takes. */
START_TEST(test_test_hold_late)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(3);
	test_hold(t, true);
	run_flow(t, 1, 10);
	clock_sleep_until(clock_now_ns() + TEST_GRACE_NS + 200 * NS_PER_MS);
	ck_assert(!test_has_ended(t));
	run_flow(t, 2, 20);
	test_hold(t, false);
	wait_for_end(t);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 30);
}
END_TEST

/* Interrupted meanwhile. */
START_TEST(test_test_hold_complete)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(2);
	test_hold(t, true);
	run_flow(t, 1, 10);
	test_complete(t);
	wait_for_end(t);
	ck_assert_ptr_null(open_flow(t, 2));
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
}
END_TEST

/* Those that are given up are not: there is no time of grace. */
START_TEST(test_test_give_up_stream)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(3);
	test_hold(t, true);
	run_flow(t, 1, 10);
	run_flow(t, 2, 20);
	test_give_up_stream(t);
	ck_assert(!test_has_ended(t));
	test_hold(t, false);
	wait_for_end(t);
	ck_assert_int_eq(t->grace_until_ns, INT64_MAX);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 30);
}
END_TEST

/* The number of streams is not known: the test ends with those there are. */
START_TEST(test_flow_open_unknown_number)
{
	struct test *t;

	start("/dev/null", 0);
	t = open_test(0);
	run_flow(t, 1, 10);
	wait_for_end(t);
	test_release(t);
	stop();
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
}
END_TEST

/* Two clients at once: each sum is over its own streams. */
START_TEST(test_test_open_two_at_once)
{
	struct test *a, *b;
	const struct row_fact *row;

	start("/dev/null", 0);
	a = open_test(2);
	b = open_test(2);
	run_flow(a, 1, 1);
	run_flow(b, 2, 10);
	run_flow(b, 3, 20);
	wait_for_end(b);
	run_flow(a, 4, 2);
	test_release(a);
	test_release(b);
	stop();
	row = recorder_row(RECORD_TOTAL, -1, 0);
	ck_assert_uint_eq(row->tally->bytes, 30);
	row = recorder_row(RECORD_TOTAL, -1, 1);
	ck_assert_uint_eq(row->tally->bytes, 3);
}
END_TEST

struct worker {
	struct flow *flow;
	pthread_t thread;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	int i;

	flow_start(w->flow, clock_now_ns());
	for (i = 0; i < UPDATES; i++)
		send_bytes(w->flow, 1000);
	/* So that there are some intervals, however fast that was. */
	clock_sleep_until(clock_now_ns() + 12 * NS_PER_MS);
	send_bytes(w->flow, 1);
	flow_end(w->flow, clock_now_ns());
	return NULL;
}

/* Workers count and end while the reporter collects every 2 ms. */
START_TEST(test_reporter_concurrent_workers)
{
	struct worker workers[WORKERS];
	const uint64_t bytes = (uint64_t)UPDATES * 1000 + 1;
	struct test *t;
	int i;

	start("/dev/null", 2 * NS_PER_MS);
	t = open_test(WORKERS);
	for (i = 0; i < WORKERS; i++) {
		workers[i].flow = open_flow(t, i + 1);
		ck_assert_ptr_nonnull(workers[i].flow);
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work,
				     &workers[i]),
		    0);
	}
	for (i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	test_release(t);
	stop();
	for (i = 0; i < WORKERS; i++)
		ck_assert_uint_eq(recorder_row(RECORD_TOTAL, i + 1, 0)
				      ->tally->bytes,
		    bytes);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes,
	    WORKERS * bytes);
	ck_assert_uint_ge(recorder_rows(RECORD_INTERVAL, -1), 2);
	recorder_check_sums();
}
END_TEST

static Suite *
reporter_suite(void)
{
	Suite *s = suite_create("reporter");
	TCase *tc;

	tc = tcase_create("facts");
	tcase_add_test(tc, test_reporter_stop_idle);
	tcase_add_test(tc, test_reporter_facts_order);
	tcase_add_test(tc, test_reporter_error_told);
	suite_add_tcase(s, tc);

	tc = tcase_create("tests");
	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_test_open_totals);
	tcase_add_test(tc, test_test_open_two_at_once);
	tcase_add_test(tc, test_test_complete_without_flows);
	tcase_add_test(tc, test_test_complete_short_of_flows);
	tcase_add_test(tc, test_test_complete_by_plan);
	tcase_add_test(tc, test_flow_open_late);
	tcase_add_test(tc, test_flow_open_second);
	tcase_add_test(tc, test_flow_open_too_late);
	tcase_add_test(tc, test_flow_open_unknown_number);
	tcase_add_test(tc, test_test_hold_late);
	tcase_add_test(tc, test_test_hold_complete);
	tcase_add_test(tc, test_test_give_up_stream);
	suite_add_tcase(s, tc);

	tc = tcase_create("threads");
	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_reporter_concurrent_workers);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(reporter_suite());
}
