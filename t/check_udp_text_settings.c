/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Connection lines. */

static struct connection_fact
make_connection(void)
{
	struct connection_fact f = text_report_connection();

	f.initial_cwnd_bytes = -1;
	f.initial_rtt_us = -1;
	f.mss_bytes = -1;
	f.connect_ns = -1;
	return f;
}

START_TEST(test_connected_nature)
{
	struct connection_fact f = make_connection();

	f.no_udp_fin = true;
	f.trip_times = true;
	f.tos_sent = 0x28;
	writer_text()->connected(text_report()->state, &f);
	text_report()->options.enhanced = true;
	f.txstart = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[  1] local 127.0.0.1 port 39552 connected with "
			  "127.0.0.1 port 5721 (no-udp-fin) (trip-times)\n"
			  "[  1] local 127.0.0.1%lo port 39552 connected with "
			  "127.0.0.1 port 5721 (epoch-start) (no-udp-fin) "
			  "(trip-times) (tos tx=0x28,dscp=10,ecn=0) on "
			  "2026-11-30 19:38:02.099 (UTC)\n");
}
END_TEST

/* Trip times make the line of a server an enhanced one. */
START_TEST(test_connected_server)
{
	struct connection_fact f = make_connection();

	f.is_server = true;
	strcpy(f.peer_version, "2.1.8");
	writer_text()->connected(text_report()->state, &f);
	f.trip_times = true;
	writer_text()->connected(text_report()->state, &f);
	text_report_check("[  1] local 127.0.0.1 port 39552 connected with "
			  "127.0.0.1 port 5721\n"
			  "[  1] local 127.0.0.1%lo port 39552 connected with "
			  "127.0.0.1 port 5721 (trip-times) (peer 2.1.8) on "
			  "2026-11-30 19:38:02.099 (UTC)\n");
}
END_TEST

/* Banners. */

static struct settings_fact
make_client(void)
{
	struct settings_fact f = text_report_client();

	text_report()->options.protocol = PROTOCOL_UDP;
	text_report()->options.length_bytes = 1470;
	f.congestion[0] = '\0';
	f.window_bytes = 212992;
	f.ipg_ns = 2352;
	return f;
}

static struct settings_fact
make_server(void)
{
	struct settings_fact f = text_report_server();

	text_report()->options.protocol = PROTOCOL_UDP;
	text_report()->options.length_bytes = 1470;
	f.congestion[0] = '\0';
	f.window_bytes = 212992;
	return f;
}

START_TEST(test_settings_client)
{
	struct settings_fact f = make_client();

	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, UDP port 5721\n"
		      "Sending 1470 byte datagrams, IPG target: 2.35 us "
		      "(kalman adjust)\n"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_enhanced)
{
	struct settings_fact f = make_client();

	f.ipg_ns = 11215209.96;
	text_report()->options.enhanced = true;
	text_report()->options.economy = true;
	text_report()->options.window_bytes = 1000;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, UDP port 5721 with "
		      "pid 530 (1/0 flows/load)\n"
		      "TOS defaults to 0x0 (dscp=0,ecn=0) (Nagle on)\n"
		      "Sending 1470 byte datagrams, IPG target: 11215.21 us "
		      "(kalman adjust, economy)\n"
		      "UDP buffer size:  208 KByte (WARNING: requested 1000 "
		      "Byte)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_streams)
{
	struct settings_fact f = make_client();

	f.ipg_ns = 1176000;
	f.streams = 4;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, UDP port 5721\n"
		      "Sending 1470 byte datagrams, IPG target: 1176.00 us "
		      "(kalman adjust)\n"
		      "4 streams x 10.0 Mbits/sec = 40.0 Mbits/sec\n"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_client_unlimited)
{
	struct settings_fact f = make_client();

	f.ipg_ns = 0;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Client connecting to 127.0.0.1, UDP port 5721\n"
		      "Sending 1470 byte datagrams, IPG target: 0.00 us "
		      "(no limit)\n"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server)
{
	struct settings_fact f = make_server();

	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on UDP port 5721\n"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE);
}
END_TEST

START_TEST(test_settings_server_enhanced)
{
	struct settings_fact f = make_server();
	struct options *options = &text_report()->options;

	options->enhanced = true;
	options->histogram.width_ns = 10 * NS_PER_US;
	options->histogram.bins = 1000;
	options->jitter_width_ns = 10 * NS_PER_US;
	writer_text()->settings(text_report()->state, &f);
	text_report_check(
	    TEXT_RULE "Server listening on UDP port 5721 with pid 389\n"
		      "Read buffer size: 1470 Byte\n"
		      "Enabled receive histograms bin-width=0.010 ms, "
		      "bins=1000 (clients should use --trip-times)\n"
		      "Enabled jitter histograms (bin-width=10 us)\n"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE);
}
END_TEST

struct join_case {
	const char *device;
	const char *source;
	unsigned exclude;
	bool hidden;
	const char *line;
};

static const struct join_case joins[] = {
    {"", "", 0, false, "Joining multicast group  239.1.1.1\n"},
    {"lo", "", 0, false, "Joining multicast (*,G)=*,239.1.1.1 w/iface lo\n"},
    {"", "127.0.0.1", 0, false,
	"Joining multicast (S,G)=127.0.0.1,239.1.1.1\n"},
    {"lo", "127.0.0.1", 0, false,
	"Joining multicast (S,G)=127.0.0.1,239.1.1.1 w/iface lo\n"},
    {"", "127.0.0.1", 0, true, "Joining multicast (S,G)=*.*.*.1,*.*.*.1\n"},
    {"lo", "", EXCLUDE_MULTICAST, false, ""},
};

START_TEST(test_settings_server_join)
{
	const struct join_case *c = &joins[_i];
	struct settings_fact f = make_server();
	struct options *options = &text_report()->options;
	char expected[512];

	options->multicast = true;
	options->hide_ips = c->hidden;
	options->exclude = c->exclude;
	strcpy(options->bind.host, "239.1.1.1");
	strcpy(options->bind.device, c->device);
	strcpy(options->ssm_source.host, c->source);
	writer_text()->settings(text_report()->state, &f);
	snprintf(expected, sizeof(expected),
	    TEXT_RULE "Server listening on UDP port 5721\n%s"
		      "UDP buffer size:  208 KByte (default)\n" TEXT_RULE,
	    c->line);
	text_report_check(expected);
}
END_TEST

static Suite *
udp_text_settings_suite(void)
{
	Suite *s = suite_create("udp_text_settings");
	TCase *connections = text_report_case(s, "connections");
	TCase *banners = text_report_case(s, "banners");

	tcase_add_test(connections, test_connected_nature);
	tcase_add_test(connections, test_connected_server);
	tcase_add_test(banners, test_settings_client);
	tcase_add_test(banners, test_settings_client_enhanced);
	tcase_add_test(banners, test_settings_client_streams);
	tcase_add_test(banners, test_settings_client_unlimited);
	tcase_add_test(banners, test_settings_server);
	tcase_add_test(banners, test_settings_server_enhanced);
	tcase_add_loop_test(banners, test_settings_server_join, 0,
	    COUNT(joins));
	return s;
}

int
main(void)
{
	return run_suite(udp_text_settings_suite());
}
