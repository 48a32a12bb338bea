/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* A result that no reader gives. */
#define UNTOUCHED INT64_C(-77)

struct number_case {
	const char *text;
	int error;
	int64_t value;
};

static void
check_case(const struct number_case *c, int error, int64_t value)
{
	ck_assert_msg(error == c->error, "'%s' gives %d", c->text, error);
	ck_assert_int_eq(value, error == 0 ? c->value : UNTOUCHED);
}

static const struct number_case scaled_cases[] = {
    {"0", 0, 0},
    {"1", 0, 1},
    {"8K", 0, 8192},
    {"8k", 0, 8000},
    {"1.5K", 0, 1536},
    {"1.5g", 0, 1500000000},
    {".5M", 0, 524288},
    {"5.", 0, 5},
    {"10M", 0, 10485760},
    {"2G", 0, INT64_C(2147483648)},
    {"1t", 0, INT64_C(1000000000000)},
    {"1T", 0, INT64_C(1099511627776)},
    {"0.1", 0, 0},
    {"0.999999999999999999999999k", 0, 999},
    {"1.0000000000000000000001k", 0, 1000},
    {"0.3k", 0, 300},
    {"0.29k", 0, 290},
    {"1e3", 0, 1000},
    {"1E3k", 0, 1000000},
    {"12345e-2", 0, 123},
    {"0.00001e5", 0, 1},
    {"1e-999999999999", 0, 0},
    {"0e999999999999", 0, 0},
    {"000000000000000000000000000001", 0, 1},
    {"9223372036854775807", 0, INT64_MAX},
    {"9223372036854775807.9", 0, INT64_MAX},
    {"9223372036854775808", NUMBER_TOO_LARGE, 0},
    {"8388607.999999999T", 0, INT64_C(9223372036854774708)},
    {"8388608T", NUMBER_TOO_LARGE, 0},
    {"999999999999g", NUMBER_TOO_LARGE, 0},
    {"1e99999999999", NUMBER_TOO_LARGE, 0},
    {"", NUMBER_SYNTAX, 0},
    {"abc", NUMBER_SYNTAX, 0},
    {".", NUMBER_SYNTAX, 0},
    {"-", NUMBER_SYNTAX, 0},
    {"+1", NUMBER_SYNTAX, 0},
    {" 1", NUMBER_SYNTAX, 0},
    {"inf", NUMBER_SYNTAX, 0},
    {"nan", NUMBER_SYNTAX, 0},
    {"K", NUMBER_SYNTAX, 0},
    {"-1", NUMBER_NEGATIVE, 0},
    {"-.5K", NUMBER_NEGATIVE, 0},
    {"10x", NUMBER_SUFFIX, 0},
    {"10Mbits", NUMBER_SUFFIX, 0},
    {"10KB", NUMBER_SUFFIX, 0},
    {"10kk", NUMBER_SUFFIX, 0},
    {"0x10", NUMBER_SUFFIX, 0},
    {"1.2.3", NUMBER_SUFFIX, 0},
    {"1e", NUMBER_SUFFIX, 0},
    {"1e+", NUMBER_SUFFIX, 0},
    {"1,5", NUMBER_SUFFIX, 0},
    {"1 ", NUMBER_SUFFIX, 0},
};

START_TEST(test_number_scaled_table)
{
	int64_t value = UNTOUCHED;
	int error = number_scaled(scaled_cases[_i].text, &value);

	check_case(&scaled_cases[_i], error, value);
}
END_TEST

