/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "report/writer.h"
#include "text_report.h"

#define BASIC_HEADER "[ ID] Interval       Transfer     Bandwidth\n"
#define RECV_HEADER                                                  \
	"[ ID] Interval       Transfer     Bandwidth        Jitter " \
	"  Lost/Total Datagrams\n"
#define DELAY_HEADER                                                  \
	"[ ID] Interval        Transfer     Bandwidth        Jitter " \
	"  Lost/Total  Latency avg/min/max/stdev PPS  Rx/inP  NetPwr\n"
#define SEND_HEADER                                                \
	"[ ID] Interval        Transfer     Bandwidth      Write/" \
	"Err  PPS\n"
#define SEND_SUM_HEADER                                                \
	"[SUM-cnt] Interval        Transfer     Bandwidth      Write/" \
	"Err  PPS\n"

/* A row; times in ms. */
static struct row_fact
make_row(enum row_kind kind, int id, int64_t start_ms, int64_t end_ms,
    const struct tally *tally)
{
	struct row_fact row = {
	    .kind = kind,
	    .sum = id < 0,
	    .streams = id < 0 ? 2 : 1,
	    .id = id,
	    .start_ns = start_ms * NS_PER_MS,
	    .end_ns = end_ms * NS_PER_MS,
	    .tally = tally,
	};

	return row;
}

static void
write_row(enum row_kind kind, int id, int64_t start_ms, int64_t end_ms,
    const struct tally *tally)
{
	struct row_fact row = make_row(kind, id, start_ms, end_ms, tally);

	writer_text()->interval(text_report()->state, &row);
}

/* A row of a flow with trip times. */
static void
write_delays(int id, const struct tally *tally)
{
	struct row_fact row = make_row(ROW_UDP_RECV, id, 0, 1000, tally);

	row.has_delays = true;
	writer_text()->interval(text_report()->state, &row);
}

static void
write_sent(int id, uint64_t datagrams)
{
	struct udp_sent_fact f = {
	    .id = id,
	    .sum = id < 0,
	    .streams = id < 0 ? 2 : 1,
	    .datagrams = datagrams,
	};

	writer_text()->udp_sent(text_report()->state, &f);
}

static void
write_report(int id, int64_t end_ms, const struct tally *tally)
{
	struct row_fact row = make_row(ROW_UDP_RECV, id, 0, end_ms, tally);

	row.total = true;
	row.server_report = true;
	writer_text()->server_report(text_report()->state, &row);
}

static void
begin_test(void)
{
	writer_text()->test_begins(text_report()->state);
}

/* A second at 10 Mbit/s, as sent and as received through a bad path. */
static const struct tally sent = {
    .bytes = 851 * 1470,
    .calls = 700,
    .datagrams = 851,
};

static const struct tally received = {
    .bytes = 1688 * 1470,
    .datagrams = 1688,
    .advanced = 1704,
    .gaps = 50,
    .late = 34,
    .has_jitter = true,
    .jitter_ns = 150e3,
};

static const struct tally intact = {
    .bytes = 182 * 1470,
    .datagrams = 182,
    .advanced = 182,
    .has_jitter = true,
    .jitter_ns = 1e3,
};

/* 853 ids of which one was lost. */
static const struct tally delayed = {
    .bytes = 852 * 1470,
    .datagrams = 852,
    .advanced = 853,
    .gaps = 1,
    .delay = {852, 4535.2, 851 * 2000.0 * 2000.0, 2000, 49000},
    .has_jitter = true,
    .jitter_ns = 1e3,
};

/* Without -e. */

START_TEST(test_row_receiver)
{
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 2019, &intact);
	text_report_check(RECV_HEADER "[  1] 0.00-2.02 sec   261 KBytes  1.06 "
				      "Mbits/sec   0.001 ms 0/182 (0%)\n");
}
END_TEST

START_TEST(test_row_receiver_reordered)
{
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 2001, &received);
	text_report_check(RECV_HEADER
	    "[  1] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   0.150 ms "
	    "16/1704 (0.94%)\n"
	    "[  1] 0.00-2.00 sec  34 datagrams received out-of-order\n");
}
END_TEST

