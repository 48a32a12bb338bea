/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

#define BASIC_HEADER "[ ID] Interval       Transfer     Bandwidth\n"
#define SEND_HEADER                                                         \
	"[ ID] Interval        Transfer    Bandwidth       Write/Err  Rtry" \
	"     Cwnd/RTT(var)        NetPwr\n"
#define SEND_SUM_HEADER                                                     \
	"[SUM-cnt] Interval        Transfer    Bandwidth       Write/Err  " \
	"Rtry\n"
#define RECV_HEADER \
	"[ ID] Interval        Transfer    Bandwidth       Reads=Dist\n"
#define RECV_SUM_HEADER \
	"[SUM-cnt] Interval        Transfer    Bandwidth       Reads=Dist\n"

/* Writes a row; times in ms. */
static void
write_row(enum row_kind kind, int id, int64_t start_ms, int64_t end_ms,
    const struct tally *tally, const struct tcp_sample *tcp)
{
	struct row_fact row =
	    text_report_row(kind, id, start_ms, end_ms, tally);

	row.tcp = tcp;
	writer_text()->interval(text_report()->state, &row);
}

static void
write_bytes(int id, int64_t start_ms, int64_t end_ms, uint64_t bytes)
{
	struct tally tally = {.bytes = bytes};

	write_row(ROW_TCP_SEND, id, start_ms, end_ms, &tally, NULL);
}

/* Rows without -e. */

START_TEST(test_row_basic)
{
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 500, 191 * 131072);
	write_bytes(1, 500, 1000, 191 * 131072);
	write_bytes(1, 0, 2020, 764 * 131072);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-0.50 sec  23.9 MBytes   401 Mbits/sec\n"
			 "[  1] 0.50-1.00 sec  23.9 MBytes   401 Mbits/sec\n"
			 "[  1] 0.00-2.02 sec  95.5 MBytes   397 Mbits/sec\n");
}
END_TEST

START_TEST(test_row_basic_sum)
{
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 1000, 12582912);
	write_bytes(12, 0, 1000, 12582912);
	write_bytes(-1, 0, 1000, 50331648);
	write_bytes(1, 1000, 2000, 12582912);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-1.00 sec  12.0 MBytes   101 Mbits/sec\n"
			 "[ 12] 0.00-1.00 sec  12.0 MBytes   101 Mbits/sec\n"
			 "[SUM] 0.00-1.00 sec  48.0 MBytes   403 Mbits/sec\n"
			 "[  1] 1.00-2.00 sec  12.0 MBytes   101 Mbits/sec\n");
}
END_TEST

START_TEST(test_row_header_each_test)
{
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 1000, 12582912);
	writer_text()->test_begins(text_report()->state);
	write_bytes(2, 0, 1000, 12582912);
	text_report_check(BASIC_HEADER
	    "[  1] 0.00-1.00 sec  12.0 MBytes   101 Mbits/sec\n" BASIC_HEADER
	    "[  2] 0.00-1.00 sec  12.0 MBytes   101 Mbits/sec\n");
}
END_TEST

START_TEST(test_row_sum_only)
{
	text_report()->options.sum_only = true;
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 1000, 12582912);
	write_bytes(-1, 0, 1000, 50331648);
	write_bytes(-1, 0, 1000, 50331648);
	text_report_check(
	    "[SUM-cnt] Interval       Transfer     Bandwidth\n"
	    "[SUM-2] 0.00-1.00 sec  48.0 MBytes   403 Mbits/sec\n"
	    "[SUM-2] 0.00-1.00 sec  48.0 MBytes   403 Mbits/sec\n");
}
END_TEST

START_TEST(test_row_data_excluded)
{
	text_report()->options.exclude = EXCLUDE_DATA;
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 1000, 12582912);
	write_bytes(-1, 0, 1000, 50331648);
	text_report_check(
	    BASIC_HEADER "[SUM] 0.00-1.00 sec  48.0 MBytes   403 Mbits/sec\n");
}
END_TEST

START_TEST(test_row_nothing_measured)
{
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 0, 0);
	write_bytes(1, 0, 0, 60);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-0.00 sec  0.000 Bytes  0.000 bits/sec\n"
			 "[  1] 0.00-0.00 sec  60.0 Bytes  0.000 bits/sec\n");
}
END_TEST

START_TEST(test_row_long_and_large)
{
	text_report()->options.format = 'b';
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 10000, UINT64_C(1) << 33);
	write_bytes(-1, 0, INT64_C(86400000), UINT64_C(1) << 50);
	text_report_check(BASIC_HEADER
	    "[  1] 0.00-10.00 sec  8589934592 Bytes  6871947674 bits/sec\n"
	    "[SUM] 0.00-86400.00 sec  1125899906842624 Bytes  "
	    "104249991374 bits/sec\n");
}
END_TEST

