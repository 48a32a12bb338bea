/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"
#include "udp_rows.h"

static void
add_times(struct histogram *h, int64_t us, int count)
{
	int i;

	for (i = 0; i < count; i++)
		histogram_add(h, us * NS_PER_US, INT64_C(1796067911224027000));
}

#define PLAIN_LINE                                                           \
	UDP_ROWS_RECV_HEADER "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/" \
			     "sec   0.001 ms 0/182 (0%)\n"

START_TEST(test_histogram_delay)
{
	struct histogram_shape shape = {10 * NS_PER_US, 1000, 5, 95};
	struct tally t = udp_rows_intact;
	struct row_fact row;

	t.delay_bins = histogram_new(&shape);
	add_times(t.delay_bins, 5, 275);
	add_times(t.delay_bins, 15, 142);
	add_times(t.delay_bins, 25, 6);
	add_times(t.delay_bins, 35, 1);
	add_times(t.delay_bins, 45, 1);
	row = text_report_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	udp_rows_begin();
	writer_text()->interval(text_report()->state, &row);
	row.total = true;
	writer_text()->total(text_report()->state, &row);
	free(t.delay_bins);
	text_report_check(PLAIN_LINE
	    "[  1] 0.00-1.00 sec T8-PDF: bin(w=10us):cnt(425)="
	    "1:275,2:142,3:6,4:1,5:1 (5.00/95.00/99.7%=1/2/4,Outliers=0,"
	    "obl/obu=0/0) (0.045 ms/1796067911.224027)\n"
	    "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec   0.001 ms 0/182 "
	    "(0%)\n"
	    "[  1] 0.00-1.00 sec T8(f)-PDF: bin(w=10us):cnt(425)="
	    "1:275,2:142,3:6,4:1,5:1 (5.00/95.00/99.7%=1/2/4,Outliers=0,"
	    "obl/obu=0/0) (0.045 ms/1796067911.224027)\n");
}
END_TEST

START_TEST(test_histogram_jitter)
{
	struct histogram_shape shape = {10 * NS_PER_US, 1000, 5, 95};
	struct tally t = udp_rows_intact;

	t.jitter_bins = histogram_new(&shape);
	add_times(t.jitter_bins, 5, 416);
	add_times(t.jitter_bins, 15, 7);
	add_times(t.jitter_bins, 25, 3);
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &t);
	free(t.jitter_bins);
	text_report_check(PLAIN_LINE
	    "[  1] 0.00-1.00 sec J8-PDF: bin(w=10us):cnt(426)=1:416,2:7,3:3 "
	    "(5.00/95.00/99.7%=1/1/3,Outliers=0,obl/obu=0/0)\n");
}
END_TEST

START_TEST(test_histogram_empty)
{
	struct histogram_shape shape = {NS_PER_MS, 10, 5, 99.9};
	struct tally t = udp_rows_intact;

	t.delay_bins = histogram_new(&shape);
	udp_rows_begin();
	udp_rows_write(ROW_UDP_RECV, 1, 0, 1000, &t);
	free(t.delay_bins);
	text_report_check(
	    PLAIN_LINE "[  1] 0.00-1.00 sec T8-PDF: bin(w=1ms):cnt(0) "
		       "(5.00/99.7/99.90%=0/0/0,Outliers=0,obl/obu=0/0)\n");
}
END_TEST

static Suite *
text_histogram_suite(void)
{
	Suite *s = suite_create("text_histogram");
	TCase *tc = text_report_case(s, "histograms");

	tcase_add_test(tc, test_histogram_delay);
	tcase_add_test(tc, test_histogram_jitter);
	tcase_add_test(tc, test_histogram_empty);
	return s;
}

int
main(void)
{
	return run_suite(text_histogram_suite());
}
