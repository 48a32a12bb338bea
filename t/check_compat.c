/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"

/*
 * Whoever supplies them, libc, libbsd or compat/, they must do this. Left
 * out is what is documented but not done by libbsd 0.11, so nobody may rely
 * on it: the errno of a refused number, and a minimum above the maximum.
 */

static const struct {
	const char *src;
	size_t size;
	const char *dst; /* NULL: untouched */
} copies[] = {
    {"", 0, NULL},
    {"", 1, ""},
    {"", 8, ""},
    {"abc", 0, NULL},
    {"abc", 1, ""},
    {"abc", 3, "ab"},
    {"abc", 4, "abc"},
    {"abc", 8, "abc"},
    {"abcdefghijkl", 8, "abcdefg"},
};

START_TEST(test_strlcpy_table)
{
	char dst[8];
	char untouched[sizeof(dst)];
	size_t used;

	memset(dst, '#', sizeof(dst));
	memset(untouched, '#', sizeof(untouched));
	ck_assert_uint_eq(strlcpy(dst, copies[_i].src, copies[_i].size),
	    strlen(copies[_i].src));
	used = 0;
	if (copies[_i].dst != NULL) {
		ck_assert_str_eq(dst, copies[_i].dst);
		used = strlen(copies[_i].dst) + 1;
	}
	ck_assert_mem_eq(dst + used, untouched, sizeof(dst) - used);
}
END_TEST

static const struct {
	const char *dst;
	const char *src;
	size_t size;
	const char *whole; /* NULL: untouched */
	size_t length;	   /* the answer */
} appends[] = {
    {"", "", 1, "", 0},
    {"", "abc", 8, "abc", 3},
    {"ab", "", 8, "ab", 2},
    {"ab", "cd", 8, "abcd", 4},
    {"ab", "cd", 5, "abcd", 4},
    {"ab", "cd", 4, "abc", 4},
    {"ab", "cd", 3, "ab", 4},
    {"ab", "cdefghijkl", 8, "abcdefg", 12},
    {"ab", "cd", 2, NULL, 4},
    {"ab", "cd", 1, NULL, 3},
    {"ab", "cd", 0, NULL, 2},
};

START_TEST(test_strlcat_table)
{
	const char *whole = appends[_i].whole;
	char dst[8];
	size_t length;

	strcpy(dst, appends[_i].dst);
	length = strlcat(dst, appends[_i].src, appends[_i].size);
	ck_assert_uint_eq(length, appends[_i].length);
	ck_assert_str_eq(dst, whole != NULL ? whole : appends[_i].dst);
}
END_TEST

static const struct {
	const char *text;
	long long min;
	long long max;
	long long value;
	const char *reason; /* NULL: success */
} numbers[] = {
    {"0", 0, 0, 0, NULL},
    {"1", 1, 64, 1, NULL},
    {"64", 1, 64, 64, NULL},
    {"-5", -5, 5, -5, NULL},
    {"+5", -5, 5, 5, NULL},
    {" \t7", 0, 9, 7, NULL},
    {"007", 0, 9, 7, NULL},
    {"9223372036854775807", LLONG_MIN, LLONG_MAX, LLONG_MAX, NULL},
    {"-9223372036854775808", LLONG_MIN, LLONG_MAX, LLONG_MIN, NULL},
    {"", 0, 9, 0, "invalid"},
    {" ", 0, 9, 0, "invalid"},
    {"-", -9, 9, 0, "invalid"},
    {"x", 0, 9, 0, "invalid"},
    {"5x", 0, 9, 0, "invalid"},
    {"5 ", 0, 9, 0, "invalid"},
    {"0x5", 0, 9, 0, "invalid"},
    {"0", 1, 64, 0, "too small"},
    {"-6", -5, 5, 0, "too small"},
    {"65", 1, 64, 0, "too large"},
    {"9223372036854775808", 0, LLONG_MAX, 0, "too large"},
    {"-9223372036854775809", LLONG_MIN, 0, 0, "too small"},
    {"99999999999999999999999", 0, 9, 0, "too large"},
    {"-99999999999999999999999", 0, 9, 0, "too small"},
};

START_TEST(test_strtonum_table)
{
	const char *reason = "unset";
	long long value;

	value = strtonum(numbers[_i].text, numbers[_i].min, numbers[_i].max,
	    &reason);
	ck_assert_int_eq(value, numbers[_i].value);
	ck_assert_pstr_eq(reason, numbers[_i].reason);
}
END_TEST

START_TEST(test_strtonum_keeps_errno)
{
	const char *reason;

	errno = ENOENT;
	ck_assert_int_eq(strtonum("5", 0, 9, &reason), 5);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(test_strtonum_without_reason)
{
	ck_assert_int_eq(strtonum("5", 0, 9, NULL), 5);
	ck_assert_int_eq(strtonum("10", 0, 9, NULL), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("compat");
	TCase *copying = tcase_create("strings");
	TCase *parsing = tcase_create("strtonum");

	tcase_add_loop_test(copying, test_strlcpy_table, 0,
	    sizeof(copies) / sizeof(copies[0]));
	tcase_add_loop_test(parsing, test_strtonum_table, 0,
	    sizeof(numbers) / sizeof(numbers[0]));
	tcase_add_test(parsing, test_strtonum_keeps_errno);
	tcase_add_test(parsing, test_strtonum_without_reason);
	tcase_add_loop_test(copying, test_strlcat_table, 0,
	    sizeof(appends) / sizeof(appends[0]));
	suite_add_tcase(s, copying);
	suite_add_tcase(s, parsing);
	return s;
}

int
main(void)
{
	return run_suite(suite());
}
