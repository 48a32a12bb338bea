/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pace/pacer.h"
#include "run_suite.h"

/* Where the injected clock begins; a real one does not begin at 0. */
#define ORIGIN_NS (INT64_C(1234567) * NS_PER_S + 891)
#define HOUR_NS (3600 * NS_PER_S)

static const struct {
	uint64_t bps;
	size_t block_bytes;
	int64_t length_ns;
} schedules[] = {
    {64000, 800, 10 * HOUR_NS},
    {1000000, 1250, 3 * HOUR_NS},
    {333333333, 131072, HOUR_NS},
    {UINT64_C(9700000000), 1048576, HOUR_NS / 4},
    {1, 1, 10 * HOUR_NS},
};

/* When so many bytes are through at a rate, in exact integers. */
static int64_t
exact_ns(uint64_t bytes, uint64_t bps)
{
	uint64_t bits = 8 * bytes;

	return (int64_t)(bits / bps * NS_PER_S + bits % bps * NS_PER_S / bps);
}

START_TEST(test_pacer_due_ns_no_rounding)
{
	struct pacer p;
	uint64_t sent = 0;
	int64_t due_ns, error_ns, worst_ns = 0;

	pacer_init(&p, (double)schedules[_i].bps, 0, 0, ORIGIN_NS);
	while (
	    (due_ns = pacer_due_ns(&p)) < ORIGIN_NS + schedules[_i].length_ns) {
		error_ns =
		    due_ns - ORIGIN_NS - exact_ns(sent, schedules[_i].bps);
		if (llabs(error_ns) > worst_ns)
			worst_ns = llabs(error_ns);
		pacer_sent(&p, schedules[_i].block_bytes, due_ns);
		sent += schedules[_i].block_bytes;
	}
	ck_assert_int_le(worst_ns, 2);
}
END_TEST

START_TEST(test_pacer_init_due_at_once)
{
	struct pacer p;

	pacer_init(&p, 1e6, 0, 0, ORIGIN_NS);
	ck_assert_int_eq(pacer_due_ns(&p), ORIGIN_NS);
}
END_TEST

/* Each send is late by up to 9 ms: the mean rate stays what was asked. */
START_TEST(test_pacer_sent_late_wake_ups)
{
	struct pacer p;
	int64_t i, due_ns;

	pacer_init(&p, 1e6, 0, 0, ORIGIN_NS);
	for (i = 0; i < 10000; i++) {
		due_ns = pacer_due_ns(&p);
		ck_assert_int_eq(due_ns, ORIGIN_NS + i * 10 * NS_PER_MS);
		pacer_sent(&p, 1250, due_ns + i % 10 * NS_PER_MS);
	}
}
END_TEST

/* A lag up to the limit is caught up: the next blocks are due in the past. */
START_TEST(test_pacer_sent_catches_up)
{
	struct pacer p;

	pacer_init(&p, 1e6, 0, 0, ORIGIN_NS);
	pacer_sent(&p, 12500, ORIGIN_NS + 100 * NS_PER_MS + PACER_MAX_LAG_NS);
	ck_assert_int_eq(pacer_due_ns(&p), ORIGIN_NS + 100 * NS_PER_MS);
}
END_TEST

START_TEST(test_pacer_sent_forgives)
{
	struct pacer p;
	int64_t now_ns;

	pacer_init(&p, 1e6, 0, 0, ORIGIN_NS);
	now_ns = ORIGIN_NS + 100 * NS_PER_MS + PACER_MAX_LAG_NS + 1;
	pacer_sent(&p, 12500, now_ns);
	ck_assert_int_eq(pacer_due_ns(&p), now_ns);
	pacer_sent(&p, 12500, now_ns);
	ck_assert_int_eq(pacer_due_ns(&p), now_ns + 100 * NS_PER_MS);
}
END_TEST

/* What comes out of a varying rate over `changes` values of it. */
struct outcome {
	double mean_bps;
	double stddev_bps;
	double throughput_bps;
};

