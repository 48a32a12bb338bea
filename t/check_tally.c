/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "measure/tally.h"
#include "run_suite.h"

#define SAMPLES 20

/* An arbitrary tally; the same for the same number. */
static struct tally
make_tally(unsigned number)
{
	uint64_t x = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct tally t = {0};
	size_t i;

	t.bytes = x >> 20;
	t.calls = x >> 33;
	t.errors = x >> 50;
	t.retransmits = x >> 45 & 0xff;
	for (i = 0; i < TALLY_READ_BINS; i++)
		t.read_bins[i] = x >> (40 + i) & 0xfff;
	return t;
}

static struct tally
merged(struct tally a, const struct tally *b)
{
	tally_merge(&a, b);
	return a;
}

/* All members are of one type, so that there is no padding to differ. */
static void
check_equal(const struct tally *a, const struct tally *b)
{
	ck_assert_mem_eq(a, b, sizeof(*a));
}

START_TEST(test_tally_merge_neutral)
{
	struct tally a = make_tally((unsigned)_i), zero = {0}, left, right;

	left = merged(zero, &a);
	right = merged(a, &zero);
	check_equal(&left, &a);
	check_equal(&right, &a);
}
END_TEST

START_TEST(test_tally_merge_associative)
{
	struct tally a = make_tally((unsigned)_i);
	struct tally b = make_tally((unsigned)_i + SAMPLES);
	struct tally c = make_tally((unsigned)_i + 2 * SAMPLES);
	struct tally bc = merged(b, &c);
	struct tally left = merged(merged(a, &b), &c);
	struct tally right = merged(a, &bc);

	check_equal(&left, &right);
}
END_TEST

START_TEST(test_tally_merge_commutative)
{
	struct tally a = make_tally((unsigned)_i);
	struct tally b = make_tally((unsigned)_i + SAMPLES);
	struct tally ab = merged(a, &b);
	struct tally ba = merged(b, &a);

	check_equal(&ab, &ba);
}
END_TEST

START_TEST(test_tally_merge_keeps_source)
{
	struct tally a = make_tally(1), b = make_tally(2), before = b;

	tally_merge(&a, &b);
	check_equal(&b, &before);
}
END_TEST

START_TEST(test_tally_is_zero)
{
	struct tally t = {0};

	ck_assert(tally_is_zero(&t));
	t.retransmits = 1;
	ck_assert(!tally_is_zero(&t));
	tally_zero(&t);
	tally_add_read(&t, 1, 1000);
	ck_assert(!tally_is_zero(&t));
}
END_TEST

START_TEST(test_tally_merge_members)
{
	struct tally a = {
	    .bytes = 1,
	    .calls = 2,
	    .errors = 3,
	    .retransmits = 4,
	    .read_bins = {5, 0, 0, 0, 0, 0, 0, 6},
	};
	struct tally b = {
	    .bytes = 10,
	    .calls = 20,
	    .errors = 30,
	    .retransmits = 40,
	    .read_bins = {50, 0, 0, 0, 0, 0, 0, 60},
	};

	tally_merge(&a, &b);
	ck_assert_uint_eq(a.bytes, 11);
	ck_assert_uint_eq(a.calls, 22);
	ck_assert_uint_eq(a.errors, 33);
	ck_assert_uint_eq(a.retransmits, 44);
	ck_assert_uint_eq(a.read_bins[0], 55);
	ck_assert_uint_eq(a.read_bins[1], 0);
	ck_assert_uint_eq(a.read_bins[7], 66);
}
END_TEST

START_TEST(test_tally_merge_beyond_32_bits)
{
	struct tally a = {.bytes = UINT64_C(1) << 33, .calls = UINT32_MAX};
	struct tally b = {.bytes = UINT64_C(1) << 33, .calls = 1};

	tally_merge(&a, &b);
	ck_assert_uint_eq(a.bytes, UINT64_C(1) << 34);
	ck_assert_uint_eq(a.calls, UINT64_C(1) << 32);
}
END_TEST

/* How reads are sorted into bins of 1000 bytes. */
static const struct {
	size_t bytes;
	size_t bin;
} reads[] = {
    {1, 0},
    {999, 0},
    {1000, 1},
    {6999, 6},
    {7000, 7},
    {7999, 7},
    {8000, 7},
    {1048576, 7},
};

START_TEST(test_tally_add_read_bins)
{
	struct tally t = {0};
	size_t i;

	tally_add_read(&t, reads[_i].bytes, 1000);
	ck_assert_uint_eq(t.bytes, reads[_i].bytes);
	ck_assert_uint_eq(t.calls, 1);
	for (i = 0; i < TALLY_READ_BINS; i++)
		ck_assert_uint_eq(t.read_bins[i], i == reads[_i].bin);
}
END_TEST

START_TEST(test_tally_add_read_beyond_32_bits)
{
	struct tally t = {0};
	unsigned i;

	for (i = 0; i < 1 << 13; i++)
		tally_add_read(&t, 1 << 20, 16384);
	ck_assert_uint_eq(t.bytes, UINT64_C(1) << 33);
	ck_assert_uint_eq(t.calls, 1 << 13);
	ck_assert_uint_eq(t.read_bins[TALLY_READ_BINS - 1], 1 << 13);
}
END_TEST

static Suite *
tally_suite(void)
{
	Suite *s = suite_create("tally");
	TCase *tc;

	tc = tcase_create("laws");
	tcase_add_loop_test(tc, test_tally_merge_neutral, 0, SAMPLES);
	tcase_add_loop_test(tc, test_tally_merge_associative, 0, SAMPLES);
	tcase_add_loop_test(tc, test_tally_merge_commutative, 0, SAMPLES);
	suite_add_tcase(s, tc);

	tc = tcase_create("merge");
	tcase_add_test(tc, test_tally_merge_keeps_source);
	tcase_add_test(tc, test_tally_merge_members);
	tcase_add_test(tc, test_tally_is_zero);
	tcase_add_test(tc, test_tally_merge_beyond_32_bits);
	suite_add_tcase(s, tc);

	tc = tcase_create("reads");
	tcase_add_loop_test(tc, test_tally_add_read_bins, 0,
	    (int)(sizeof(reads) / sizeof(reads[0])));
	tcase_add_test(tc, test_tally_add_read_beyond_32_bits);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(tally_suite());
}
