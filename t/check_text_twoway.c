/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

/*
 * How reports tell the directions apart (output.md, sections 5, 19 and 20).
 */

#define BASIC_HEADER "[ ID] Interval       Transfer     Bandwidth\n"
#define FIGURES "0.00-1.00 sec  12.0 MBytes   101 Mbits/sec"

static const struct tally tally = {.bytes = 12582912, .datagrams = 8560};

static struct row_fact
make_row(enum row_kind kind, int id)
{
	return text_report_row(kind, id, 0, 1000, &tally);
}

static void
write_row(struct row_fact row)
{
	text_report()->writer->interval(text_report()->state, &row);
}

/* A sum in a test of both directions. */
static void
write_sum(enum row_kind kind)
{
	struct row_fact row = make_row(kind, -1);

	row.two_way = true;
	write_row(row);
}

static void
write_star(int id)
{
	struct row_fact row = make_row(ROW_TCP_RECV, id);

	row.reversed = true;
	write_row(row);
}

START_TEST(test_text_star)
{
	text_report()->writer->test_begins(text_report()->state);
	write_star(1);
	write_star(12);
	write_star(123);
	write_row(make_row(ROW_TCP_SEND, 1));
	text_report_check(BASIC_HEADER "[ *1] " FIGURES "\n"
				       "[*12] " FIGURES "\n"
				       "[*123] " FIGURES "\n"
				       "[  1] " FIGURES "\n");
}
END_TEST

/* Both directions of a stream have a row with -e only. */
START_TEST(test_text_pair)
{
	text_report()->writer->test_begins(text_report()->state);
	write_row(make_row(ROW_TCP_BOTH, 1));
	text_report_check_empty();
	text_report()->options.enhanced = true;
	write_row(make_row(ROW_TCP_BOTH, 1));
	write_row(make_row(ROW_TCP_BOTH, 12));
	text_report_check(BASIC_HEADER "[FD1] " FIGURES "\n"
				       "[FD12] " FIGURES "\n");
}
END_TEST

/* No sum with the figures of the only stream, unless that is left out. */
START_TEST(test_text_pair_alone)
{
	struct row_fact sum = make_row(ROW_TCP_BOTH, -1);

	sum.sum = true;
	sum.two_way = true;
	sum.streams = 1;
	text_report()->options.enhanced = true;
	text_report()->writer->test_begins(text_report()->state);
	write_row(make_row(ROW_TCP_BOTH, 1));
	write_row(sum);
	text_report_check(BASIC_HEADER "[FD1] " FIGURES "\n");
	text_report()->options.exclude = EXCLUDE_DATA;
	write_row(make_row(ROW_TCP_BOTH, 1));
	write_row(sum);
	text_report_check(
	    BASIC_HEADER "[FD1] " FIGURES "\n"
			 "[SUM-1] " FIGURES " (both directions)\n");
}
END_TEST

START_TEST(test_text_sums)
{
	text_report()->writer->test_begins(text_report()->state);
	write_sum(ROW_TCP_SEND);
	write_sum(ROW_TCP_RECV);
	write_sum(ROW_TCP_BOTH);
	/* Of one direction: as ever. */
	write_row(make_row(ROW_TCP_SEND, -1));
	text_report_check(BASIC_HEADER "[SUM] " FIGURES " (sent)\n"
				       "[SUM] " FIGURES " (received)\n"
				       "[SUM] " FIGURES " (both directions)\n"
				       "[SUM] " FIGURES "\n");
}
END_TEST

START_TEST(test_text_sum_only)
{
	text_report()->options.sum_only = true;
	text_report()->writer->test_begins(text_report()->state);
	write_row(make_row(ROW_TCP_SEND, 1));
	write_row(make_row(ROW_TCP_BOTH, 1));
	write_sum(ROW_TCP_BOTH);
	text_report_check("[SUM-cnt] Interval       Transfer     Bandwidth\n"
			  "[SUM-2] " FIGURES " (both directions)\n");
}
END_TEST

