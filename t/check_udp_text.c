/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"
#include "udp_rows.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Rows without -e. */

START_TEST(test_row_receiver)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 2019, &udp_rows_intact);
	text_report_check(
	    UDP_ROWS_RECV_HEADER "[  1] 0.00-2.02 sec   261 KBytes  1.06 "
				 "Mbits/sec   0.001 ms 0/182 (0%)\n");
}
END_TEST

START_TEST(test_row_receiver_reordered)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 2001, &udp_rows_received);
	text_report_check(UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   0.150 ms "
	    "16/1704 (0.94%)\n"
	    "[  1] 0.00-2.00 sec  34 datagrams received out-of-order\n");
}
END_TEST

/* Duplicates are out of order too, as they always were. */
START_TEST(test_row_receiver_remarks)
{
	struct tally t = udp_rows_received;

	t.duplicates = 2;
	t.queue_drops = 5;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 2001, &t);
	text_report_check(UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   0.150 ms "
	    "16/1704 (0.94%)\n"
	    "[  1] 0.00-2.00 sec  36 datagrams received out-of-order\n"
	    "[  1] 0.00-2.00 sec  2 duplicate datagrams received\n"
	    "[  1] 0.00-2.00 sec  5 datagrams lost in this host's receive "
	    "queue\n");
}
END_TEST

START_TEST(test_row_receiver_sum)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &udp_rows_intact);
	udp_rows_write(ROW_UDP_RECV, -1, 0, 2001, &udp_rows_received);
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &udp_rows_intact);
	udp_rows_write(ROW_UDP_RECV, -1, 0, 1000, &udp_rows_intact);
	text_report_check(UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec   0.001 ms 0/182 "
	    "(0%)\n" UDP_ROWS_BASIC_HEADER
	    "[SUM] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   16/1704 "
	    "(0.94%)\n"
	    "[SUM] 0.00-2.00 sec  34 datagrams received "
	    "out-of-order\n" UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec   0.001 ms 0/182 "
	    "(0%)\n"
	    "[SUM] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec   0/182 (0%)\n");
}
END_TEST

START_TEST(test_row_receiver_sum_only)
{
	static const struct tally sum = {.bytes = 2556 * 1470,
	    .datagrams = 2556,
	    .advanced = 2557,
	    .gaps = 1};

	text_report()->options.sum_only = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &udp_rows_intact);
	udp_rows_write(ROW_UDP_RECV, -1, 0, 1000, &sum);
	text_report_check(
	    "[SUM-cnt] Interval     Transfer     Bandwidth       Lost/Total    "
	    "PPS\n"
	    "[SUM-2] 0.00-1.00 sec  3.58 MBytes  30.1 Mbits/sec  1/2557     "
	    "2556 pps\n");
}
END_TEST

struct percent_case {
	uint64_t lost;
	uint64_t total;
	const char *text;
};

static const struct percent_case percents[] = {
    {0, 0, "0/0 (0%)"},
    {0, 1, "0/1 (0%)"},
    {1, 1704, "1/1704 (0.059%)"},
    {3, 1704, "3/1704 (0.18%)"},
    {2, 5, "2/5 (40%)"},
    {99, 100, "99/100 (99%)"},
    {994, 1000, "994/1000 (99%)"},
    {996, 1000, "996/1000 (100%)"},
    {7, 7, "7/7 (100%)"},
};

START_TEST(test_row_percent_table)
{
	const struct percent_case *c = &percents[_i];
	struct tally t = {.advanced = c->total, .gaps = c->lost};
	char expected[256];

	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &t);
	snprintf(expected, sizeof(expected),
	    UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-1.00 sec  0.000 Bytes  0.000 bits/sec   "
	    "0.000 ms %s\n",
	    c->text);
	text_report_check(expected);
}
END_TEST

START_TEST(test_row_sender)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write(ROW_UDP_SEND, -1, 0, 1000, &udp_rows_sent);
	text_report_check(UDP_ROWS_BASIC_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[SUM] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n");
}
END_TEST

struct shortfall_case {
	int id;
	bool total;
	int64_t forgiven_ms;
	int64_t full_ms;
	int64_t starved_ms;
	int64_t input_ms;
	int64_t held_ms;
	uint64_t errors;
	const char *line;
};