/* Duplicates are out of order too, as they always were. */
START_TEST(test_row_receiver_remarks)
{
	struct tally t = received;

	t.duplicates = 2;
	t.queue_drops = 5;
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 2001, &t);
	text_report_check(RECV_HEADER
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
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &intact);
	write_row(ROW_UDP_RECV, -1, 0, 2001, &received);
	write_row(ROW_UDP_RECV, 1, 0, 1000, &intact);
	write_row(ROW_UDP_RECV, -1, 0, 1000, &intact);
	text_report_check(RECV_HEADER
	    "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/sec   0.001 ms 0/182 "
	    "(0%)\n" BASIC_HEADER
	    "[SUM] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   16/1704 "
	    "(0.94%)\n"
	    "[SUM] 0.00-2.00 sec  34 datagrams received "
	    "out-of-order\n" RECV_HEADER
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
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &intact);
	write_row(ROW_UDP_RECV, -1, 0, 1000, &sum);
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

	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	snprintf(expected, sizeof(expected),
	    RECV_HEADER "[  1] 0.00-1.00 sec  0.000 Bytes  0.000 bits/sec   "
			"0.000 ms %s\n",
	    c->text);
	text_report_check(expected);
}
END_TEST

START_TEST(test_row_sender)
{
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_row(ROW_UDP_SEND, -1, 0, 1000, &sent);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
			 "[SUM] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n");
}
END_TEST

struct shortfall_case {
	int id;
	bool total;
	int64_t forgiven_ms;
	uint64_t errors;
	const char *line;
};

static const struct shortfall_case shortfalls[] = {
    {1, true, 120, 0,
	"[  1] 0.00-1.00 sec  12% of the target rate not sent: this host could "
	"not keep up\n"},
    {1, true, 5, 3,
	"[  1] 0.00-1.00 sec  0.5% of the target rate not sent: no buffer "
	"space for 3 writes\n"},
    {-1, true, 500, 0,
	"[SUM] 0.00-1.00 sec  25% of the target rate not sent: this host could "
	"not keep up\n"},
    {1, true, 0, 3, ""},
    {1, false, 120, 0, ""},
};

START_TEST(test_row_sender_shortfall)
{
	const struct shortfall_case *c = &shortfalls[_i];
	struct tally t = {.bytes = 1250000,
	    .forgiven_ns = (uint64_t)(c->forgiven_ms * NS_PER_MS),
	    .errors = c->errors};
	struct row_fact row = make_row(ROW_UDP_SEND, c->id, 0, 1000, &t);
	char expected[512];

	row.total = c->total;
	begin_test();
	writer_text()->total(text_report()->state, &row);
	snprintf(expected, sizeof(expected),
	    BASIC_HEADER "[%s] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n%s",
	    c->id < 0 ? "SUM" : "  1", c->line);
	text_report_check(expected);
}
END_TEST

/* The end of a test. */

START_TEST(test_end_client)
{
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_sent(1, 1704);
	write_report(1, 2001, &received);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
			 "[  1] Sent 1704 datagrams\n"
			 "[  1] Server Report:\n" RECV_HEADER
			 "[  1] 0.00-2.00 sec  2.37 MBytes  9.92 Mbits/sec   "
			 "0.150 ms 16/1704 (0.94%)\n"
			 "[  1] 0.00-2.00 sec  34 datagrams received "
			 "out-of-order\n");
}
END_TEST

