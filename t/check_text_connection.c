/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

START_TEST(test_connected_plain)
{
	struct connection_fact f = text_report_connection();

	f.tos_sent = 0x28;
	f.quickack = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check(
	    "[  1] local 127.0.0.1 port 39552 connected with 127.0.0.1 "
	    "port 5721\n");
}
END_TEST

START_TEST(test_connected_client_enhanced)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.enhanced = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[  1] local 127.0.0.1%lo port 39552 connected with "
			  "127.0.0.1 port 5721 (icwnd/mss/irtt=319/32741/34) "
			  "(ct=0.24 ms) on 2026-11-30 19:38:02.099 (UTC)\n");
}
END_TEST

START_TEST(test_connected_server_enhanced)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.enhanced = true;
	text_report()->options.utc = true;
	f.id = 1234;
	f.is_server = true;
	f.device[0] = '\0';
	f.clamp_bytes = 65536;
	f.tos_received = 0x28;
	f.tos_sent = 0x10;
	strcpy(f.peer_version, "2.1.8");
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[1234] local 127.0.0.1 port 39552 connected with "
			  "127.0.0.1 port 5721 (clamp=65536) "
			  "(tos rx=0x28,dscp=10,ecn=0) (peer 2.1.8) "
			  "(icwnd/mss/irtt=319/32741/34) "
			  "on 2026-11-30 19:38:02.099 (GMT)\n");
}
END_TEST

START_TEST(test_connected_client_suffixes)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.enhanced = true;
	f.tos_sent = 0x2a;
	f.prefetch_bytes = 262144;
	f.txstart = true;
	f.quickack = true;
	f.initial_rtt_us = -1;
	f.connect_ns = -1;
	strcpy(f.congestion, "reno");
	strcpy(f.peer_version, "2.1.8");
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[  1] local 127.0.0.1%lo port 39552 connected with "
			  "127.0.0.1 port 5721 (prefetch=262144) (epoch-start) "
			  "(reno) (tos tx=0x2a,dscp=10,ecn=2) (peer 2.1.8) "
			  "(qack) on 2026-11-30 19:38:02.099 (UTC)\n");
}
END_TEST

/* What this end is, and what its connection line has of the TOS. */
static const struct {
	bool is_server, is_back, reverse, full_duplex;
	int received;
	int sent;
	const char *shown;
} tos_cases[] = {
    /* A client that sends, receives, or does both; it is told nothing. */
    {false, false, false, false, -1, 0x28, "(tos tx=0x28,dscp=10,ecn=0) "},
    {false, false, false, false, -1, 0, ""},
    {false, false, true, false, -1, 0x28, ""},
    {false, false, false, true, -1, 0x28, "(tos tx=0x28,dscp=10,ecn=0) "},
    {false, false, false, true, -1, 0, ""},
    /* A server. */
    {true, false, false, false, 0x2b, 0x10, "(tos rx=0x2b,dscp=10,ecn=3) "},
    {true, false, false, false, 0, 0x10, ""},
    {true, false, false, false, -1, 0x10, ""},
    {true, false, true, false, 0x28, 0x10, "(tos tx=0x10,dscp=4,ecn=0) "},
    {true, false, true, false, 0x28, 0, ""},
    {true, false, false, true, 0x28, 0x10,
	"(tos rx/tx=0x28,dscp=10,ecn=0/0x10,dscp=4,ecn=0) "},
    {true, false, false, true, 0, 0x10,
	"(tos rx/tx=0x0,dscp=0,ecn=0/0x10,dscp=4,ecn=0) "},
    {true, false, false, true, 0x28, 0,
	"(tos rx/tx=0x28,dscp=10,ecn=0/0x0,dscp=0,ecn=0) "},
    {true, false, false, true, 0, 0, ""},
    {true, false, false, true, -1, 0x10, "(tos tx=0x10,dscp=4,ecn=0) "},
    /* A server that connects back to its client. */
    {false, true, true, false, -1, 0x28, "(tos tx=0x28,dscp=10,ecn=0) "},
};

START_TEST(test_connected_tos)
{
	struct connection_fact f = text_report_connection();
	char expected[512];

	text_report()->options.enhanced = true;
	f.is_server = tos_cases[_i].is_server;
	f.is_back = tos_cases[_i].is_back;
	f.reverse = tos_cases[_i].reverse;
	f.full_duplex = tos_cases[_i].full_duplex;
	f.tos_received = tos_cases[_i].received;
	f.tos_sent = tos_cases[_i].sent;
	f.connect_ns = -1;
	f.initial_rtt_us = -1;
	snprintf(expected, sizeof(expected),
	    "%s1] local 127.0.0.1%%lo port 39552 connected with 127.0.0.1 port "
	    "5721 %s%s%son 2026-11-30 19:38:02.099 (UTC)\n",
	    f.is_back ? "[ *" : "[  ", f.reverse ? "(reverse) " : "",
	    f.full_duplex ? "(full-duplex) " : "", tos_cases[_i].shown);
	writer_text()->connected(text_report()->state, &f);
	text_report_check(expected);
}
END_TEST

/* Even a key of our own may hold what a terminal or a parser would heed. */
START_TEST(test_connected_key)
{
	struct connection_fact f = text_report_connection();

	strcpy(text_report()->options.permit_key, "my]\033key");
	writer_text()->connected(text_report()->state, &f);
	f.is_dropped = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[my\\x5d\\x1bkey(1)] local 127.0.0.1 port 39552 "
			  "connected with 127.0.0.1 port 5721\n"
			  "[drop] local 127.0.0.1 port 39552 connection with "
			  "127.0.0.1 port 5721 (permit key fail)\n");
}
END_TEST

START_TEST(test_connected_connect_only)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.connect_only = 0;
	f.connect_ns = 1234567 * NS_PER_US;
	writer_text()->connected(text_report()->state, &f);
	text_report_check(
	    "[  1] local 127.0.0.1 port 39552 connected with 127.0.0.1 "
	    "port 5721 (ct=1234.57 ms) on 2026-11-30 19:38:02 (UTC)\n");
}
END_TEST

START_TEST(test_connected_mss)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.print_mss = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check(
	    "[  1] local 127.0.0.1 port 39552 connected with 127.0.0.1 "
	    "port 5721\n[  1] MSS size 32741 bytes\n");
}
END_TEST

START_TEST(test_connected_excluded)
{
	struct connection_fact f = text_report_connection();

	text_report()->options.sum_only = _i == 0;
	text_report()->options.exclude = _i == 1 ? EXCLUDE_CONNECTION : 0;
	writer_text()->connected(text_report()->state, &f);
	text_report_check_empty();
}
END_TEST

static Suite *
text_connection_suite(void)
{
	Suite *s = suite_create("text_connection");
	TCase *tc = text_report_case(s, "connection lines");

	tcase_add_test(tc, test_connected_plain);
	tcase_add_test(tc, test_connected_client_enhanced);
	tcase_add_test(tc, test_connected_server_enhanced);
	tcase_add_test(tc, test_connected_client_suffixes);
	tcase_add_loop_test(tc, test_connected_tos, 0,
	    (int)(sizeof(tos_cases) / sizeof(tos_cases[0])));
	tcase_add_test(tc, test_connected_key);
	tcase_add_test(tc, test_connected_connect_only);
	tcase_add_test(tc, test_connected_mss);
	tcase_add_loop_test(tc, test_connected_excluded, 0, 2);
	return s;
}

int
main(void)
{
	return run_suite(text_connection_suite());
}
