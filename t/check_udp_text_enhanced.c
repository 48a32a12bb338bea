/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"
#include "udp_rows.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define DELAY_HEADER                                                  \
	"[ ID] Interval        Transfer     Bandwidth        Jitter " \
	"  Lost/Total  Latency avg/min/max/stdev PPS  Rx/inP  NetPwr\n"
#define SEND_HEADER                                                \
	"[ ID] Interval        Transfer     Bandwidth      Write/" \
	"Err  PPS\n"
#define SEND_SUM_HEADER                                                \
	"[SUM-cnt] Interval        Transfer     Bandwidth      Write/" \
	"Err  PPS\n"

#define DELAY_LINE(id)                                                   \
	"[  " id "] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec   0.001 " \
	"ms 1/853 (0.12%) 0.005/0.002/0.049/0.002 ms 852 pps 852/0(0) "  \
	"pkts 276160\n"

/* A row of a flow with trip times. */
static void
write_delays(int id, const struct tally *tally)
{
	struct row_fact row = text_report_row(ROW_UDP_RECV, id, 0, 1000, tally);

	row.has_delays = true;
	writer_text()->interval(text_report()->state, &row);
}

START_TEST(test_row_receiver_enhanced)
{
	text_report()->options.enhanced = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 2, 0, 1000, &udp_rows_delayed);
	text_report_check(DELAY_HEADER DELAY_LINE("2"));
}
END_TEST

START_TEST(test_row_receiver_delays)
{
	udp_rows_begin();
	write_delays(1, &udp_rows_delayed);
	udp_rows_write(ROW_UDP_RECV, 2, 0, 1000, &udp_rows_intact);
	text_report_check(DELAY_HEADER DELAY_LINE("1") UDP_ROWS_RECV_HEADER
	    "[  2] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec "
	    "  0.001 ms 0/182 (0%)\n");
}
END_TEST

/* 5000 datagrams/s that take 100 ms, give or take 10 ms. */
START_TEST(test_row_receiver_in_progress)
{
	static const struct tally t = {
	    .bytes = 5000 * 1250,
	    .datagrams = 5000,
	    .advanced = 5000,
	    .delay = {5000, 100e6, 4999 * 1e14, 80e6, 120e6},
	};

	udp_rows_begin();
	write_delays(1, &t);
	text_report_check(DELAY_HEADER
	    "[  1] 0.00-1.00 sec  5.96 MBytes  50.0 Mbits/sec   0.000 ms "
	    "0/5000 (0%) 100.000/80.000/120.000/10.000 ms 5000 pps "
	    "5000/500(50) pkts 62.50\n");
}
END_TEST

static const struct moments unrealistic[] = {
    {0, 0, 0, 0, 0},
    {852, 0, 0, -11e6, 5e6},
    {852, 61e9, 0, 61e9, 62e9},
};

START_TEST(test_row_receiver_unrealistic)
{
	struct tally t = udp_rows_delayed;

	t.delay = unrealistic[_i];
	text_report()->options.enhanced = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &t);
	text_report_check(DELAY_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec   0.001 ms 1/853 "
	    "(0.12%) -/-/-/- ms 852 pps\n");
}
END_TEST

START_TEST(test_row_receiver_sum_enhanced)
{
	text_report()->options.enhanced = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &udp_rows_delayed);
	udp_rows_write(ROW_UDP_RECV, -1, 0, 1000, &udp_rows_delayed);
	text_report_check(
	    DELAY_HEADER DELAY_LINE("1") "[SUM-cnt] Interval     Transfer     "
					 "Bandwidth       Lost/Total  "
					 "Latency avg/min/max  PPS\n"
					 "[SUM-2] 0.00-1.00 sec  1.19 MBytes  "
					 "10.0 Mbits/sec  1/853 (0.12%)"
					 "  0.005/0.002/0.049  852 pps\n");
}
END_TEST

START_TEST(test_row_receiver_sum_delays)
{
	static const struct tally sum = {
	    .bytes = 3401 * 1470,
	    .datagrams = 3401,
	    .advanced = 3402,
	    .gaps = 1,
	    .delay = {3401, 4000, 0, 1000, 139000},
	};

	udp_rows_begin();
	write_delays(-1, &sum);
	text_report_check(
	    "[SUM-cnt] Interval        Transfer     Bandwidth      Lost/Total  "
	    "Latency avg/min/max  Rx/inP PPS\n"
	    "[SUM-2] 0.00-1.00 sec  4.77 MBytes  40.0 Mbits/sec  1/3402 "
	    "(0.029%)  0.004/0.001/0.139  3401/0      3401 pps\n");
}
END_TEST

START_TEST(test_row_sender_enhanced)
{
	static const struct tally sum = {.bytes = 1702 * 1470,
	    .datagrams = 1702,
	    .errors = 1};

	text_report()->options.enhanced = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write(ROW_UDP_SEND, -1, 0, 1000, &sum);
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	text_report_check(SEND_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec  851/0      851 "
	    "pps\n" SEND_SUM_HEADER
	    "[SUM-2] 0.00-1.00 sec  2.39 MBytes  20.0 Mbits/sec  1702/1     "
	    "1702 pps\n"
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec  851/0      851 "
	    "pps\n");
}
END_TEST

START_TEST(test_end_client_enhanced)
{
	text_report()->options.enhanced = true;
	udp_rows_begin();
	udp_rows_write(ROW_UDP_SEND, 1, 0, 1000, &udp_rows_sent);
	udp_rows_write_report(1, 1000, &udp_rows_delayed);
	text_report_check(SEND_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec  851/0      851 "
	    "pps\n"
	    "[  1] Server Report:\n" DELAY_HEADER DELAY_LINE("1"));
}
END_TEST

static Suite *
udp_text_enhanced_suite(void)
{
	Suite *s = suite_create("udp_text_enhanced");
	TCase *tc = text_report_case(s, "rows with -e or trip times");

	tcase_add_test(tc, test_row_receiver_enhanced);
	tcase_add_test(tc, test_row_receiver_delays);
	tcase_add_test(tc, test_row_receiver_in_progress);
	tcase_add_loop_test(tc, test_row_receiver_unrealistic, 0,
	    COUNT(unrealistic));
	tcase_add_test(tc, test_row_receiver_sum_enhanced);
	tcase_add_test(tc, test_row_receiver_sum_delays);
	tcase_add_test(tc, test_row_sender_enhanced);
	tcase_add_test(tc, test_end_client_enhanced);
	return s;
}

int
main(void)
{
	return run_suite(udp_text_enhanced_suite());
}