static const struct {
	const char *text;
	int error;
	struct target_rate rate;
} rate_cases[] = {
    {"5g", 0, {INT64_C(5000000000), 0, false}},
    {"10M", 0, {10485760, 0, false}},
    {"0", 0, {0, 0, false}},
    {"10mbit/s", 0, {10000000, 0, false}},
    {"10mbits/s", 0, {10000000, 0, false}},
    {"10mbits/sec", 0, {10000000, 0, false}},
    {"10mbps", 0, {10000000, 0, false}},
    {"10mb", 0, {10000000, 0, false}},
    {"10m bps", 0, {10000000, 0, false}},
    {"1000pps", 0, {1000, 0, true}},
    {"1kpps", 0, {1000, 0, true}},
    {"1Kp", 0, {1024, 0, true}},
    {"20PPS", 0, {20, 0, true}},
    {"0pps", 0, {0, 0, true}},
    {"10m,1m", 0, {10000000, 1000000, false}},
    {"10mbps,1.5Kbps", 0, {10000000, 1536, false}},
    {"100MB", NUMBER_SUFFIX, {0}},
    {"5gx", NUMBER_SUFFIX, {0}},
    {"10Mbits", NUMBER_SUFFIX, {0}},
    {"10pps,2", NUMBER_SUFFIX, {0}},
    {"10m,1m,1m", NUMBER_SUFFIX, {0}},
    {"10m,2pps", NUMBER_SUFFIX, {0}},
    {"10m,", NUMBER_SYNTAX, {0}},
    {",1m", NUMBER_SYNTAX, {0}},
    {"pps", NUMBER_SYNTAX, {0}},
    {"", NUMBER_SYNTAX, {0}},
    {"-1m", NUMBER_NEGATIVE, {0}},
    {"1m,-1", NUMBER_NEGATIVE, {0}},
    {"999999999999g", NUMBER_TOO_LARGE, {0}},
};

START_TEST(test_number_rate_table)
{
	struct target_rate rate = {UNTOUCHED, UNTOUCHED, false};
	int error = number_rate(rate_cases[_i].text, &rate);

	ck_assert_msg(error == rate_cases[_i].error, "'%s' gives %d",
	    rate_cases[_i].text, error);
	if (error != 0) {
		ck_assert_int_eq(rate.mean, UNTOUCHED);
		ck_assert_int_eq(rate.stddev, UNTOUCHED);
		return;
	}
	ck_assert_int_eq(rate.mean, rate_cases[_i].rate.mean);
	ck_assert_int_eq(rate.stddev, rate_cases[_i].rate.stddev);
	ck_assert_int_eq(rate.per_packet, rate_cases[_i].rate.per_packet);
}
END_TEST

static const struct number_case bit_or_byte_cases[] = {
    {"100", 0, 100},
    {"1k", 0, 1000},
    {"1K", 0, 8000},
    {"1.5m", 0, 1500000},
    {"1.5M", 0, 12000000},
    {"2g", 0, INT64_C(2000000000)},
    {"2G", 0, INT64_C(16000000000)},
    {"0.0001K", 0, 0},
    {"2Gb", NUMBER_SUFFIX, 0},
    {"x", NUMBER_SYNTAX, 0},
    {"-1", NUMBER_NEGATIVE, 0},
    {"9999999999G", NUMBER_TOO_LARGE, 0},
};

/* What is left out stays as it was: 7 bins, 5 and 95 percent. */
static const struct {
	const char *text;
	int error;
	struct histogram_option histogram;
} histogram_cases[] = {
    {"1", 0, {NS_PER_MS, 7, 5, 95}},
    {"2m", 0, {2 * NS_PER_MS, 7, 5, 95}},
    {"10u", 0, {10 * NS_PER_US, 7, 5, 95}},
    {"10u,1000", 0, {10 * NS_PER_US, 1000, 5, 95}},
    {"10u,1k,1", 0, {10 * NS_PER_US, 1000, 1, 95}},
    {"10u,1K,1.5,99.99", 0, {10 * NS_PER_US, 1024, 1.5, 99.99}},
    {"60000,1000000,0,100", 0, {60 * NS_PER_S, 1000000, 0, 100}},
    {"", NUMBER_SYNTAX, {0}},
    {"u", NUMBER_SYNTAX, {0}},
    {"0", NUMBER_RANGE, {0}},
    {"60001", NUMBER_RANGE, {0}},
    {"60000001u", NUMBER_RANGE, {0}},
    {"99999999999999999999", NUMBER_TOO_LARGE, {0}},
    {"1.5", NUMBER_SUFFIX, {0}},
    {"1s", NUMBER_SUFFIX, {0}},
    {"1,0", NUMBER_RANGE, {0}},
    {"1,1000001", NUMBER_RANGE, {0}},
    {"1,", NUMBER_SYNTAX, {0}},
    {"1,2,", NUMBER_SYNTAX, {0}},
    {"1,2,96", NUMBER_PERCENT, {0}},
    {"1,2,5,101", NUMBER_PERCENT, {0}},
    {"1,2,-5", NUMBER_NEGATIVE, {0}},
    {"1,2,5,95,1", NUMBER_SUFFIX, {0}},
};