#define NOT_SENT " of the target rate not sent: "

static const struct shortfall_case shortfalls[] = {
    {1, true, 120, 0, 0, 0, 0, 0,
	"[  1] 0.00-1.00 sec  12%" NOT_SENT "this host could not keep up\n"},
    {1, true, 5, 0, 5, 0, 0, 3,
	"[  1] 0.00-1.00 sec  0.5%" NOT_SENT "no buffer space for 3 writes\n"},
    {1, true, 120, 0, 1, 0, 0, 3,
	"[  1] 0.00-1.00 sec  12%" NOT_SENT
	"no buffer space for 3 writes, this host could not keep up\n"},
    {1, true, 500, 880, 0, 0, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT "socket full 88% of the time\n"},
    {1, true, 500, 450, 0, 0, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT "socket full 45% of the time\n"},
    {1, true, 500, 449, 0, 0, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"socket full 45% of the time, this host could not keep up\n"},
    {1, true, 500, 51, 2, 0, 0, 7,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"socket full 5.1% of the time, no buffer space for 7 writes, "
	"this host could not keep up\n"},
    {1, true, 500, 50, 0, 0, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT "this host could not keep up\n"},
    {-1, true, 500, 0, 0, 0, 0, 0,
	"[SUM] 0.00-1.00 sec  25%" NOT_SENT "this host could not keep up\n"},
    {-1, true, 500, 1000, 0, 0, 0, 0,
	"[SUM] 0.00-1.00 sec  25%" NOT_SENT "socket full 50% of the time\n"},
    {1, true, 500, 0, 0, 501, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"waited for input 50% of the time\n"},
    {1, true, 500, 200, 0, 100, 0, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"waited for input 10% of the time, socket full 20% of the time, "
	"this host could not keep up\n"},
    {1, true, 500, 0, 0, 0, 500, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"client not proven, which sent too little 50% of the time\n"},
    {1, true, 500, 200, 0, 0, 300, 0,
	"[  1] 0.00-1.00 sec  50%" NOT_SENT
	"client not proven, which sent too little 30% of the time, "
	"socket full 20% of the time\n"},
    {1, true, 0, 1000, 300, 0, 0, 3, ""},
    {1, false, 120, 120, 0, 0, 0, 0, ""},
};

START_TEST(test_row_sender_shortfall)
{
	const struct shortfall_case *c = &shortfalls[_i];
	struct tally t = {.bytes = 1250000,
	    .forgiven_ns = (uint64_t)(c->forgiven_ms * NS_PER_MS),
	    .full_ns = (uint64_t)(c->full_ms * NS_PER_MS),
	    .starved_ns = (uint64_t)(c->starved_ms * NS_PER_MS),
	    .input_ns = (uint64_t)(c->input_ms * NS_PER_MS),
	    .held_ns = (uint64_t)(c->held_ms * NS_PER_MS),
	    .errors = c->errors};
	struct row_fact row = text_report_row(ROW_UDP_SEND, c->id, 0, 1000, &t);
	char expected[512];

	row.total = c->total;
	udp_rows_begin();
	writer_text()->total(text_report()->state, &row);
	snprintf(expected, sizeof(expected),
	    UDP_ROWS_BASIC_HEADER
	    "[%s] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n%s",
	    c->id < 0 ? "SUM" : "  1", c->line);
	text_report_check(expected);
}
END_TEST

static const struct {
	int id;
	bool total;
	int64_t paused_us;
	const char *line;
} pauses[] = {
    {1, true, 44000,
	"[  1] 0.00-1.00 sec  paused 4.4% of the time, as the receiver "
	"asked\n"},
    {-1, true, 1000000,
	"[SUM] 0.00-1.00 sec  paused 50% of the time, as the receiver "
	"asked\n"},
    {1, true, 99, ""},
    {1, false, 44000, ""},
};

