/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

/* 2026-11-30 19:47:02 UTC */
#define WALL_NS (INT64_C(1796068022) * NS_PER_S)

/* A row of traffic from port 44338 to port 5773. */
static struct row_fact
make_row(enum row_kind kind, const struct tally *tally, int64_t end_ns)
{
	struct row_fact row = {
	    .kind = kind,
	    .id = 1,
	    .streams = 1,
	    .end_ns = end_ns,
	    .wall_ns = WALL_NS,
	    .tally = tally,
	};

	text_report_address(&row.source, 44338);
	text_report_address(&row.destination, 5773);
	return row;
}

static const struct tally sent = {.bytes = 2504880, .datagrams = 1704};

static const struct tally received = {
    .bytes = 2504880,
    .datagrams = 1704,
    .advanced = 1704,
    .has_jitter = true,
    .jitter_ns = 1e3,
};

/* Of 853 ids one was lost, two came late and one twice. */
static const struct tally disturbed = {
    .bytes = 1253910,
    .datagrams = 853,
    .advanced = 853,
    .gaps = 3,
    .late = 2,
    .duplicates = 1,
    .has_jitter = true,
    .jitter_ns = 2500,
};

#define SENT_LINE                                                          \
	"20261130194702,127.0.0.1,44338,127.0.0.1,5773,1,0.0-2.0,2504880," \
	"10011270\n"
#define RECEIVED_LINE                                                      \
	"20261130194702,127.0.0.1,44338,127.0.0.1,5773,1,0.0-2.0,2504880," \
	"10011330,0.001,0,1704,0.000,0\n"

START_TEST(test_row_receiver)
{
	struct row_fact row = make_row(ROW_UDP_RECV, &received, 2001636146);

	text_report()->options.role = ROLE_SERVER;
	row.source_is_peer = true;
	writer_csv()->total(text_report()->state, &row);
	text_report_check(RECEIVED_LINE);
}
END_TEST

START_TEST(test_row_receiver_disturbed)
{
	struct row_fact row = make_row(ROW_UDP_RECV, &disturbed, NS_PER_S);

	writer_csv()->interval(text_report()->state, &row);
	text_report_check(
	    "20261130194702,127.0.0.1,44338,127.0.0.1,5773,1,0.0-1.0,"
	    "1253910,10031280,0.003,1,853,0.117,3\n");
}
END_TEST

START_TEST(test_row_receiver_silent)
{
	static const struct tally nothing;
	struct row_fact row = make_row(ROW_UDP_RECV, &nothing, NS_PER_S);

	writer_csv()->interval(text_report()->state, &row);
	text_report_check(
	    "20261130194702,127.0.0.1,44338,127.0.0.1,5773,1,0.0-1.0,0,"
	    "0,0.000,0,0,0.000,0\n");
}
END_TEST

START_TEST(test_row_receiver_sum)
{
	struct row_fact row = make_row(ROW_UDP_RECV, &disturbed, NS_PER_S);

	text_report()->options.role = ROLE_SERVER;
	row.source_is_peer = true;
	row.source_varies = true;
	row.sum = true;
	row.id = -1;
	row.streams = 2;
	writer_csv()->total(text_report()->state, &row);
	text_report_check(
	    "20261130194702,127.0.0.1,0,127.0.0.1,5773,-1,0.0-1.0,"
	    "1253910,10031280,0.000,1,853,0.117,3\n");
}
END_TEST

/* A client alone can log losses. */
START_TEST(test_row_client)
{
	struct row_fact total = make_row(ROW_UDP_SEND, &sent, 2001648143);
	struct row_fact report = make_row(ROW_UDP_RECV, &received, 2001636146);
	struct udp_sent_fact count = {.id = 1, .datagrams = 1704};

	total.total = true;
	report.total = true;
	report.server_report = true;
	writer_csv()->total(text_report()->state, &total);
	writer_csv()->udp_sent(text_report()->state, &count);
	writer_csv()->server_report(text_report()->state, &report);
	text_report_check(SENT_LINE RECEIVED_LINE);
}
END_TEST

START_TEST(test_row_client_sum_only)
{
	struct row_fact total = make_row(ROW_UDP_SEND, &sent, 2001648143);
	struct row_fact report = make_row(ROW_UDP_RECV, &received, 2001636146);

	text_report()->options.sum_only = true;
	text_report()->options.exclude = _i == 1 ? EXCLUDE_SERVER_REPORT : 0;
	writer_csv()->total(text_report()->state, &total);
	writer_csv()->server_report(text_report()->state, &report);
	text_report_check(_i == 1 ? "" : RECEIVED_LINE);
}
END_TEST

static Suite *
udp_csv_suite(void)
{
	Suite *s = suite_create("udp_csv");
	TCase *tc = text_report_case_csv(s, "rows");

	tcase_add_test(tc, test_row_receiver);
	tcase_add_test(tc, test_row_receiver_disturbed);
	tcase_add_test(tc, test_row_receiver_silent);
	tcase_add_test(tc, test_row_receiver_sum);
	tcase_add_test(tc, test_row_client);
	tcase_add_loop_test(tc, test_row_client_sum_only, 0, 2);
	return s;
}

int
main(void)
{
	return run_suite(udp_csv_suite());
}
