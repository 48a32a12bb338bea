/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "measure/histogram.h"
#include "measure/tally.h"
#include "run_suite.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* The members that merging adds up. */
static const size_t counters[] = {
    offsetof(struct tally, bytes),
    offsetof(struct tally, calls),
    offsetof(struct tally, errors),
    offsetof(struct tally, retransmits),
    offsetof(struct tally, datagrams),
    offsetof(struct tally, coalesced),
    offsetof(struct tally, forgiven_ns),
    offsetof(struct tally, full_ns),
    offsetof(struct tally, starved_ns),
    offsetof(struct tally, input_ns),
    offsetof(struct tally, held_ns),
    offsetof(struct tally, paused_ns),
    offsetof(struct tally, advanced),
    offsetof(struct tally, gaps),
    offsetof(struct tally, late),
    offsetof(struct tally, duplicates),
    offsetof(struct tally, queue_drops),
    offsetof(struct tally, odd_sizes),
};

static uint64_t *
counter(struct tally *t, int i)
{
	return (uint64_t *)(void *)((char *)t + counters[i]);
}

START_TEST(test_tally_counter)
{
	struct tally a = {0};
	struct tally b = {0};

	ck_assert(tally_is_zero(&a));
	*counter(&a, _i) = 3;
	*counter(&b, _i) = UINT64_C(1) << 40;
	ck_assert(!tally_is_zero(&a));
	tally_merge(&a, &b);
	ck_assert_uint_eq(*counter(&a, _i), (UINT64_C(1) << 40) + 3);
	ck_assert_uint_eq(*counter(&b, _i), UINT64_C(1) << 40);
	tally_zero(&a);
	ck_assert(tally_is_zero(&a));
	ck_assert_uint_eq(*counter(&a, _i), 0);
}
END_TEST

START_TEST(test_tally_delay)
{
	struct tally a = {0};
	struct tally b = {0};

	moments_add(&a.delay, -5);
	moments_add(&b.delay, 7);
	ck_assert(!tally_is_zero(&a));
	tally_merge(&a, &b);
	ck_assert_uint_eq(a.delay.count, 2);
	ck_assert_double_eq(a.delay.mean, 1);
	ck_assert_double_eq(a.delay.min, -5);
	ck_assert_double_eq(a.delay.max, 7);
	tally_zero(&a);
	ck_assert_uint_eq(a.delay.count, 0);
}
END_TEST

/* The latest jitter stays, also past an interval in which nothing came. */
START_TEST(test_tally_jitter)
{
	struct tally a = {0};
	struct tally b = {0};

	b.has_jitter = true;
	b.jitter_ns = 12;
	ck_assert(!tally_is_zero(&b));
	tally_merge(&a, &b);
	ck_assert(a.has_jitter);
	ck_assert_double_eq(a.jitter_ns, 12);
	tally_zero(&b);
	ck_assert(!b.has_jitter);
	tally_merge(&a, &b);
	ck_assert_double_eq(a.jitter_ns, 12);
}
END_TEST

START_TEST(test_tally_histograms)
{
	static const struct histogram_shape shape = {1000, 10, 5, 95};
	struct tally a = {0};
	struct tally b = {0};
	struct tally without = {0};

	a.delay_bins = histogram_new(&shape);
	b.delay_bins = histogram_new(&shape);
	b.jitter_bins = histogram_new(&shape);
	histogram_add(b.delay_bins, 1500, 1);
	histogram_add(b.jitter_bins, 1500, 1);

	tally_merge(&a, &b);
	tally_merge(&a, &without);
	ck_assert_uint_eq(a.delay_bins->bin[1], 1);
	ck_assert_ptr_null(a.jitter_bins);
	tally_merge(&without, &b);
	ck_assert_ptr_null(without.delay_bins);

	tally_zero(&b);
	ck_assert_ptr_nonnull(b.delay_bins);
	ck_assert_ptr_nonnull(b.jitter_bins);
	ck_assert_uint_eq(b.delay_bins->count, 0);
	ck_assert_uint_eq(b.jitter_bins->count, 0);
	ck_assert_uint_eq(a.delay_bins->count, 1);
	free(a.delay_bins);
	free(b.delay_bins);
	free(b.jitter_bins);
}
END_TEST

START_TEST(test_tally_lost)
{
	struct tally t = {0};

	t.gaps = 5;
	t.late = 2;
	ck_assert_uint_eq(tally_lost(&t), 3);
	t.late = 6;
	ck_assert_uint_eq(tally_lost(&t), 0);
}
END_TEST

static Suite *
tally_suite(void)
{
	Suite *s = suite_create("tally_udp");
	TCase *tc;

	tc = tcase_create("tally");
	tcase_add_loop_test(tc, test_tally_counter, 0, ROWS(counters));
	tcase_add_test(tc, test_tally_delay);
	tcase_add_test(tc, test_tally_jitter);
	tcase_add_test(tc, test_tally_histograms);
	tcase_add_test(tc, test_tally_lost);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(tally_suite());
}