START_TEST(test_end_client_streams)
{
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_sent(1, 851);
	write_row(ROW_UDP_SEND, 12, 0, 1000, &sent);
	write_sent(12, 851);
	write_row(ROW_UDP_SEND, -1, 0, 1000, &sent);
	write_sent(-1, 1702);
	write_report(1, 2019, &intact);
	write_report(12, 2019, &intact);
	text_report_check(
	    BASIC_HEADER "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
			 "[  1] Sent 851 datagrams\n"
			 "[ 12] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
			 "[ 12] Sent 851 datagrams\n"
			 "[SUM] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec\n"
			 "[SUM-2] Sent 1702 datagrams\n"
			 "[  1] Server Report:\n" RECV_HEADER
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
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_sent(1, 851);
	write_row(ROW_UDP_SEND, -1, 0, 1000, &sent);
	write_sent(-1, 1702);
	write_report(1, 2019, &intact);
	text_report_check("[SUM-cnt] Interval       Transfer     Bandwidth\n"
			  "[SUM-2] 0.00-1.00 sec  1.19 MBytes  10.0 "
			  "Mbits/sec\n"
			  "[SUM-2] Sent 1702 datagrams\n"
			  "[  1] Server Report:\n" RECV_HEADER
			  "[  1] 0.00-2.02 sec   261 KBytes  1.06 Mbits/sec   "
			  "0.001 ms 0/182 (0%)\n");
}
END_TEST

START_TEST(test_end_client_excluded)
{
	text_report()->options.exclude = EXCLUDE_DATA | EXCLUDE_SERVER_REPORT;
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_sent(1, 851);
	write_report(1, 2019, &intact);
	text_report_check_empty();
}
END_TEST

/* With -e, or with trip times. */

#define DELAY_LINE(id)                                                   \
	"[  " id "] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec   0.001 " \
	"ms 1/853 (0.12%) 0.005/0.002/0.049/0.002 ms 852 pps 852/0(0) "  \
	"pkts 276160\n"

START_TEST(test_row_receiver_enhanced)
{
	text_report()->options.enhanced = true;
	begin_test();
	write_row(ROW_UDP_RECV, 2, 0, 1000, &delayed);
	text_report_check(DELAY_HEADER DELAY_LINE("2"));
}
END_TEST

START_TEST(test_row_receiver_delays)
{
	begin_test();
	write_delays(1, &delayed);
	write_row(ROW_UDP_RECV, 2, 0, 1000, &intact);
	text_report_check(DELAY_HEADER DELAY_LINE("1") RECV_HEADER
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

	begin_test();
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
	struct tally t = delayed;

	t.delay = unrealistic[_i];
	text_report()->options.enhanced = true;
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	text_report_check(DELAY_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec   0.001 ms 1/853 "
	    "(0.12%) -/-/-/- ms 852 pps\n");
}
END_TEST

START_TEST(test_row_receiver_sum_enhanced)
{
	text_report()->options.enhanced = true;
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &delayed);
	write_row(ROW_UDP_RECV, -1, 0, 1000, &delayed);
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

	begin_test();
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
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_row(ROW_UDP_SEND, -1, 0, 1000, &sum);
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
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
	begin_test();
	write_row(ROW_UDP_SEND, 1, 0, 1000, &sent);
	write_report(1, 1000, &delayed);
	text_report_check(SEND_HEADER
	    "[  1] 0.00-1.00 sec  1.19 MBytes  10.0 Mbits/sec  851/0      851 "
	    "pps\n"
	    "[  1] Server Report:\n" DELAY_HEADER DELAY_LINE("1"));
}
END_TEST

/* Histograms. */

static void
add_times(struct histogram *h, int64_t us, int count)
{
	int i;

	for (i = 0; i < count; i++)
		histogram_add(h, us * NS_PER_US, INT64_C(1796067911224027000));
}

#define PLAIN_LINE                                                  \
	RECV_HEADER "[  1] 0.00-1.00 sec   261 KBytes  2.14 Mbits/" \
		    "sec   0.001 ms 0/182 (0%)\n"

START_TEST(test_histogram_delay)
{
	struct histogram_shape shape = {10 * NS_PER_US, 1000, 5, 95};
	struct tally t = intact;
	struct row_fact row;

	t.delay_bins = histogram_new(&shape);
	add_times(t.delay_bins, 5, 275);
	add_times(t.delay_bins, 15, 142);
	add_times(t.delay_bins, 25, 6);
	add_times(t.delay_bins, 35, 1);
	add_times(t.delay_bins, 45, 1);
	row = make_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	begin_test();
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
	struct tally t = intact;

	t.jitter_bins = histogram_new(&shape);
	add_times(t.jitter_bins, 5, 416);
	add_times(t.jitter_bins, 15, 7);
	add_times(t.jitter_bins, 25, 3);
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	free(t.jitter_bins);
	text_report_check(PLAIN_LINE
	    "[  1] 0.00-1.00 sec J8-PDF: bin(w=10us):cnt(426)=1:416,2:7,3:3 "
	    "(5.00/95.00/99.7%=1/1/3,Outliers=0,obl/obu=0/0)\n");
}
END_TEST

START_TEST(test_histogram_empty)
{
	struct histogram_shape shape = {NS_PER_MS, 10, 5, 99.9};
	struct tally t = intact;

	t.delay_bins = histogram_new(&shape);
	begin_test();
	write_row(ROW_UDP_RECV, 1, 0, 1000, &t);
	free(t.delay_bins);
	text_report_check(
	    PLAIN_LINE "[  1] 0.00-1.00 sec T8-PDF: bin(w=1ms):cnt(0) "
		       "(5.00/99.7/99.90%=0/0/0,Outliers=0,obl/obu=0/0)\n");
}
END_TEST

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
	f.tos = 0x28;
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

static TCase *
add_case(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, text_report_set_up,
	    text_report_tear_down);
	suite_add_tcase(s, tc);
	return tc;
}