START_TEST(test_number_histogram_table)
{
	const struct histogram_option *wanted = &histogram_cases[_i].histogram;
	struct histogram_option h = {-1, 7, 5, 95};
	int error = number_histogram(histogram_cases[_i].text, &h);

	ck_assert_msg(error == histogram_cases[_i].error, "'%s' gives %d",
	    histogram_cases[_i].text, error);
	if (error != 0) {
		ck_assert_int_eq(h.width_ns, -1);
		ck_assert_int_eq(h.bins, 7);
		return;
	}
	ck_assert_int_eq(h.width_ns, wanted->width_ns);
	ck_assert_int_eq(h.bins, wanted->bins);
	ck_assert_double_eq(h.lower_percent, wanted->lower_percent);
	ck_assert_double_eq(h.upper_percent, wanted->upper_percent);
}
END_TEST

START_TEST(test_number_bit_or_byte_rate_table)
{
	int64_t value = UNTOUCHED;
	int error = number_bit_or_byte_rate(bit_or_byte_cases[_i].text, &value);

	check_case(&bit_or_byte_cases[_i], error, value);
}
END_TEST

static const struct number_case seconds_cases[] = {
    {"0", 0, 0},
    {"0.1", 0, 100000000},
    {"0.7", 0, 700000000},
    {"1.1", 0, 1100000000},
    {"10", 0, INT64_C(10000000000)},
    {"4294.967", 0, INT64_C(4294967000000)},
    {"0.000000001", 0, 1},
    {"0.0000000019", 0, 1},
    {"1764539031.25", 0, INT64_C(1764539031250000000)},
    {"-1.5", 0, -1500000000},
    {"-0", 0, 0},
    {"5e-3", 0, 5000000},
    {"10s", NUMBER_SUFFIX, 0},
    {"1k", NUMBER_SUFFIX, 0},
    {"abc", NUMBER_SYNTAX, 0},
    {"--1", NUMBER_SYNTAX, 0},
    {"", NUMBER_SYNTAX, 0},
    {"9223372037", NUMBER_TOO_LARGE, 0},
};

START_TEST(test_number_seconds_table)
{
	int64_t value = UNTOUCHED;
	int error = number_seconds(seconds_cases[_i].text, &value);

	check_case(&seconds_cases[_i], error, value);
}
END_TEST

static const struct number_case integer_cases[] = {
    {"1", 0, 1},
    {"100", 0, 100},
    {"007", 0, 7},
    {"0", NUMBER_RANGE, 0},
    {"101", NUMBER_RANGE, 0},
    {"5x", NUMBER_WHOLE, 0},
    {"2.5", NUMBER_WHOLE, 0},
    {"1k", NUMBER_WHOLE, 0},
    {"1 ", NUMBER_WHOLE, 0},
    {"", NUMBER_SYNTAX, 0},
    {" 1", NUMBER_SYNTAX, 0},
    {"abc", NUMBER_SYNTAX, 0},
    {"-5", NUMBER_NEGATIVE, 0},
    {"99999999999999999999", NUMBER_TOO_LARGE, 0},
};

START_TEST(test_number_integer_table)
{
	int64_t value = UNTOUCHED;
	int error = number_integer(integer_cases[_i].text, 1, 100, &value);

	check_case(&integer_cases[_i], error, value);
}
END_TEST

static const struct number_case tos_cases[] = {
    {"0", 0, 0},
    {"255", 0, 255},
    {"0x10", 0, 16},
    {"0XB8", 0, 0xb8},
    {"010", 0, 8},
    {"cs1", 0, 0x20},
    {"CS7", 0, 0xe0},
    {"af11", 0, 0x28},
    {"AF43", 0, 0x98},
    {"ef", 0, 0xb8},
    {"le", 0, 0x04},
    {"nqb", 0, 0x14},
    {"nqb2", 0, 0xb4},
    {"ac_vi", 0, 0xa0},
    {"ac_vo", 0, 0xc0},
    {"lowdelay", 0, 0x10},
    {"throughput", 0, 0x08},
    {"reliability", 0, 0x04},
    {"none", 0, -1},
    {"256", NUMBER_RANGE, 0},
    {"99999999999999999999", NUMBER_RANGE, 0},
    {"08", NUMBER_WHOLE, 0},
    {"0x", NUMBER_WHOLE, 0},
    {"16x", NUMBER_WHOLE, 0},
    {"-1", NUMBER_NEGATIVE, 0},
    {"af44", NUMBER_NAME, 0},
    {"ef,", NUMBER_NAME, 0},
    {"e", NUMBER_NAME, 0},
    {"", NUMBER_NAME, 0},
};

