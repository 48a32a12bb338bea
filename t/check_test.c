/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "recorder.h"
#include "run_suite.h"
#include "test_fixture.h"

/* The folds of a test over its streams; times are in ms. */

static struct flow *
start_flow(int id, int64_t ms)
{
	return test_fixture_start(id, ROW_TCP_SEND, ms);
}

static void
send_bytes(struct flow *f, uint64_t bytes)
{
	struct tally *t = slot_take(&f->slot);

	t->bytes += bytes;
	t->calls++;
	slot_give(&f->slot, t);
}

static void
finish(void)
{
	test_finish(test, &test_out);
	recorder_check_sums();
}

/* The n-th interval or the total of a stream (-1: of the sum). */
static void
check_row(enum record_kind kind, int id, size_t n, int64_t start_ms,
    int64_t end_ms, uint64_t bytes)
{
	const struct row_fact *row = recorder_row(kind, id, n);

	ck_assert_int_eq(row->start_ns, start_ms * NS_PER_MS);
	ck_assert_int_eq(row->end_ns, end_ms * NS_PER_MS);
	ck_assert_uint_eq(row->tally->bytes, bytes);
	ck_assert_int_eq(row->total, kind == RECORD_TOTAL);
}

/* The row at the planned end takes the bytes of the last moments with it. */
START_TEST(test_test_tick_final_held)
{
	struct flow *f = start_flow(1, 0);

	send_bytes(f, 10);
	test_fixture_tick(1000);
	send_bytes(f, 20);
	test_fixture_tick(2001);
	send_bytes(f, 30);
	test_fixture_tick(3000);
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), 2);
	ck_assert_int_eq(test_deadline_ns(test), AT(3100));
	send_bytes(f, 5);
	test_fixture_end(f, 3002);
	finish();
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), 3);
	check_row(RECORD_INTERVAL, 1, 0, 0, 1000, 10);
	check_row(RECORD_INTERVAL, 1, 1, 1000, 2001, 20);
	check_row(RECORD_INTERVAL, 1, 2, 2001, 3002, 35);
	check_row(RECORD_TOTAL, 1, 0, 0, 3002, 65);
}
END_TEST

/* The end does not come: the row is as of its own time. */
START_TEST(test_test_tick_hold_expires)
{
	struct flow *f = start_flow(1, 0);

	test_fixture_tick(1000);
	test_fixture_tick(2000);
	send_bytes(f, 30);
	test_fixture_tick(3000);
	send_bytes(f, 7);
	test_fixture_tick(3100);
	check_row(RECORD_INTERVAL, 1, 2, 2000, 3000, 30);
	ck_assert_int_eq(test_deadline_ns(test), AT(4000));
	test_fixture_tick(4000);
	check_row(RECORD_INTERVAL, 1, 3, 3000, 4000, 7);
	test_fixture_end(f, 4500);
	finish();
	check_row(RECORD_TOTAL, 1, 0, 0, 4500, 37);
}
END_TEST

/* Only a tick near the planned end waits, and not without one. */
START_TEST(test_test_tick_no_plan)
{
	test->plan.duration_ns = -1;
	start_flow(1, 0);
	test_fixture_tick(1000);
	test_fixture_tick(2000);
	test_fixture_tick(3000);
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), 3);
	ck_assert_int_eq(test_deadline_ns(test), AT(4000));
}
END_TEST

/* How long the last, partial interval is, and what is in it. */
static const struct {
	int64_t end_ms;
	uint64_t bytes;
	size_t rows;
} partials[] = {
    {2500, 50, 3},
    {2001, 1, 3}, /* however short: no byte is left out */
    {2500, 0, 2},
    {2000, 0, 2},
};

