/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "pace/kalman.h"
#include "run_suite.h"

/* What the module promises: a margin within these, and no outliers. */
#define MARGIN_MIN_NS 5000
#define MARGIN_MAX_NS 60000
#define OUTLIER_NS 200000

static struct kalman filter;

static void
set_up(void)
{
	kalman_init(&filter);
}

static void
learn(int64_t oversleep_ns, int times)
{
	int i;

	for (i = 0; i < times; i++)
		kalman_learn(&filter, oversleep_ns);
}

START_TEST(test_kalman_init_is_careful)
{
	ck_assert_int_eq(kalman_margin_ns(&filter), MARGIN_MAX_NS);
}
END_TEST

/* Steady oversleeps, and where the margin must get to. */
static const struct {
	int64_t oversleep_ns;
	int64_t least_ns;
	int64_t most_ns;
} steady[] = {
    {0, MARGIN_MIN_NS, MARGIN_MIN_NS},
    {1000, MARGIN_MIN_NS, 8000},
    {20000, 20000, 26000},
    {50000, 50000, 56000},
    {150000, MARGIN_MAX_NS, MARGIN_MAX_NS},
    {OUTLIER_NS, MARGIN_MAX_NS, MARGIN_MAX_NS},
};

START_TEST(test_kalman_margin_ns_steady)
{
	learn(steady[_i].oversleep_ns, 500);
	ck_assert_int_ge(kalman_margin_ns(&filter), steady[_i].least_ns);
	ck_assert_int_le(kalman_margin_ns(&filter), steady[_i].most_ns);
	ck_assert_double_eq_tol(filter.oversleep_ns,
	    (double)steady[_i].oversleep_ns, 500);
}
END_TEST

START_TEST(test_kalman_learn_follows_a_step)
{
	learn(5000, 500);
	ck_assert_int_le(kalman_margin_ns(&filter), 12000);
	learn(40000, 50);
	ck_assert_int_ge(kalman_margin_ns(&filter), 40000);
	learn(5000, 500);
	ck_assert_int_le(kalman_margin_ns(&filter), 12000);
}
END_TEST

START_TEST(test_kalman_learn_skips_outliers)
{
	struct kalman before;

	learn(5000, 100);
	before = filter;
	kalman_learn(&filter, OUTLIER_NS + 1);
	kalman_learn(&filter, INT64_MAX);
	ck_assert_double_eq(filter.oversleep_ns, before.oversleep_ns);
	ck_assert_double_eq(filter.error, before.error);
	ck_assert_double_eq(filter.noise, before.noise);
	kalman_learn(&filter, OUTLIER_NS);
	ck_assert_double_gt(filter.oversleep_ns, before.oversleep_ns);
}
END_TEST

/* Four deviations: hardly any wake-up comes after the deadline. */
START_TEST(test_kalman_margin_ns_covers_noise)
{
	unsigned short seed[3] = {1, 2, 3};
	int64_t oversleep_ns;
	int i, late = 0;

	for (i = 0; i < 20000; i++) {
		oversleep_ns = 2000 + (int64_t)(12000 * erand48(seed));
		if (i >= 1000 && oversleep_ns > kalman_margin_ns(&filter))
			late++;
		kalman_learn(&filter, oversleep_ns);
	}
	ck_assert_int_le(late, 190); /* 1 % */
	ck_assert_int_le(kalman_margin_ns(&filter), 30000);
}
END_TEST

static Suite *
kalman_suite(void)
{
	Suite *s = suite_create("kalman");
	TCase *tc;

	tc = tcase_create("margin");
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_kalman_init_is_careful);
	tcase_add_loop_test(tc, test_kalman_margin_ns_steady, 0,
	    (int)(sizeof(steady) / sizeof(steady[0])));
	tcase_add_test(tc, test_kalman_margin_ns_covers_noise);
	suite_add_tcase(s, tc);

	tc = tcase_create("learning");
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_kalman_learn_follows_a_step);
	tcase_add_test(tc, test_kalman_learn_skips_outliers);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(kalman_suite());
}
