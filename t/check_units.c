/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"
#include "run_suite.h"

#define KIB 1024.0
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

struct amount_case {
	double bytes;
	char letter;
	const char *text;
};

static const struct amount_case magnitudes[] = {
    {0, 'a', "0.000 bit"},
    {0, 'A', "0.000 Byte"},
    {0.9994, 'B', "0.999 Byte"},
    {0.9995, 'B', "1.00 Byte"},
    {9.9949, 'B', "9.99 Byte"},
    {9.995, 'B', "10.0 Byte"},
    {99.949, 'B', "99.9 Byte"},
    {99.95, 'B', " 100 Byte"},
    {999, 'A', " 999 Byte"},
    {1000, 'A', "1000 Byte"},
    {1023, 'A', "1023 Byte"},
    {1024, 'A', "1.00 KByte"},
    {541, 'A', " 541 Byte"},
    {1.21 * KIB, 'A', "1.21 KByte"},
    {128 * KIB, 'A', " 128 KByte"},
    {16 * KIB, 'A', "16.0 KByte"},
    {4.5 * KIB, 'A', "4.50 KByte"},
    {131072, 'B', "131072 Byte"},
    {1470, 'B', "1470 Byte"},
    {123456, 'B', "123456 Byte"},
    {124.9, 'a', " 999 bit"},
    {124.99, 'a', "1000 bit"},
    {125, 'a', "1.00 Kbit"},
    {124.99e3, 'a', "1000 Kbit"},
    {12.5e6, 'a', " 100 Mbit"},
    {1.05 * GIB, 'A', "1.05 GByte"},
    {GIB * KIB, 'A', "1.00 TByte"},
    {GIB * MIB, 'A', "1.00 PByte"},
    {GIB * GIB, 'A', "1024 PByte"},
    {GIB * GIB * 16, 'A', "16384 PByte"},
    {125e12, 'a', "1.00 Pbit"},
    {125e15, 'a', "1000 Pbit"},
};

/* What sample runs with -n 2M and every letter show. */
static const struct amount_case letters[] = {
    {1048636, 'B', "1048636 Byte"},
    {1048636, 'K', "1024 KByte"},
    {1048636, 'M', "1.00 MByte"},
    {1048636, 'G', "0.001 GByte"},
    {1048636, 'T', "0.000 TByte"},
    {1048636, 'P', "0.000 PByte"},
    {1048636, 'A', "1.00 MByte"},
    {1048516, 'A', "1024 KByte"},
    {2097152, 'G', "0.002 GByte"},
    {5243154, 'B', "5243154 Byte"},
    {5243154, 'K', "5120 KByte"},
    {5243154, 'M', "5.00 MByte"},
    {5243154, 'G', "0.005 GByte"},
    {41945230.0 / 8, 'b', "41945230 bit"},
    {41945230.0 / 8, 'k', "41945 Kbit"},
    {41945230.0 / 8, 'm', "41.9 Mbit"},
    {41945230.0 / 8, 'g', "0.042 Gbit"},
    {41945230.0 / 8, 't', "0.000 Tbit"},
    {41945230.0 / 8, 'p', "0.000 Pbit"},
    {41945230.0 / 8, 'a', "41.9 Mbit"},
    {41945230.0 / 8, 'x', "41.9 Mbit"},
    {5243154, 'X', "5.00 MByte"},
    {5243154, '\0', "5.00 MByte"},
};

/* Beyond 32 bits, and beyond reason. */
static const struct amount_case extremes[] = {
    {8589934592.0, 'B', "8589934592 Byte"},
    {8589934592.0, 'A', "8.00 GByte"},
    {(double)UINT64_MAX, 'A', "16384 PByte"},
    {-1, 'A', "0.000 Byte"},
    {-INFINITY, 'a', "0.000 bit"},
    {NAN, 'a', "0.000 bit"},
    {NAN, 'G', "0.000 GByte"},
};

struct power_case {
	double bytes_per_s;
	double delay_s;
	const char *text;
};

static const struct power_case powers[] = {
    {2445803600.0, 100e-6, "24458036"},
    {1e4, 100e-6, "100.00"},
    {10001e0, 99e-6, "101"},
    {5e3, 100e-6, "50.00"},
    {1e3, 100e-6, "10.000000"},
    {1.5, 1, "0.000002"},
    {0, 100e-6, "0.000000"},
    {1e6, 0, "NA"},
    {1e6, NAN, "NA"},
    {1e6, INFINITY, "NA"},
    {NAN, 1, "0.000000"},
    {-1e4, 100e-6, "-100.000000"},
    {2e9, -100e-6, "OBL"},
};

static void
check_amount(const struct amount_case *c)
{
	char text[UNITS_TEXT_MAX];
	int n;

	n = units_format_amount(text, sizeof(text), c->bytes, c->letter);
	ck_assert_str_eq(text, c->text);
	ck_assert_int_eq(n, (int)strlen(c->text));
}

START_TEST(test_units_format_amount_magnitude)
{
	check_amount(&magnitudes[_i]);
}
END_TEST

START_TEST(test_units_format_amount_letter)
{
	check_amount(&letters[_i]);
}
END_TEST

START_TEST(test_units_format_amount_extreme)
{
	check_amount(&extremes[_i]);
}
END_TEST

START_TEST(test_units_format_amount_infinite)
{
	char text[UNITS_TEXT_MAX];
	int n;

	n = units_format_amount(text, sizeof(text), INFINITY, "aAbB"[_i]);
	ck_assert_int_lt(n, UNITS_TEXT_MAX);
	ck_assert_ptr_null(strstr(text, "inf"));
}
END_TEST

START_TEST(test_units_format_amount_truncated)
{
	char text[6] = "xxxxx";
	int n;

	n = units_format_amount(text, sizeof(text), 131072, 'B');
	ck_assert_int_eq(n, 11);
	ck_assert_str_eq(text, "13107");
}
END_TEST

START_TEST(test_units_format_power_table)
{
	const struct power_case *c = &powers[_i];
	char text[UNITS_TEXT_MAX];
	int n;

	n = units_format_power(text, sizeof(text), c->bytes_per_s, c->delay_s);
	ck_assert_str_eq(text, c->text);
	ck_assert_int_eq(n, (int)strlen(c->text));
}
END_TEST

START_TEST(test_units_bytes_letter_case)
{
	ck_assert_int_eq(units_bytes_letter('m'), 'M');
	ck_assert_int_eq(units_bytes_letter('M'), 'M');
	ck_assert_int_eq(units_bytes_letter('a'), 'A');
}
END_TEST

static Suite *
units_suite(void)
{
	Suite *s = suite_create("units");
	TCase *amount = tcase_create("amount");
	TCase *limits = tcase_create("limits");
	TCase *power = tcase_create("power");

	tcase_add_loop_test(amount, test_units_format_amount_magnitude, 0,
	    ROWS(magnitudes));
	tcase_add_loop_test(amount, test_units_format_amount_letter, 0,
	    ROWS(letters));
	tcase_add_test(amount, test_units_bytes_letter_case);
	tcase_add_loop_test(limits, test_units_format_amount_extreme, 0,
	    ROWS(extremes));
	tcase_add_loop_test(limits, test_units_format_amount_infinite, 0, 4);
	tcase_add_test(limits, test_units_format_amount_truncated);
	tcase_add_loop_test(power, test_units_format_power_table, 0,
	    ROWS(powers));
	suite_add_tcase(s, amount);
	suite_add_tcase(s, limits);
	suite_add_tcase(s, power);
	return s;
}

int
main(void)
{
	return run_suite(units_suite());
}