static void
add_rows(Suite *s)
{
	TCase *basic = add_case(s, "basic rows");
	TCase *end = add_case(s, "end of a test");
	TCase *enhanced = add_case(s, "enhanced rows");

	tcase_add_test(basic, test_row_receiver);
	tcase_add_test(basic, test_row_receiver_reordered);
	tcase_add_test(basic, test_row_receiver_remarks);
	tcase_add_test(basic, test_row_receiver_sum);
	tcase_add_test(basic, test_row_receiver_sum_only);
	tcase_add_loop_test(basic, test_row_percent_table, 0,
	    (int)(sizeof(percents) / sizeof(percents[0])));
	tcase_add_test(basic, test_row_sender);
	tcase_add_loop_test(basic, test_row_sender_shortfall, 0,
	    (int)(sizeof(shortfalls) / sizeof(shortfalls[0])));
	tcase_add_test(end, test_end_client);
	tcase_add_test(end, test_end_client_streams);
	tcase_add_test(end, test_end_client_sum_only);
	tcase_add_test(end, test_end_client_excluded);
	tcase_add_test(end, test_end_client_enhanced);
	tcase_add_test(enhanced, test_row_receiver_enhanced);
	tcase_add_test(enhanced, test_row_receiver_delays);
	tcase_add_test(enhanced, test_row_receiver_in_progress);
	tcase_add_loop_test(enhanced, test_row_receiver_unrealistic, 0,
	    (int)(sizeof(unrealistic) / sizeof(unrealistic[0])));
	tcase_add_test(enhanced, test_row_receiver_sum_enhanced);
	tcase_add_test(enhanced, test_row_receiver_sum_delays);
	tcase_add_test(enhanced, test_row_sender_enhanced);
}

static Suite *
udp_text_suite(void)
{
	Suite *s = suite_create("udp_text");
	TCase *histograms = add_case(s, "histograms");
	TCase *connections = add_case(s, "connections");
	TCase *banners = add_case(s, "banners");

	add_rows(s);
	tcase_add_test(histograms, test_histogram_delay);
	tcase_add_test(histograms, test_histogram_jitter);
	tcase_add_test(histograms, test_histogram_empty);
	tcase_add_test(connections, test_connected_nature);
	tcase_add_test(connections, test_connected_server);
	tcase_add_test(banners, test_settings_client);
	tcase_add_test(banners, test_settings_client_enhanced);
	tcase_add_test(banners, test_settings_client_unlimited);
	tcase_add_test(banners, test_settings_server);
	tcase_add_test(banners, test_settings_server_enhanced);
	tcase_add_loop_test(banners, test_settings_server_join, 0,
	    (int)(sizeof(joins) / sizeof(joins[0])));
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(udp_text_suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