START_TEST(test_number_tos_table)
{
	int value = (int)UNTOUCHED;
	int error = number_tos(tos_cases[_i].text, &value);

	check_case(&tos_cases[_i], error, value);
}
END_TEST

static const struct {
	const char *text;
	int error;
	struct port_range ports;
} port_cases[] = {
    {"1", 0, {1, 1}},
    {"5001", 0, {5001, 5001}},
    {"65535", 0, {65535, 65535}},
    {"5001-5010", 0, {5001, 5010}},
    {"5001-5001", 0, {5001, 5001}},
    {"0", NUMBER_RANGE, {0}},
    {"65536", NUMBER_RANGE, {0}},
    {"99999", NUMBER_RANGE, {0}},
    {"5001-70000", NUMBER_RANGE, {0}},
    {"5001-0", NUMBER_RANGE, {0}},
    {"5010-5001", NUMBER_ORDER, {0}},
    {"5001-", NUMBER_SYNTAX, {0}},
    {"5001x", NUMBER_WHOLE, {0}},
    {"1-2-3", NUMBER_WHOLE, {0}},
    {"-5", NUMBER_NEGATIVE, {0}},
    {"http", NUMBER_SYNTAX, {0}},
    {"", NUMBER_SYNTAX, {0}},
};

START_TEST(test_number_ports_table)
{
	struct port_range ports = {7, 7};
	int error = number_ports(port_cases[_i].text, &ports);

	ck_assert_msg(error == port_cases[_i].error, "'%s' gives %d",
	    port_cases[_i].text, error);
	ck_assert_int_eq(ports.first,
	    error == 0 ? port_cases[_i].ports.first : 7);
	ck_assert_int_eq(ports.last,
	    error == 0 ? port_cases[_i].ports.last : 7);
}
END_TEST

START_TEST(test_number_scaled_ignores_locale)
{
	int64_t value = 0;

	/* Where no such locale is installed this tests nothing new. */
	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
		setlocale(LC_ALL, "");
	ck_assert_int_eq(number_scaled("1.5K", &value), 0);
	ck_assert_int_eq(value, 1536);
	ck_assert_int_eq(number_scaled("1,5K", &value), NUMBER_SUFFIX);
}
END_TEST

START_TEST(test_number_strerror_all)
{
	int error;

	for (error = NUMBER_ORDER; error < 0; error++) {
		ck_assert_ptr_nonnull(number_strerror(error));
		ck_assert_str_ne(number_strerror(error), "unknown error");
	}
}
END_TEST

static Suite *
number_suite(void)
{
	Suite *s = suite_create("number");
	TCase *sizes = tcase_create("sizes and rates");
	TCase *others = tcase_create("times, integers, names");

	tcase_add_loop_test(sizes, test_number_scaled_table, 0,
	    COUNT(scaled_cases));
	tcase_add_loop_test(sizes, test_number_rate_table, 0,
	    COUNT(rate_cases));
	tcase_add_loop_test(sizes, test_number_histogram_table, 0,
	    COUNT(histogram_cases));
	tcase_add_loop_test(sizes, test_number_bit_or_byte_rate_table, 0,
	    COUNT(bit_or_byte_cases));
	tcase_add_test(sizes, test_number_scaled_ignores_locale);
	suite_add_tcase(s, sizes);

	tcase_add_loop_test(others, test_number_seconds_table, 0,
	    COUNT(seconds_cases));
	tcase_add_loop_test(others, test_number_integer_table, 0,
	    COUNT(integer_cases));
	tcase_add_loop_test(others, test_number_tos_table, 0, COUNT(tos_cases));
	tcase_add_loop_test(others, test_number_ports_table, 0,
	    COUNT(port_cases));
	tcase_add_test(others, test_number_strerror_all);
	suite_add_tcase(s, others);
	return s;
}

int
main(void)
{
	return run_suite(number_suite());
}