START_TEST(test_row_format_letter)
{
	static const char *const lines[] = {
	    "[  1] 0.00-1.00 sec  11.9 MBytes   100 Mbits/sec\n",
	    "[  1] 0.00-1.00 sec  11.9 MBytes  11.9 MBytes/sec\n",
	    "[  1] 0.00-1.00 sec  12207 KBytes  100000 Kbits/sec\n",
	};
	char expected[256];

	text_report()->options.format = "mMk"[_i];
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 1000, 12500000);
	snprintf(expected, sizeof(expected), BASIC_HEADER "%s", lines[_i]);
	text_report_check(expected);
}
END_TEST

START_TEST(test_row_fine_times)
{
	text_report()->options.interval_ns = 10 * NS_PER_MS;
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 10, 125000);
	text_report()->options.enhanced = true;
	write_row(ROW_TCP_RECV, 1, 10, 20, &(struct tally){.bytes = 125000},
	    NULL);
	text_report_check(BASIC_HEADER
	    "[  1] 0.0000-0.0100 sec   122 KBytes   100 Mbits/sec\n"
	    "[ ID] Interval            Transfer    Bandwidth       "
	    "Reads=Dist\n"
	    "[  1] 0.0100-0.0200 sec   122 KBytes   100 Mbits/sec  "
	    "0=0:0:0:0:0:0:0:0\n");
}
END_TEST

START_TEST(test_row_coarse_times)
{
	text_report()->options.interval_ns = 100 * NS_PER_MS;
	writer_text()->test_begins(text_report()->state);
	write_bytes(1, 0, 100, 1250000);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-0.10 sec  1.19 MBytes   100 Mbits/sec\n");
}
END_TEST

/* Rows with -e. */

static const struct tally sent = {
    .bytes = 2445803600,
    .calls = 18660,
    .retransmits = 10,
};

static const struct tcp_sample sample = {
    .rtt_us = 100,
    .rttvar_us = 26,
    .cwnd_packets = 36,
    .mss_bytes = 32741,
};

static const struct tally sent_sum = {.bytes = 10485888, .calls = 82};

static const struct tally received = {
    .bytes = 2437000000,
    .calls = 19784,
    .read_bins = {478, 2, 5, 828, 568, 7, 3, 17893},
};

#define SEND_LINE(id)                                                          \
	"[  " id "] 0.00-1.00 sec  2.28 GBytes  19.6 Gbits/sec  18660/0      " \
	"   10     1151K/100(26) us  24458036\n"
#define SEND_SUM_LINE \
	"[SUM-2] 0.00-1.02 sec  10.0 MBytes  82.0 Mbits/sec  82/0         0\n"
#define RECV_LINE(id)                                           \
	"[" id "] 0.00-1.00 sec  2.27 GBytes  19.5 Gbits/sec  " \
	"19784=478:2:5:828:568:7:3:17893\n"

START_TEST(test_row_send)
{
	text_report()->options.enhanced = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	text_report_check(SEND_HEADER SEND_LINE("1"));
}
END_TEST

START_TEST(test_row_send_unknown)
{
	static const struct tcp_sample no_window = {.rtt_us = 100,
	    .rttvar_us = 26};
	static const struct tcp_sample no_delay = {.cwnd_packets = 10,
	    .mss_bytes = 1024};

	text_report()->options.enhanced = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &no_window);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &no_delay);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, NULL);
	text_report_check(SEND_HEADER
	    "[  1] 0.00-1.00 sec  2.28 GBytes  19.6 Gbits/sec  18660/0         "
	    "10       NA/100(26) us    24458036\n"
	    "[  1] 0.00-1.00 sec  2.28 GBytes  19.6 Gbits/sec  18660/0         "
	    "10       10K/0(0) us  NA\n"
	    "[  1] 0.00-1.00 sec  2.28 GBytes  19.6 Gbits/sec  18660/0         "
	    "10       NA/NA(NA) us    NA\n");
}
END_TEST

/* The columns of the streams reach further than those of the sum. */
START_TEST(test_row_send_sum)
{
	text_report()->options.enhanced = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	write_row(ROW_TCP_SEND, 2, 0, 1000, &sent, &sample);
	write_row(ROW_TCP_SEND, -1, 0, 1023, &sent_sum, NULL);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	write_row(ROW_TCP_SEND, -1, 0, 1023, &sent_sum, NULL);
	text_report_check(SEND_HEADER SEND_LINE("1") SEND_LINE("2")
		SEND_SUM_HEADER SEND_SUM_LINE SEND_HEADER SEND_LINE("1")
		    SEND_SUM_LINE);
}
END_TEST

START_TEST(test_row_recv_sum)
{
	text_report()->options.enhanced = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_RECV, 1, 0, 1000, &received, NULL);
	write_row(ROW_TCP_RECV, -1, 0, 1000, &received, NULL);
	write_row(ROW_TCP_RECV, 1, 0, 1000, &received, NULL);
	write_row(ROW_TCP_RECV, -1, 0, 1000, &received, NULL);
	text_report_check(
	    RECV_HEADER RECV_LINE("  1") RECV_SUM_HEADER RECV_LINE("SUM-2")
		RECV_LINE("  1") RECV_LINE("SUM-2"));
}
END_TEST

