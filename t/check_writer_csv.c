/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

/* 2026-11-30 19:40:31.9 UTC */
#define WALL_NS (INT64_C(1796067631) * NS_PER_S + 900 * NS_PER_MS)

/* A row of traffic from port 42224 to port 5734; times in ms. */
static struct row_fact
make_row(const struct tally *tally, int64_t start_ms, int64_t end_ms)
{
	struct row_fact row = {
	    .kind = ROW_TCP_SEND,
	    .id = 1,
	    .streams = 1,
	    .start_ns = start_ms * NS_PER_MS,
	    .end_ns = end_ms * NS_PER_MS,
	    .wall_ns = WALL_NS,
	    .tally = tally,
	};

	text_report_address(&row.source, 42224);
	text_report_address(&row.destination, 5734);
	return row;
}

static struct row_fact
make_sum(const struct tally *tally)
{
	struct row_fact row = make_row(tally, 0, 1000);

	row.sum = true;
	row.streams = 2;
	row.id = -1;
	row.source_varies = true;
	return row;
}

static const struct tally second = {.bytes = 10092604};
static const struct tally total = {.bytes = 20185148};

START_TEST(test_row_stream)
{
	struct row_fact interval = make_row(&second, 0, 1000);
	struct row_fact whole = make_row(&total, 0, 2000);

	whole.total = true;
	writer_csv()->test_begins(text_report()->state);
	writer_csv()->interval(text_report()->state, &interval);
	writer_csv()->total(text_report()->state, &whole);
	text_report_check(
	    "20261130194031,127.0.0.1,42224,127.0.0.1,5734,1,0.0-1.0,"
	    "10092604,80740832\n"
	    "20261130194031,127.0.0.1,42224,127.0.0.1,5734,1,0.0-2.0,"
	    "20185148,80740592\n");
}
END_TEST

/* -f leaves the figures as they are. */
START_TEST(test_row_format_ignored)
{
	struct row_fact row = make_row(&second, 0, 1000);

	text_report()->options.format = 'M';
	writer_csv()->interval(text_report()->state, &row);
	text_report_check(
	    "20261130194031,127.0.0.1,42224,127.0.0.1,5734,1,0.0-1.0,"
	    "10092604,80740832\n");
}
END_TEST

struct sum_case {
	bool source_varies;
	bool destination_varies;
	const char *ends;
};

static const struct sum_case sums[] = {
    {true, false, "127.0.0.1,0,127.0.0.1,5734"},
    {false, true, "127.0.0.1,42224,127.0.0.1,0"},
    {true, true, "127.0.0.1,0,127.0.0.1,0"},
};

START_TEST(test_row_sum)
{
	struct row_fact row = make_sum(&second);
	char expected[256];

	row.source_varies = sums[_i].source_varies;
	row.destination_varies = sums[_i].destination_varies;
	writer_csv()->total(text_report()->state, &row);
	snprintf(expected, sizeof(expected),
	    "20261130194031,%s,-1,0.0-1.0,10092604,80740832\n", sums[_i].ends);
	text_report_check(expected);
}
END_TEST

START_TEST(test_row_excluded)
{
	struct row_fact row = make_row(&second, 0, 1000);
	struct row_fact sum = make_sum(&second);

	text_report()->options.sum_only = _i == 0;
	text_report()->options.exclude = _i == 1 ? EXCLUDE_DATA : 0;
	writer_csv()->interval(text_report()->state, &row);
	writer_csv()->interval(text_report()->state, &sum);
	text_report_check(
	    "20261130194031,127.0.0.1,0,127.0.0.1,5734,-1,0.0-1.0,"
	    "10092604,80740832\n");
}
END_TEST

START_TEST(test_row_nothing_measured)
{
	static const struct tally empty;
	struct row_fact row = make_row(&empty, 0, 0);

	writer_csv()->total(text_report()->state, &row);
	text_report_check(
	    "20261130194031,127.0.0.1,42224,127.0.0.1,5734,1,0.0-0.0,"
	    "0,0\n");
}
END_TEST

START_TEST(test_row_large)
{
	static const struct tally large = {.bytes = UINT64_C(1) << 40};
	struct row_fact row = make_row(&large, 0, 10000);

	writer_csv()->total(text_report()->state, &row);
	text_report_check(
	    "20261130194031,127.0.0.1,42224,127.0.0.1,5734,1,0.0-10.0,"
	    "1099511627776,879609302221\n");
}
END_TEST

START_TEST(test_row_zone)
{
	static const char *const stamps[] = {"20261201014031",
	    "20261130194031"};
	struct row_fact row = make_row(&second, 0, 1000);
	char expected[256];

	setenv("TZ", "XST-6", 1);
	tzset();
	text_report()->options.utc = _i == 1;
	writer_csv()->interval(text_report()->state, &row);
	snprintf(expected, sizeof(expected),
	    "%s,127.0.0.1,42224,127.0.0.1,5734,1,0.0-1.0,10092604,80740832\n",
	    stamps[_i]);
	text_report_check(expected);
}
END_TEST

START_TEST(test_row_hidden)
{
	struct row_fact row = make_row(&second, 0, 1000);

	text_report()->options.hide_ips = true;
	writer_csv()->interval(text_report()->state, &row);
	text_report_check("20261130194031,*.*.*.1,42224,*.*.*.1,5734,1,0.0-1.0,"
			  "10092604,80740832\n");
}
END_TEST

START_TEST(test_other_facts_ignored)
{
	struct settings_fact settings = {.options = &text_report()->options};
	struct connection_fact connection = {.id = 1};
	struct connect_times_fact times = {.attempts = 2};

	writer_csv()->settings(text_report()->state, &settings);
	writer_csv()->connected(text_report()->state, &connection);
	writer_csv()->test_begins(text_report()->state);
	writer_csv()->connect_times(text_report()->state, &times);
	text_report_check_empty();
}
END_TEST

static Suite *
writer_csv_suite(void)
{
	Suite *s = suite_create("writer_csv");
	TCase *tc = text_report_case_csv(s, "rows");

	tcase_add_test(tc, test_row_stream);
	tcase_add_test(tc, test_row_format_ignored);
	tcase_add_loop_test(tc, test_row_sum, 0,
	    (int)(sizeof(sums) / sizeof(sums[0])));
	tcase_add_loop_test(tc, test_row_excluded, 0, 2);
	tcase_add_test(tc, test_row_nothing_measured);
	tcase_add_test(tc, test_row_large);
	tcase_add_loop_test(tc, test_row_zone, 0, 2);
	tcase_add_test(tc, test_row_hidden);
	tcase_add_test(tc, test_other_facts_ignored);
	return s;
}

int
main(void)
{
	return run_suite(writer_csv_suite());
}
