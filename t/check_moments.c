/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdint.h>

#include "measure/moments.h"
#include "run_suite.h"

#define VALUES 1000

/* The worked example of many a textbook: mean 5, squares sum up to 32. */
static const double textbook[] = {2, 4, 4, 4, 5, 5, 7, 9};

static struct moments
moments_of(const double *values, size_t n)
{
	struct moments m;

	moments_zero(&m);
	for (size_t i = 0; i < n; i++)
		moments_add(&m, values[i]);
	return m;
}

START_TEST(test_moments_add_textbook)
{
	struct moments m = moments_of(textbook, 8);

	ck_assert_uint_eq(m.count, 8);
	ck_assert_double_eq_tol(m.mean, 5, 1e-12);
	ck_assert_double_eq_tol(m.m2, 32, 1e-12);
	ck_assert_double_eq_tol(moments_stddev(&m), sqrt(32.0 / 7), 1e-12);
	ck_assert_double_eq(m.min, 2);
	ck_assert_double_eq(m.max, 9);
}
END_TEST

START_TEST(test_moments_add_negative)
{
	static const double values[] = {-3, -1};
	struct moments m = moments_of(values, 2);

	ck_assert_double_eq(m.min, -3);
	ck_assert_double_eq(m.max, -1);
	ck_assert_double_eq(m.mean, -2);
}
END_TEST

START_TEST(test_moments_stddev_few)
{
	struct moments m = moments_of(textbook, 0);

	ck_assert_double_eq(moments_stddev(&m), 0);
	moments_add(&m, 7);
	ck_assert_double_eq(moments_stddev(&m), 0);
	ck_assert_double_eq(m.mean, 7);
}
END_TEST

/* A clock that is off by years must not drown microseconds. */
START_TEST(test_moments_add_large_offset)
{
	struct moments m;

	moments_zero(&m);
	for (int i = 0; i < VALUES; i++)
		moments_add(&m, 1e15 + (i % 2 == 0 ? 1000 : -1000));
	ck_assert_double_eq_tol(moments_stddev(&m), 1000.5, 0.1);
}
END_TEST

START_TEST(test_moments_merge_zero)
{
	struct moments m = moments_of(textbook, 8);
	struct moments zero;

	moments_zero(&zero);
	moments_merge(&m, &zero);
	ck_assert_uint_eq(m.count, 8);
	ck_assert_double_eq(m.min, 2);
	moments_merge(&zero, &m);
	ck_assert_uint_eq(zero.count, 8);
	ck_assert_double_eq(zero.min, 2);
	ck_assert_double_eq(zero.max, 9);
	ck_assert_double_eq_tol(zero.m2, 32, 1e-12);
}
END_TEST

/* Wherever a series is cut, its parts merge to the whole. */
START_TEST(test_moments_merge_cut)
{
	struct moments whole = moments_of(textbook, 8);
	size_t at = (size_t)_i;
	struct moments left = moments_of(textbook, at);
	struct moments right = moments_of(textbook + at, 8 - at);

	moments_merge(&left, &right);
	ck_assert_uint_eq(left.count, whole.count);
	ck_assert_double_eq_tol(left.mean, whole.mean, 1e-12);
	ck_assert_double_eq_tol(left.m2, whole.m2, 1e-12);
	ck_assert_double_eq(left.min, whole.min);
	ck_assert_double_eq(left.max, whole.max);
}
END_TEST

static Suite *
moments_suite(void)
{
	Suite *s = suite_create("moments");
	TCase *tc;

	tc = tcase_create("add");
	tcase_add_test(tc, test_moments_add_textbook);
	tcase_add_test(tc, test_moments_add_negative);
	tcase_add_test(tc, test_moments_stddev_few);
	tcase_add_test(tc, test_moments_add_large_offset);
	suite_add_tcase(s, tc);

	tc = tcase_create("merge");
	tcase_add_test(tc, test_moments_merge_zero);
	tcase_add_loop_test(tc, test_moments_merge_cut, 0, 9);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(moments_suite());
}