START_TEST(test_row_sender_paused)
{
	struct tally t = {.bytes = 1250000,
	    .paused_ns = (uint64_t)(pauses[_i].paused_us * NS_PER_US)};
	struct row_fact row =
	    text_report_row(ROW_UDP_SEND, pauses[_i].id, 0, 1000, &t);
	char expected[512];

	row.total = pauses[_i].total;
	udp_rows_begin();
	writer_text()->total(text_report()->state, &row);
	snprintf(expected, sizeof(expected),
	    UDP_ROWS_BASIC_HEADER
	    "[%s] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n%s",
	    pauses[_i].id < 0 ? "SUM" : "  1", pauses[_i].line);
	text_report_check(expected);
}
END_TEST

/* The end of a test. */

START_TEST(test_end_client)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(1, 1704);
	udp_rows_write_report(1, 2001, &udp_rows_received);
	text_report_check(UDP_ROWS_BASIC_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[  1] Sent 1704 datagrams\n"
	    "[  1] Server Report:\n" UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   "
	    "0.150 ms 16/1704 (0.94%)\n"
	    "[  1] 0.00-2.00 sec  34 datagrams received "
	    "out-of-order\n");
}
END_TEST

START_TEST(test_end_client_streams)
{
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(1, 851);
	udp_rows_write(ROW_UDP_SEND, 12, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(12, 851);
	udp_rows_write(ROW_UDP_SEND, -1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(-1, 1702);
	udp_rows_write_report(1, 2019, &udp_rows_intact);
	udp_rows_write_report(12, 2019, &udp_rows_intact);
	text_report_check(UDP_ROWS_BASIC_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[  1] Sent 851 datagrams\n"
	    "[ 12] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[ 12] Sent 851 datagrams\n"
	    "[SUM] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[SUM-2] Sent 1702 datagrams\n"
	    "[  1] Server Report:\n" UDP_ROWS_RECV_HEADER
	    "[  1] 0.00-2.02 sec   261 KBytes  1.06 Mbits/sec   "
	    "0.001 ms 0/182 (0%)\n"
	    "[ 12] Server Report:\n"
	    "[ 12] 0.00-2.02 sec   261 KBytes  1.06 Mbits/sec   "
	    "0.001 ms 0/182 (0%)\n");
}
END_TEST

START_TEST(test_end_client_sum_only)
{
	text_report()->options.sum_only = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(1, 851);
	udp_rows_write(ROW_UDP_SEND, -1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(-1, 1702);
	udp_rows_write_report(1, 2019, &udp_rows_intact);
	text_report_check("[SUM-cnt] Interval       Transfer     Bandwidth\n"
			  "[SUM-2] 0.00-1.00 sec  1.19 MBytes  10.0 "
			  "Mbits/sec\n"
			  "[SUM-2] Sent 1702 datagrams\n"
			  "[  1] Server Report:\n" UDP_ROWS_RECV_HEADER
			  "[  1] 0.00-2.02 sec   261 KBytes  1.06 Mbits/sec   "
			  "0.001 ms 0/182 (0%)\n");
}
END_TEST

START_TEST(test_end_client_excluded)
{
	text_report()->options.exclude = EXCLUDE_DATA | EXCLUDE_SERVER_REPORT;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write_sent(1, 851);
	udp_rows_write_report(1, 2019, &udp_rows_intact);
	text_report_check_empty();
}
END_TEST

static Suite *
udp_text_suite(void)
{
	Suite *s = suite_create("udp_text");
	TCase *rows = text_report_case(s, "rows");
	TCase *end = text_report_case(s, "end of a test");

	tcase_add_test(rows, test_row_receiver);
	tcase_add_test(rows, test_row_receiver_reordered);
	tcase_add_test(rows, test_row_receiver_remarks);
	tcase_add_test(rows, test_row_receiver_sum);
	tcase_add_test(rows, test_row_receiver_sum_only);
	tcase_add_loop_test(rows, test_row_percent_table, 0, COUNT(percents));
	tcase_add_test(rows, test_row_sender);
	tcase_add_loop_test(rows, test_row_sender_shortfall, 0,
	    COUNT(shortfalls));
	tcase_add_loop_test(rows, test_row_sender_paused, 0, COUNT(pauses));

	tcase_add_test(end, test_end_client);
	tcase_add_test(end, test_end_client_streams);
	tcase_add_test(end, test_end_client_sum_only);
	tcase_add_test(end, test_end_client_excluded);
	return s;
}

int
main(void)
{
	return run_suite(udp_text_suite());
}
