/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "base/gap.h"
#include "base/options.h"
#include "run_suite.h"

static const struct {
	int64_t length_bytes;
	int64_t rate;
	bool per_packet;
	int64_t ipg_ns;
	double gap_ns;
} gaps[] = {
    {1470, 1048576, false, -1, 1470 * 8e9 / 1048576},
    {1470, INT64_C(5000000000), false, -1, 2352},
    {1470, INT64_C(100000000000), false, -1, 117.6},
    {64, 1, false, -1, 512e9},
    {1470, 1000, true, -1, 1e6},
    {16, 3, true, -1, 1e9 / 3},
    {1470, 0, false, -1, 0},
    {1470, -1, false, -1, 0},
    {1470, 1048576, false, 250000, 250000},
    {1470, 1048576, false, 0, 0},
};

START_TEST(test_gap_ns_table)
{
	struct options o = {
	    .length_bytes = gaps[_i].length_bytes,
	    .rate.mean = gaps[_i].rate,
	    .rate.per_packet = gaps[_i].per_packet,
	    .ipg_ns = gaps[_i].ipg_ns,
	};

	ck_assert_double_eq_tol(gap_ns(&o), gaps[_i].gap_ns,
	    gaps[_i].gap_ns * 1e-12 + 1e-9);
}
END_TEST

static Suite *
gap_suite(void)
{
	Suite *s = suite_create("gap");
	TCase *tc = tcase_create("gap");

	tcase_add_loop_test(tc, test_gap_ns_table, 0,
	    (int)(sizeof(gaps) / sizeof(gaps[0])));
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(gap_suite());
}