START_TEST(test_test_finish_partial_interval)
{
	struct flow *f = start_flow(1, 0);

	send_bytes(f, 10);
	test_fixture_tick(1000);
	send_bytes(f, 20);
	test_fixture_tick(2000);
	if (partials[_i].bytes > 0)
		send_bytes(f, partials[_i].bytes);
	test_fixture_end(f, partials[_i].end_ms);
	finish();
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), partials[_i].rows);
	if (partials[_i].bytes > 0)
		check_row(RECORD_INTERVAL, 1, 2, 2000, partials[_i].end_ms,
		    partials[_i].bytes);
	check_row(RECORD_TOTAL, 1, 0, 0, partials[_i].end_ms,
	    30 + partials[_i].bytes);
}
END_TEST

/* An interval as long as the test, or longer: only the total. */
START_TEST(test_test_finish_only_total)
{
	struct flow *f;

	test->plan.duration_ns = NS_PER_S;
	f = start_flow(1, 0);
	send_bytes(f, 10);
	test_fixture_tick(1000);
	test_fixture_end(f, 1001);
	finish();
	ck_assert_uint_eq(recorder_records(RECORD_INTERVAL), 0);
	ck_assert_uint_eq(recorder_records(RECORD_TEST_BEGINS), 1);
	check_row(RECORD_TOTAL, 1, 0, 0, 1001, 10);
}
END_TEST

START_TEST(test_test_finish_no_intervals)
{
	struct flow *f;

	test_options.interval_ns = 0;
	f = start_flow(1, 0);
	ck_assert_int_eq(test_deadline_ns(test), INT64_MAX);
	send_bytes(f, 10);
	test_fixture_end(f, 700);
	finish();
	ck_assert_uint_eq(recorder_count(), 2);
	check_row(RECORD_TOTAL, 1, 0, 0, 700, 10);
}
END_TEST

/* A connection without data has an ordinary row, with no length. */
START_TEST(test_test_finish_never_started)
{
	test_fixture_end(test_fixture_add(1, ROW_TCP_SEND), 400);
	finish();
	ck_assert_uint_eq(recorder_count(), 2);
	check_row(RECORD_TOTAL, 1, 0, 0, 0, 0);
}
END_TEST

START_TEST(test_test_finish_without_flows)
{
	finish();
	ck_assert_uint_eq(recorder_count(), 0);
}
END_TEST

/* A late stream's rows count from its own start, the sum's from the first. */
START_TEST(test_test_tick_late_start)
{
	struct flow *a = start_flow(1, 0), *b;

	send_bytes(a, 10);
	test_fixture_tick(1000);
	b = start_flow(2, 1300);
	send_bytes(a, 20);
	send_bytes(b, 3);
	test_fixture_tick(2000);
	send_bytes(b, 4);
	test_fixture_end(a, 2600);
	test_fixture_end(b, 2700);
	finish();
	check_row(RECORD_INTERVAL, 2, 0, 0, 700, 3);
	check_row(RECORD_INTERVAL, 2, 1, 700, 1400, 4);
	check_row(RECORD_INTERVAL, -1, 0, 1000, 2000, 23);
	check_row(RECORD_TOTAL, 2, 0, 0, 1400, 7);
	check_row(RECORD_TOTAL, -1, 0, 0, 2700, 37);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, -1, 0)->streams, 2);
}
END_TEST

/* A stream that ends early has a last row up to its end, and none after. */
START_TEST(test_test_tick_early_end)
{
	struct flow *a = start_flow(1, 0), *b = start_flow(2, 0);

	send_bytes(a, 10);
	send_bytes(b, 1);
	test_fixture_tick(1000);
	send_bytes(a, 20);
	test_fixture_end(a, 1400);
	send_bytes(b, 2);
	test_fixture_tick(2000);
	send_bytes(b, 3);
	test_fixture_tick(3000);
	test_fixture_end(b, 3001);
	finish();
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), 2);
	check_row(RECORD_INTERVAL, 1, 1, 1000, 1400, 20);
	check_row(RECORD_INTERVAL, -1, 1, 1000, 2000, 22);
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 2), 3);
	check_row(RECORD_TOTAL, 1, 0, 0, 1400, 30);
	check_row(RECORD_TOTAL, -1, 0, 0, 3001, 36);
}
END_TEST

