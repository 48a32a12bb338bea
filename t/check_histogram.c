/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "run_suite.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define FILL_MAX 16

static const struct histogram_shape shape = {100 * NS_PER_US, 300, 5, 95};

/* As iperf 2 prints them: bins that are not empty, and what it makes of it. */
struct printed {
	struct {
		uint32_t bin;
		int count;
	} fill[FILL_MAX];
	uint32_t lower;
	uint32_t upper;
	uint32_t most; /* 99.7 % */
	uint64_t outliers;
};

static const struct printed printed[] = {
    {{{0, 0}}, 0, 0, 0, 0},
    {{{1, 20}}, 1, 1, 1, 0},
    {{{1, 19}, {16, 1}}, 1, 16, 16, 0},
    {{{1, 18}, {2, 1}, {5, 1}}, 1, 5, 5, 0},
    {{{1, 8}, {2, 9}, {3, 3}}, 1, 3, 3, 0},
    {{{2, 9}, {3, 6}, {4, 4}, {6, 1}}, 2, 6, 6, 0},
    {{{1, 27}, {2, 2}, {8, 1}}, 1, 2, 8, 1},
    {{{1, 29}, {35, 1}}, 1, 1, 35, 0},
    {{{2, 20}, {3, 17}, {4, 1}, {5, 1}, {10, 1}}, 2, 5, 10, 1},
    {{{1, 19}, {2, 33}, {3, 6}, {7, 1}, {10, 1}}, 1, 3, 10, 1},
    {{{1, 416}, {2, 9}}, 1, 1, 2, 0},
    {{{1, 352}, {2, 60}, {3, 5}, {4, 2}, {5, 6}, {8, 1}, {32, 1}}, 1, 2, 8, 2},
    {{{1, 768}, {2, 71}, {3, 5}, {4, 2}, {5, 6}, {8, 1}, {32, 1}}, 1, 2, 5, 2},
    {{{1, 40}, {2, 6}, {4, 1}, {5, 1}, {9, 1}, {13, 1}, {45, 1}, {53, 1},
	 {260, 1}, {273, 1}},
	1, 53, 273, 4},
};

START_TEST(test_histogram_printed)
{
	const struct printed *p = &printed[_i];
	struct histogram *h = histogram_new(&shape);

	for (int i = 0; i < FILL_MAX; i++) {
		for (int n = 0; n < p->fill[i].count; n++)
			histogram_add(h, (p->fill[i].bin - 1) * shape.width_ns,
			    1);
	}
	ck_assert_uint_eq(histogram_percentile(h, shape.lower_percent),
	    p->lower);
	ck_assert_uint_eq(histogram_percentile(h, shape.upper_percent),
	    p->upper);
	ck_assert_uint_eq(histogram_percentile(h, 99.7), p->most);
	ck_assert_uint_eq(histogram_outliers(h), p->outliers);
	free(h);
}
END_TEST

START_TEST(test_histogram_add_edges)
{
	struct histogram *h = histogram_new(&shape);
	int64_t end_ns = shape.width_ns * shape.bins;

	histogram_add(h, INT64_MIN, 1);
	histogram_add(h, -1, 2);
	histogram_add(h, 0, 3);
	histogram_add(h, shape.width_ns - 1, 4);
	histogram_add(h, shape.width_ns, 5);
	histogram_add(h, end_ns - 1, 6);
	histogram_add(h, end_ns, 7);
	ck_assert_uint_eq(h->count, 7);
	ck_assert_uint_eq(h->below, 2);
	ck_assert_uint_eq(h->above, 1);
	ck_assert_uint_eq(h->bin[0], 2);
	ck_assert_uint_eq(h->bin[1], 1);
	ck_assert_uint_eq(h->bin[shape.bins - 1], 1);
	ck_assert_int_eq(h->max_ns, end_ns);
	ck_assert_int_eq(h->max_wall_ns, 7);
	histogram_add(h, INT64_MAX, 8);
	histogram_add(h, INT64_MAX, 9);
	ck_assert_uint_eq(h->above, 3);
	ck_assert_int_eq(h->max_wall_ns, 8);
	free(h);
}
END_TEST

/* What lies beyond the bins has its place in the order all the same. */
START_TEST(test_histogram_percentile_beyond)
{
	struct histogram *h = histogram_new(&shape);

	histogram_add(h, -1, 1);
	ck_assert_uint_eq(histogram_percentile(h, 5), 1);
	ck_assert_int_eq(h->max_ns, -1);
	for (int i = 0; i < 9; i++)
		histogram_add(h, 1 * NS_PER_S, 1);
	ck_assert_uint_eq(histogram_percentile(h, 5), 1);
	ck_assert_uint_eq(histogram_percentile(h, 50), shape.bins);
	ck_assert_uint_eq(histogram_outliers(h), 0);
	free(h);
}
END_TEST

START_TEST(test_histogram_outliers_beyond)
{
	struct histogram *h = histogram_new(&shape);

	for (int i = 0; i < 20; i++)
		histogram_add(h, (i % 2) * shape.width_ns, 1);
	histogram_add(h, 1 * NS_PER_S, 1);
	ck_assert_uint_eq(histogram_outliers(h), 1);
	free(h);
}
END_TEST

START_TEST(test_histogram_merge)
{
	struct histogram *whole = histogram_new(&shape);
	struct histogram *parts = histogram_new(&shape);
	struct histogram *part = histogram_new(&shape);
	int64_t ns;

	for (int i = 0; i < 1000; i++) {
		ns = (i * 7919 % 1000 - 100) * shape.width_ns / 3;
		histogram_add(whole, ns, i);
		histogram_add(part, ns, i);
		if (i % 90 == 0) {
			histogram_merge(parts, part);
			histogram_clear(part);
			ck_assert_uint_eq(part->count, 0);
			ck_assert_uint_eq(part->shape.bins, shape.bins);
		}
	}
	histogram_merge(parts, part);
	ck_assert_uint_gt(whole->below, 0);
	ck_assert_mem_eq(parts, whole,
	    sizeof(*whole) + shape.bins * sizeof(whole->bin[0]));
	free(part);
	free(parts);
	free(whole);
}
END_TEST

static Suite *
histogram_suite(void)
{
	Suite *s = suite_create("histogram");
	TCase *tc;

	tc = tcase_create("printed");
	tcase_add_loop_test(tc, test_histogram_printed, 0, ROWS(printed));
	suite_add_tcase(s, tc);

	tc = tcase_create("edges");
	tcase_add_test(tc, test_histogram_add_edges);
	tcase_add_test(tc, test_histogram_percentile_beyond);
	tcase_add_test(tc, test_histogram_outliers_beyond);
	suite_add_tcase(s, tc);

	tc = tcase_create("merge");
	tcase_add_test(tc, test_histogram_merge);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(histogram_suite());
}
