/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* From the counts of workers to the lines of a report, by the reporter. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "measure/slot.h"
#include "report/reporter.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

static struct reporter *reporter;
static FILE *out;
static char *text;
static size_t text_size;

static void
ignore_wake(void)
{
}

static void
start(const struct writer *writer)
{
	out = open_memstream(&text, &text_size);
	reporter =
	    reporter_start(&text_report()->options, writer, out, ignore_wake);
	ck_assert_ptr_nonnull(reporter);
}

static void
set_up(void)
{
	text_report_set_up();
	start(writer_text());
}

static void
tear_down(void)
{
	text_report_tear_down();
}

/* Ends the reporter and compares all that it has written. */
static void
check_report(const char *expected)
{
	reporter_stop(reporter);
	reporter_free(reporter);
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
}

static struct flow *
open_flow(struct test *t, int id, enum row_kind kind)
{
	struct connection_fact f = text_report_connection();
	struct flow *flow;

	f.id = id;
	flow = flow_open(t, &f, kind, -1);
	ck_assert_ptr_nonnull(flow);
	flow_start(flow, NS_PER_S);
	return flow;
}

static void
count(struct flow *f, const struct tally *what)
{
	struct tally *t = slot_take(flow_slot(f));

	tally_merge(t, what);
	slot_give(flow_slot(f), t);
}

#define CONNECTED(id)                                                     \
	"[  " id "] local 127.0.0.1 port 39552 connected with 127.0.0.1 " \
	"port 5721\n"
#define BASIC_HEADER "[ ID] Interval       Transfer     Bandwidth\n"
#define RECV_HEADER                                                  \
	"[ ID] Interval       Transfer     Bandwidth        Jitter " \
	"  Lost/Total Datagrams\n"

/* Totals and what was sent, then sums, then what the server says. */
START_TEST(test_flow_server_report_order)
{
	static const struct tally sent = {.bytes = 1250000, .datagrams = 1000};
	static const struct tally report = {.bytes = 1125000,
	    .datagrams = 900,
	    .advanced = 1000,
	    .gaps = 100};
	struct test_plan plan = {.streams = 2, .duration_ns = NS_PER_S};
	struct test *t = test_open(reporter, &plan);
	struct flow *one = open_flow(t, 1, ROW_UDP_SEND);
	struct flow *two = open_flow(t, 2, ROW_UDP_SEND);

	count(two, &sent);
	count(one, &sent);
	flow_server_report(two, &report, 1100 * NS_PER_MS);
	flow_end(two, 2 * NS_PER_S);
	flow_end(one, 2 * NS_PER_S);
	test_release(t);
	check_report(CONNECTED("1") CONNECTED("2") BASIC_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[  1] Sent 1000 datagrams\n"
	    "[  2] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
	    "[  2] Sent 1000 datagrams\n"
	    "[SUM] 0.00-1.00 sec  2.38 MBytes  20.0 Mbits/sec\n"
	    "[SUM-2] Sent 2000 datagrams\n"
	    "[  2] Server Report:\n" RECV_HEADER
	    "[  2] 0.00-1.10 sec  1.07 MBytes  8.18 Mbits/sec   0.000 ms "
	    "100/1000 (10%)\n");
}
END_TEST

/* The last row in CSV is the sum of the reports, if there are all of them. */
START_TEST(test_flow_server_report_sum)
{
	static const struct tally report = {.bytes = 1125000,
	    .datagrams = 900,
	    .advanced = 1000,
	    .gaps = 100};
	static const char *const last[] = {
	    ",2,0.0-1.2,1125000,7500000,0.000,100,1000,10.000,0\n",
	    ",-1,0.0-1.2,2250000,15000000,0.000,200,2000,10.000,0\n",
	};
	struct test_plan plan = {.streams = 2, .duration_ns = NS_PER_S};
	struct flow *one, *two;
	struct test *t;
	size_t length;

	check_report("");
	start(writer_csv());
	t = test_open(reporter, &plan);
	one = open_flow(t, 1, ROW_UDP_SEND);
	two = open_flow(t, 2, ROW_UDP_SEND);
	if (_i == 1)
		flow_server_report(one, &report, 1100 * NS_PER_MS);
	flow_server_report(two, &report, 1200 * NS_PER_MS);
	flow_end(one, 2 * NS_PER_S);
	flow_end(two, 2 * NS_PER_S);
	test_release(t);
	reporter_stop(reporter);
	reporter_free(reporter);
	fclose(out);
	length = strlen(last[_i]);
	ck_assert_uint_gt(text_size, length);
	ck_assert_str_eq(text + text_size - length, last[_i]);
	free(text);
}
END_TEST

/* Each flow has histograms of its own; the total is their fold. */
START_TEST(test_flow_open_histograms)
{
	struct options *options = &text_report()->options;
	struct test_plan plan = {.streams = 1, .duration_ns = NS_PER_S};
	struct tally *slot;
	struct test *t;
	struct flow *f;

	options->histogram =
	    (struct histogram_option){10 * NS_PER_US, 100, 5, 95};
	options->jitter_width_ns = 10 * NS_PER_US;
	t = test_open(reporter, &plan);
	f = open_flow(t, 1, ROW_UDP_RECV);
	slot = slot_take(flow_slot(f));
	ck_assert_ptr_nonnull(slot->delay_bins);
	ck_assert_ptr_nonnull(slot->jitter_bins);
	slot->datagrams = slot->advanced = 2;
	slot->bytes = 2940;
	histogram_add(slot->delay_bins, 15 * NS_PER_US, NS_PER_S);
	histogram_add(slot->delay_bins, 25 * NS_PER_US, 2 * NS_PER_S);
	histogram_add(slot->jitter_bins, 5 * NS_PER_US, NS_PER_S);
	slot_give(flow_slot(f), slot);
	flow_end(f, 2 * NS_PER_S);
	test_release(t);
	check_report(CONNECTED("1") RECV_HEADER
	    "[  1] 0.00-1.00 sec  2.87 KBytes  23.5 Kbits/sec   0.000 ms 0/2 "
	    "(0%)\n"
	    "[  1] 0.00-1.00 sec T8(f)-PDF: bin(w=10us):cnt(2)=2:1,3:1 "
	    "(5.00/95.00/99.7%=2/3/3,Outliers=0,obl/obu=0/0) "
	    "(0.025 ms/2.000000)\n"
	    "[  1] 0.00-1.00 sec J8(f)-PDF: bin(w=10us):cnt(1)=1:1 "
	    "(5.00/95.00/99.7%=1/1/1,Outliers=0,obl/obu=0/0)\n");
}
END_TEST

static Suite *
udp_report_suite(void)
{
	Suite *s = suite_create("udp_report");
	TCase *tc = tcase_create("reporter");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_flow_server_report_order);
	tcase_add_loop_test(tc, test_flow_server_report_sum, 0, 2);
	tcase_add_test(tc, test_flow_open_histograms);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_report_suite());
}