/* After missed ticks one row says how long it is; the grid stays. */
START_TEST(test_test_tick_missed)
{
	struct flow *f;

	test->plan.duration_ns = 10 * NS_PER_S;
	f = start_flow(1, 0);
	test_fixture_tick(1000);
	send_bytes(f, 10);
	test_fixture_tick(4300);
	check_row(RECORD_INTERVAL, 1, 1, 1000, 4300, 10);
	ck_assert_int_eq(test_deadline_ns(test), AT(5000));
	test_fixture_tick(5000);
	check_row(RECORD_INTERVAL, 1, 2, 4300, 5000, 0);
}
END_TEST

START_TEST(test_test_add_flow_order)
{
	static const int ids[] = {3, 1, 4, 2};
	struct flow *flows[4];
	size_t i;

	for (i = 0; i < 4; i++)
		flows[i] = start_flow(ids[i], 0);
	test_fixture_tick(1000);
	for (i = 0; i < 4; i++)
		test_fixture_end(flows[i], 1500);
	finish();
	/* A heading, four rows and their sum, and the totals alike. */
	ck_assert_uint_eq(recorder_count(), 11);
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(recorder_get(1 + i)->row.id, (int)i + 1);
		ck_assert_int_eq(recorder_get(6 + i)->row.id, (int)i + 1);
	}
	ck_assert(recorder_get(5)->row.sum && recorder_get(10)->row.sum);
}
END_TEST

START_TEST(test_test_finish_sum_only)
{
	struct flow *f = start_flow(1, 0);

	test_options.sum_only = true;
	send_bytes(f, 9);
	test_fixture_end(f, 500);
	finish();
	check_row(RECORD_TOTAL, -1, 0, 0, 500, 9);
}
END_TEST

/*
 * Retransmissions are counted since the last look, TCP's are since ever, but
 * wrap at 32 bits.
 */
static const struct {
	uint64_t seen;
	uint64_t now;
} retransmits[] = {{5, 12}, {0, 7}, {UINT32_MAX - 2, 4}};

START_TEST(test_test_flow_ended_sample)
{
	struct tcp_sample sample = {.rtt_us = 70,
	    .retransmits = retransmits[_i].now};
	struct flow *f = start_flow(1, 0);
	const struct row_fact *row;

	f->retransmits_seen = retransmits[_i].seen;
	test_flow_ended(test, f, AT(500), &sample);
	finish();
	row = recorder_row(RECORD_TOTAL, 1, 0);
	ck_assert_uint_eq(row->tally->retransmits, 7);
	ck_assert_ptr_nonnull(row->tcp);
	ck_assert_uint_eq(row->tcp->rtt_us, 70);
}
END_TEST

/* They are in an interval, too, if they come after the last byte. */
START_TEST(test_test_finish_late_retransmits)
{
	struct tcp_sample sample = {.retransmits = 3};
	struct flow *f = start_flow(1, 0);

	send_bytes(f, 10);
	test_fixture_tick(1000);
	test_flow_ended(test, f, AT(1100), &sample);
	finish();
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, 1), 2);
	ck_assert_uint_eq(recorder_row(RECORD_INTERVAL, 1, 1)
			      ->tally->retransmits,
	    3);
}
END_TEST

/* While all streams have ended and others may come, there is no row. */
START_TEST(test_test_tick_nothing_runs)
{
	struct flow *a = start_flow(1, 0), *b = start_flow(2, 0), *c;

	test->plan.duration_ns = -1;
	test_fixture_end(a, 1100);
	test_fixture_end(b, 1200);
	test_fixture_tick(2000);
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, -1), 0);
	test_fixture_tick(3000);
	ck_assert_uint_eq(recorder_rows(RECORD_INTERVAL, -1), 0);
	c = start_flow(3, 3100);
	send_bytes(c, 10);
	test_fixture_tick(4000);
	check_row(RECORD_INTERVAL, -1, 0, 3100, 4000, 10);
	test_fixture_end(c, 4000);
	finish();
	check_row(RECORD_TOTAL, -1, 0, 0, 4000, 10);
}
END_TEST