static struct outcome
run_varying(double mean_bps, double stddev_bps, uint32_t seed, int changes)
{
	struct outcome o;
	struct pacer p;
	double sum = 0, squares = 0, bps, bits = 0;
	int64_t now_ns = ORIGIN_NS, vary_ns;
	size_t block = (size_t)(mean_bps / 8 / 1000);
	int i;

	pacer_init(&p, mean_bps, stddev_bps, seed, ORIGIN_NS);
	for (i = 0; i < changes; i++) {
		bps = 8e9 / p.ns_per_byte;
		sum += bps;
		squares += bps * bps;
		for (vary_ns = p.vary_ns; p.vary_ns == vary_ns;) {
			now_ns = pacer_due_ns(&p);
			pacer_sent(&p, block, now_ns);
			bits += 8.0 * (double)block;
		}
	}
	o.mean_bps = sum / changes;
	o.stddev_bps = sqrt(squares / changes - o.mean_bps * o.mean_bps);
	o.throughput_bps = bits * 1e9 / (double)(now_ns - ORIGIN_NS);
	return o;
}

static const struct {
	double mean_bps;
	double stddev_bps;
} varying[] = {
    {1e9, 1e8},
    {1e9, 3e8},
    {5e6, 1e6},
};

START_TEST(test_pacer_varying_mean_and_deviation)
{
	double mean = varying[_i].mean_bps, stddev = varying[_i].stddev_bps;
	struct outcome o = run_varying(mean, stddev, 7, 4000);

	ck_assert_double_eq_tol(o.mean_bps, mean, 0.02 * mean);
	ck_assert_double_eq_tol(o.stddev_bps, stddev, 0.08 * stddev);
	ck_assert_double_eq_tol(o.throughput_bps, mean, 0.02 * mean);
}
END_TEST

START_TEST(test_pacer_varying_seed)
{
	struct pacer a, b, c;

	pacer_init(&a, 1e6, 1e5, 5, ORIGIN_NS);
	pacer_init(&b, 1e6, 1e5, 5, ORIGIN_NS);
	pacer_init(&c, 1e6, 1e5, 6, ORIGIN_NS);
	ck_assert_double_eq(a.ns_per_byte, b.ns_per_byte);
	ck_assert_double_ne(a.ns_per_byte, c.ns_per_byte);
}
END_TEST

/* However wild the rate, time goes on and the stream never stands still. */
START_TEST(test_pacer_varying_wild)
{
	struct pacer p;
	int64_t due_ns, last_ns = ORIGIN_NS, least_ns = INT64_MAX, most_ns = 0;
	int i;

	pacer_init(&p, 1e6, 1e9, 3, ORIGIN_NS);
	for (i = 0; i < 10000; i++) {
		due_ns = pacer_due_ns(&p);
		if (due_ns - last_ns < least_ns)
			least_ns = due_ns - last_ns;
		if (due_ns - last_ns > most_ns)
			most_ns = due_ns - last_ns;
		pacer_sent(&p, 1, due_ns);
		last_ns = due_ns;
	}
	ck_assert_int_ge(least_ns, 0);
	ck_assert_int_le(most_ns, 8 * NS_PER_S);
}
END_TEST

static Suite *
pacer_suite(void)
{
	Suite *s = suite_create("pacer");
	TCase *tc;

	tc = tcase_create("constant");
	tcase_add_loop_test(tc, test_pacer_due_ns_no_rounding, 0,
	    (int)(sizeof(schedules) / sizeof(schedules[0])));
	tcase_add_test(tc, test_pacer_init_due_at_once);
	tcase_add_test(tc, test_pacer_sent_late_wake_ups);
	suite_add_tcase(s, tc);

	tc = tcase_create("lag");
	tcase_add_test(tc, test_pacer_sent_catches_up);
	tcase_add_test(tc, test_pacer_sent_forgives);
	suite_add_tcase(s, tc);

	tc = tcase_create("varying");
	tcase_add_loop_test(tc, test_pacer_varying_mean_and_deviation, 0,
	    (int)(sizeof(varying) / sizeof(varying[0])));
	tcase_add_test(tc, test_pacer_varying_seed);
	tcase_add_test(tc, test_pacer_varying_wild);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(pacer_suite());
}