START_TEST(test_row_kinds_alternate)
{
	text_report()->options.enhanced = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	write_row(ROW_TCP_RECV, 2, 0, 1000, &received, NULL);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	text_report_check(SEND_HEADER SEND_LINE("1")
		RECV_HEADER RECV_LINE("  2") SEND_HEADER SEND_LINE("1"));
}
END_TEST

START_TEST(test_row_enhanced_sum_only)
{
	text_report()->options.enhanced = true;
	text_report()->options.sum_only = true;
	writer_text()->test_begins(text_report()->state);
	write_row(ROW_TCP_SEND, 1, 0, 1000, &sent, &sample);
	write_row(ROW_TCP_SEND, -1, 0, 1023, &sent_sum, NULL);
	write_row(ROW_TCP_SEND, -1, 0, 1023, &sent_sum, NULL);
	text_report_check(SEND_SUM_HEADER SEND_SUM_LINE SEND_SUM_LINE);
}
END_TEST

/* Other lines. */

START_TEST(test_connect_times_several)
{
	struct connect_times_fact f = {
	    .attempts = 5,
	    .failures = 1,
	    .min_ns = 55 * NS_PER_US,
	    .max_ns = 470 * NS_PER_US,
	    .mean_ns = 172e3,
	    .stddev_ns = 22.142e3,
	};

	writer_text()->connect_times(text_report()->state, &f);
	text_report_check("[ CT] final connect times (min/avg/max/stdev) = "
			  "0.055/0.172/0.470/0.022 ms (tot/err) = 5/1\n");
}
END_TEST

START_TEST(test_connect_times_all_failed)
{
	struct connect_times_fact f = {.attempts = 2,
	    .failures = 2,
	    .min_ns = INT64_MAX};

	writer_text()->connect_times(text_report()->state, &f);
	text_report_check("[ CT] final connect times (min/avg/max/stdev) = "
			  "0.000/0.000/0.000/0.000 ms (tot/err) = 2/2\n");
}
END_TEST

START_TEST(test_connect_times_one)
{
	struct connect_times_fact f = {.attempts = 1};

	writer_text()->connect_times(text_report()->state, &f);
	text_report_check_empty();
}
END_TEST

START_TEST(test_writer_for_style)
{
	text_report()->options.style = STYLE_TEXT;
	ck_assert_ptr_eq(writer_for(&text_report()->options), writer_text());
	text_report()->options.style = STYLE_CSV;
	ck_assert_ptr_eq(writer_for(&text_report()->options), writer_csv());
}
END_TEST

START_TEST(test_null_silent)
{
	struct settings_fact settings = text_report_client();
	struct connection_fact connection = text_report_connection();
	struct connect_times_fact times = {.attempts = 2};
	struct udp_sent_fact udp_sent = {.id = 1, .datagrams = 2};
	struct row_fact row = {.id = 1, .tally = &sent};
	const struct writer *w = writer_null();
	void *st = w->begin(text_report()->out, &text_report()->options);

	ck_assert_ptr_nonnull(st);
	w->settings(st, &settings);
	w->connected(st, &connection);
	w->test_begins(st);
	w->interval(st, &row);
	w->total(st, &row);
	w->udp_sent(st, &udp_sent);
	w->server_report(st, &row);
	w->connect_times(st, &times);
	w->end(st);
	text_report_check_empty();
}
END_TEST

static void
add_rows(Suite *s)
{
	TCase *basic = text_report_case(s, "basic rows");
	TCase *enhanced = text_report_case(s, "enhanced rows");

	tcase_add_test(basic, test_row_basic);
	tcase_add_test(basic, test_row_basic_sum);
	tcase_add_test(basic, test_row_header_each_test);
	tcase_add_test(basic, test_row_sum_only);
	tcase_add_test(basic, test_row_data_excluded);
	tcase_add_test(basic, test_row_nothing_measured);
	tcase_add_test(basic, test_row_long_and_large);
	tcase_add_loop_test(basic, test_row_format_letter, 0, 3);
	tcase_add_test(basic, test_row_fine_times);
	tcase_add_test(basic, test_row_coarse_times);
	tcase_add_test(enhanced, test_row_send);
	tcase_add_test(enhanced, test_row_send_unknown);
	tcase_add_test(enhanced, test_row_send_sum);
	tcase_add_test(enhanced, test_row_recv_sum);
	tcase_add_test(enhanced, test_row_kinds_alternate);
	tcase_add_test(enhanced, test_row_enhanced_sum_only);
}

static Suite *
writer_text_suite(void)
{
	Suite *s = suite_create("writer_text");
	TCase *other;

	add_rows(s);
	other = text_report_case(s, "other lines");
	tcase_add_test(other, test_connect_times_several);
	tcase_add_test(other, test_connect_times_all_failed);
	tcase_add_test(other, test_connect_times_one);
	tcase_add_test(other, test_writer_for_style);
	tcase_add_test(other, test_null_silent);
	return s;
}

int
main(void)
{
	return run_suite(writer_text_suite());
}