START_TEST(test_test_tick_row_facts)
{
	struct flow *f = start_flow(1, 0);
	const struct row_fact *row;

	f->kind = ROW_TCP_RECV;
	test_fixture_tick(1000);
	row = recorder_row(RECORD_INTERVAL, 1, 0);
	ck_assert_int_eq(row->kind, ROW_TCP_RECV);
	ck_assert(row->source_is_peer);
	ck_assert_int_eq(row->wall_ns, AT(1000) + WALL_OFFSET_NS);
	ck_assert_ptr_null(row->tcp);
}
END_TEST

/* What happens at ms to one of the streams. Returns the bytes it sent. */
static uint64_t
random_step(struct flow **f, int id, int64_t ms, unsigned short seed[3])
{
	uint64_t bytes = (uint64_t)nrand48(seed);

	if (*f == NULL) {
		*f = start_flow(id, ms);
		return 0;
	}
	if ((*f)->ended)
		return 0;
	send_bytes(*f, bytes);
	if (nrand48(seed) % 20 == 0)
		test_fixture_end(*f, ms);
	return bytes;
}

/* Streams that come, go and count at random: nothing is lost or doubled. */
START_TEST(test_test_finish_random)
{
	struct flow *flows[5] = {NULL};
	unsigned short seed[3] = {(unsigned short)_i, 2, 3};
	uint64_t sent = 0;
	int64_t ms;
	int i, n;

	test->plan.duration_ns = (nrand48(seed) % 6000 + 1) * NS_PER_MS;
	for (ms = 0; ms < 6000; ms += nrand48(seed) % 90 + 1) {
		i = (int)(nrand48(seed) % 5);
		sent += random_step(&flows[i], i + 1, ms, seed);
		for (n = 0, i = 0; i < 5; i++)
			n += flows[i] != NULL && !flows[i]->ended;
		if (AT(ms) >= test_deadline_ns(test) && n > 0)
			test_fixture_tick(ms);
	}
	for (i = 0; i < 5; i++) {
		if (flows[i] != NULL && !flows[i]->ended)
			test_fixture_end(flows[i], 6000 + i);
	}
	finish();
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes,
	    sent);
}
END_TEST

static Suite *
test_suite(void)
{
	Suite *s = suite_create("test");
	TCase *tc;

	tc = tcase_create("ticks");
	tcase_add_checked_fixture(tc, test_fixture_set_up,
	    test_fixture_tear_down);
	tcase_add_test(tc, test_test_tick_final_held);
	tcase_add_test(tc, test_test_tick_hold_expires);
	tcase_add_test(tc, test_test_tick_no_plan);
	tcase_add_test(tc, test_test_tick_late_start);
	tcase_add_test(tc, test_test_tick_early_end);
	tcase_add_test(tc, test_test_tick_missed);
	tcase_add_test(tc, test_test_tick_nothing_runs);
	tcase_add_test(tc, test_test_tick_row_facts);
	suite_add_tcase(s, tc);

	tc = tcase_create("end");
	tcase_add_checked_fixture(tc, test_fixture_set_up,
	    test_fixture_tear_down);
	tcase_add_loop_test(tc, test_test_finish_partial_interval, 0,
	    (int)(sizeof(partials) / sizeof(partials[0])));
	tcase_add_test(tc, test_test_finish_only_total);
	tcase_add_test(tc, test_test_finish_no_intervals);
	tcase_add_test(tc, test_test_finish_never_started);
	tcase_add_test(tc, test_test_finish_without_flows);
	tcase_add_test(tc, test_test_finish_sum_only);
	tcase_add_loop_test(tc, test_test_flow_ended_sample, 0,
	    (int)(sizeof(retransmits) / sizeof(retransmits[0])));
	tcase_add_test(tc, test_test_finish_late_retransmits);
	tcase_add_test(tc, test_test_add_flow_order);
	tcase_add_loop_test(tc, test_test_finish_random, 0, 40);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(test_suite());
}