/* Datagrams of both directions have a rate of their own. */
START_TEST(test_text_udp_both)
{
	text_report()->options.enhanced = true;
	text_report()->writer->test_begins(text_report()->state);
	write_row(make_row(ROW_UDP_BOTH, 3));
	write_sum(ROW_UDP_BOTH);
	text_report_check(
	    "[ ID] Interval       Transfer     Bandwidth    "
	    "Datagrams   PPS\n"
	    "[FD3] " FIGURES " 8560    8560 pps\n"
	    "[SUM-2] " FIGURES " 8560    8560 pps (both directions)\n");
}
END_TEST

START_TEST(test_text_connections)
{
	static const char *const notes[] = {"reverse", "full-duplex"};
	struct connection_fact f = text_report_connection();
	char expected[256];

	f.reverse = _i == 0;
	f.full_duplex = _i == 1;
	text_report()->writer->connected(text_report()->state, &f);
	snprintf(expected, sizeof(expected),
	    "[  1] local 127.0.0.1 port 39552 connected with 127.0.0.1 port "
	    "5721 (%s)\n",
	    notes[_i]);
	text_report_check(expected);
}
END_TEST

/* The server's own connection back has the star, too. */
START_TEST(test_text_connection_back)
{
	struct connection_fact f = text_report_connection();

	f.reverse = true;
	f.is_back = true;
	text_report()->writer->connected(text_report()->state, &f);
	text_report_check("[ *1] local 127.0.0.1 port 39552 connected with "
			  "127.0.0.1 port 5721 (reverse)\n");
}
END_TEST

static struct row_fact
make_csv(enum row_kind kind, int id)
{
	struct row_fact row = make_row(kind, id);
	uint16_t from = kind == ROW_TCP_RECV ? 5721 : 40000;

	row.wall_ns = INT64_C(1796067631) * NS_PER_S;
	row.source_is_peer = kind == ROW_TCP_RECV;
	text_report_address(&row.source, from);
	text_report_address(&row.destination, from == 5721 ? 40000 : 5721);
	return row;
}

#define CSV_END "0.0-1.0,12582912,100663296\n"

/*
 * A row for each direction, whose ends tell which; none of both but the sum,
 * which has -1 and no ports (cases.md, W03).
 */
START_TEST(test_csv_directions)
{
	struct row_fact sum = make_csv(ROW_TCP_BOTH, -1);

	sum.two_way = true;
	sum.source_varies = true;
	sum.destination_varies = true;
	write_row(make_csv(ROW_TCP_RECV, 1));
	write_row(make_csv(ROW_TCP_SEND, 1));
	write_row(make_csv(ROW_TCP_BOTH, 1));
	write_row(sum);
	text_report_check(
	    "20261130194031,127.0.0.1,5721,127.0.0.1,40000,1," CSV_END
	    "20261130194031,127.0.0.1,40000,127.0.0.1,5721,1," CSV_END
	    "20261130194031,127.0.0.1,0,127.0.0.1,0,-1," CSV_END);
}
END_TEST

static Suite *
text_twoway_suite(void)
{
	Suite *s = suite_create("text_twoway");
	TCase *text = text_report_case(s, "text");
	TCase *csv = text_report_case_csv(s, "csv");

	tcase_add_test(text, test_text_star);
	tcase_add_test(text, test_text_pair);
	tcase_add_test(text, test_text_pair_alone);
	tcase_add_test(text, test_text_sums);
	tcase_add_test(text, test_text_sum_only);
	tcase_add_test(text, test_text_udp_both);
	tcase_add_loop_test(text, test_text_connections, 0, 2);
	tcase_add_test(text, test_text_connection_back);
	tcase_add_test(csv, test_csv_directions);
	return s;
}

int
main(void)
{
	return run_suite(text_twoway_suite());
}
