/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

START_TEST(test_settings_client_plain)
{
	struct settings_fact f = text_report_client();

	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, TCP port 5721\n"
		      "TCP window size: 16.0 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_enhanced)
{
	struct settings_fact f = text_report_client();

	text_report()->options.enhanced = true;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, TCP port 5721 with "
		      "pid 530 (1/0 flows/load)\n"
		      "Write buffer size: 131072 Byte\n"
		      "TCP congestion control using bbr\n"
		      "TOS defaults to 0x0 (dscp=0,ecn=0) (Nagle on)\n"
		      "TCP window size: 16.0 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_device)
{
	struct settings_fact f = text_report_client();

	f.streams = 4;
	strcpy(text_report()->options.server.device, "lo");
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, TCP port 5721 with "
		      "pid 530 via lo (4/0 flows/load)\n"
		      "TCP window size: 16.0 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_everything)
{
	struct settings_fact f = text_report_client();

	f.adaptive = true;
	f.call_bytes = 1048576;
	f.window_bytes = 425984;
	strcpy(f.congestion, "reno");
	strcpy(text_report()->options.congestion, "reno");
	text_report()->options.enhanced = true;
	text_report()->options.fq_rate_bps = 80000000;
	text_report()->options.mss_bytes = 1200;
	text_report()->options.tos = 0x28;
	text_report()->options.nodelay = true;
	text_report()->options.write_prefetch_bytes = 262144;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, TCP port 5721 with "
		      "pid 530 (1/0 flows/load)\n"
		      "Write buffer size: 131072 Byte (up to 1048576 Byte a "
		      "call)\n"
		      "fair-queue socket pacing set to 80.0 Mbit/s\n"
		      "MSS req size 1200 bytes (per TCP_MAXSEG)\n"
		      "TCP congestion control set to reno using reno\n"
		      "TOS set to 0x28 (dscp=10,ecn=0) and nodelay "
		      "(Nagle off)\n"
		      "TCP window size:  416 KByte (default)\n"
		      "Event based writes (pending queue watermark at "
		      "262144 bytes)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_connect_only)
{
	struct settings_fact f = text_report_client();

	text_report()->options.connect_only = 3;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, TCP port 5721\n"
		      "TCP three-way-handshake (3WHS) only\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_hidden)
{
	struct settings_fact f = text_report_client();

	text_report()->options.hide_ips = true;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to (**hidden**), TCP port 5721\n"
		      "TCP window size: 16.0 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_loopback)
{
	struct settings_fact f = text_report_client();

	f.role = SETTINGS_LOOPBACK;
	strcpy(f.loopback_address, "127.0.0.1");
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Loopback test: client and server in this process, "
		      "127.0.0.1 TCP port 5721\n"
		      "TCP window size: 16.0 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_plain)
{
	struct settings_fact f = text_report_server();

	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on TCP port 5721\n"
		      "TCP window size:  128 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_enhanced)
{
	struct settings_fact f = text_report_server();

	text_report()->options.enhanced = true;
	text_report()->options.single_client = true;
	text_report()->options.tos = 0x10;
	strcpy(text_report()->options.bind.host, "0.0.0.0");
	strcpy(text_report()->options.bind.device, "lo");
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on TCP port 5721 with pid 389\n"
		      "Binding to local address 0.0.0.0 and iface lo\n"
		      "Read buffer size:  128 KByte (Dist bin width="
		      "16.0 KByte)\n"
		      "TCP congestion control default bbr\n"
		      "TOS will be set to 0x10 (dscp=4,ecn=0)\n"
		      "Server set to single client traffic mode "
		      "(serialize traffic tests)\n"
		      "TCP window size:  128 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_ports)
{
	struct settings_fact f = text_report_server();

	f.port_first = 5750;
	f.port_last = 5752;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on TCP ports 5750-5752 with pid "
		      "389\n"
		      "TCP window size:  128 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_v6)
{
	struct settings_fact f = text_report_server();

	text_report()->options.enhanced = true;
	text_report()->options.family = FAMILY_V6;
	f.congestion[0] = '\0';
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on TCP (v6) port 5721 with pid 389\n"
		      "Read buffer size:  128 KByte (Dist bin width="
		      "16.0 KByte)\n"
		      "TCP window size:  128 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_hidden)
{
	struct settings_fact f = text_report_server();

	text_report()->options.enhanced = true;
	text_report()->options.hide_ips = true;
	f.congestion[0] = '\0';
	strcpy(text_report()->options.bind.host, "127.0.0.1");
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on TCP port 5721 with pid 389\n"
		      "Binding to local address *.*.*.1\n"
		      "Read buffer size:  128 KByte (Dist bin width="
		      "16.0 KByte)\n"
		      "TCP window size:  128 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_excluded)
{
	struct settings_fact f = text_report_client();

	text_report()->options.exclude = EXCLUDE_SETTINGS;
	writer_text()->settings(text_report()->state, &f);
	text_report_check_empty();
}
END_TEST

struct window_case {
	int64_t asked_bytes;
	int64_t actual_bytes;
	char format;
	const char *line;
};

static const struct window_case windows[] = {
    {-1, 131072, 'a', "TCP window size:  128 KByte (default)\n"},
    {-1, 16384, 'b', "TCP window size: 16384 Byte (default)\n"},
    {-1, 131072, 'B', "TCP window size: 131072 Byte (default)\n"},
    {-1, 16384, 'g', "TCP window size: 16.0 KByte (default)\n"},
    {65536, 131072, 'a',
	"TCP window size:  128 KByte (WARNING: requested 64.0 KByte)\n"},
    {1024, 4608, 'a',
	"TCP window size: 4.50 KByte (WARNING: requested 1.00 KByte)\n"},
    {65536, 131072, 'b',
	"TCP window size: 131072 Byte (WARNING: requested 65536 Byte)\n"},
    {131072, 131072, 'a', "TCP window size:  128 KByte\n"},
    {-1, -1, 'a', ""},
};

START_TEST(test_settings_window_table)
{
	const struct window_case *c = &windows[_i];
	struct settings_fact f = text_report_server();
	char expected[512];

	text_report()->options.window_bytes = c->asked_bytes;
	text_report()->options.format = c->format;
	f.window_bytes = c->actual_bytes;
	writer_text()->settings(text_report()->state, &f);
	snprintf(expected, sizeof(expected),
	    TEXT_RULE "Server listening on TCP port 5721\n%s" TEXT_RULE,
	    c->line);
	text_report_check(expected);
}
END_TEST

static Suite *
text_settings_suite(void)
{
	Suite *s = suite_create("text_settings");
	TCase *tc = text_report_case(s, "banners");

	tcase_add_test(tc, test_settings_client_plain);
	tcase_add_test(tc, test_settings_client_enhanced);
	tcase_add_test(tc, test_settings_client_device);
	tcase_add_test(tc, test_settings_client_everything);
	tcase_add_test(tc, test_settings_client_connect_only);
	tcase_add_test(tc, test_settings_client_hidden);
	tcase_add_test(tc, test_settings_loopback);
	tcase_add_test(tc, test_settings_server_plain);
	tcase_add_test(tc, test_settings_server_enhanced);
	tcase_add_test(tc, test_settings_server_ports);
	tcase_add_test(tc, test_settings_server_v6);
	tcase_add_test(tc, test_settings_server_hidden);
	tcase_add_test(tc, test_settings_excluded);
	tcase_add_loop_test(tc, test_settings_window_table, 0,
	    (int)(sizeof(windows) / sizeof(windows[0])));
	return s;
}

int
main(void)
{
	return run_suite(text_settings_suite());
}
