/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * One run in the form of each writer, compared with t/data/report/NAME. What
 * differs from run to run is masked. GOLDEN_WRITE=1 writes the files anew,
 * for a change that is meant.
 */

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "report/writer.h"
#include "run_suite.h"
#include "text_report.h"

struct golden {
	const char *name;
	enum report_style style;
	bool enhanced;
};

static const struct golden goldens[] = {
    {"text", STYLE_TEXT, false},
    {"text-enhanced", STYLE_TEXT, true},
    {"csv", STYLE_CSV, false},
    {"csv-enhanced", STYLE_CSV, true},
    {"json", STYLE_JSON, true},
    {"json-stream", STYLE_JSON_STREAM, true},
};

#define GOLDENS ((int)(sizeof(goldens) / sizeof(goldens[0])))

static const struct tcp_sample sample = {
    .rtt_us = 712,
    .rttvar_us = 56,
    .cwnd_packets = 18,
    .mss_bytes = 65483,
    .in_flight_packets = 3,
    .retransmits = 5,
    .min_rtt_us = 30,
    .delivery_bytes_per_s = 125000000,
    .busy_us = 900000,
    .rwnd_limited_us = 20000,
    .sndbuf_limited_us = -1,
};

static const struct tally sent = {
    .bytes = 5111808,
    .calls = 39,
    .retransmits = 5,
};

static const struct tally received = {
    .bytes = 2500000,
    .calls = 40,
    .read_bins = {3, 0, 0, 2, 0, 0, 0, 35},
};

static const struct tally datagrams_sent = {
    .bytes = 1253910,
    .datagrams = 853,
    .coalesced = 6,
    .full_ns = 1500000,
};

static const struct tally datagrams = {
    .bytes = 1252440,
    .datagrams = 852,
    .advanced = 853,
    .gaps = 3,
    .late = 2,
    .duplicates = 1,
    .queue_drops = 1,
    .has_jitter = true,
    .jitter_ns = 2500,
    .delay = {.count = 852, .mean = 7e3, .m2 = 4e9, .min = 3e3, .max = 31e3},
};

/* Hands a row to the writer; interval or total. */
static void
write_row(struct row_fact row, bool total)
{
	struct text_report *r = text_report();

	row.test = 1;
	row.total = total;
	row.wall_ns = INT64_C(1796067631) * NS_PER_S + row.end_ns;
	text_report_address(&row.source, row.kind % 2 == 0 ? 42224 : 5721);
	text_report_address(&row.destination, row.kind % 2 == 0 ? 5721 : 42224);
	row.source_is_peer = row.kind % 2 != 0;
	row.source_varies = !row.source_is_peer || row.kind >= ROW_TCP_BOTH;
	row.destination_varies = row.source_is_peer || row.kind >= ROW_TCP_BOTH;
	if (total)
		r->writer->total(r->state, &row);
	else
		r->writer->interval(r->state, &row);
}

static void
write_tcp(bool total)
{
	int64_t end_ms = total ? 1020 : 1000;
	struct row_fact row;

	row = text_report_row(ROW_TCP_SEND, 1, 0, end_ms, &sent);
	row.tcp = &sample;
	write_row(row, total);
	row = text_report_row(ROW_TCP_SEND, -1, 0, end_ms, &sent);
	row.two_way = true;
	write_row(row, total);
	row = text_report_row(ROW_TCP_RECV, 2, 0, end_ms, &received);
	row.reversed = true;
	write_row(row, total);
	write_row(text_report_row(ROW_TCP_BOTH, 1, 0, end_ms, &sent), total);
	row = text_report_row(ROW_TCP_BOTH, -1, 0, end_ms, &received);
	row.two_way = true;
	write_row(row, total);
}

static void
write_udp(void)
{
	struct histogram_shape shape = {
	    .width_ns = 10 * NS_PER_US,
	    .bins = 100,
	    .lower_percent = 5,
	    .upper_percent = 95,
	};
	struct text_report *r = text_report();
	struct tally tally = datagrams;
	struct row_fact row;

	tally.delay_bins = histogram_new(&shape);
	histogram_add(tally.delay_bins, 7000, INT64_C(1796067631) * NS_PER_S);
	histogram_add(tally.delay_bins, 31000, INT64_C(1796067632) * NS_PER_S);
	write_row(text_report_row(ROW_UDP_SEND, 3, 0, 1000, &datagrams_sent),
	    true);
	write_row(text_report_row(ROW_UDP_RECV, 3, 0, 1000, &datagrams), true);
	write_row(text_report_row(ROW_UDP_RECV, -1, 0, 1000, &datagrams), true);
	row = text_report_row(ROW_UDP_RECV, 4, 0, 1000, &tally);
	row.has_delays = true;
	write_row(row, true);
	write_row(text_report_row(ROW_UDP_BOTH, -1, 0, 1000, &datagrams), true);
	row = text_report_row(ROW_UDP_RECV, 3, 0, 1000, &datagrams);
	row.server_report = true;
	row.total = true;
	text_report_address(&row.source, 42224);
	text_report_address(&row.destination, 5721);
	r->writer->server_report(r->state, &row);
	free(tally.delay_bins);
}

static void
write_remark(const char *text, bool is_error)
{
	struct remark_fact f = {
	    .text = text,
	    .is_error = is_error,
	    .wall_ns = INT64_C(1796067633) * NS_PER_S,
	};

	text_report()->writer->remark(text_report()->state, &f);
}

static void
write_report(void)
{
	struct text_report *r = text_report();
	struct settings_fact settings = text_report_client();
	struct connection_fact connection = text_report_connection();
	struct connect_times_fact times = {
	    .attempts = 3,
	    .failures = 1,
	    .min_ns = 20000,
	    .max_ns = 40000,
	    .mean_ns = 30000,
	    .stddev_ns = 14142,
	};

	write_remark("a warning: \\ \xff", false);
	r->writer->settings(r->state, &settings);
	connection.test = 1;
	r->writer->connected(r->state, &connection);
	r->writer->test_begins(r->state);
	write_tcp(false);
	write_tcp(true);
	write_udp();
	r->writer->connect_times(r->state, &times);
	write_remark("[  1] write failed: Broken pipe", true);
	ck_assert_int_eq(r->writer->conclude(r->state, OUTCOME_FAILED), 0);
	fflush(r->out);
}

/* Removes what is between two texts, the first time after `from`. */
static char *
mask(char *from, const char *before, const char *after)
{
	char *begin = strstr(from, before), *end;

	if (begin == NULL)
		return from;
	begin += strlen(before);
	end = strstr(begin, after);
	ck_assert_ptr_nonnull(end);
	memmove(begin, end, strlen(end) + 1);
	return begin;
}

/* Machine, times and processor time; text and CSV have none of these. */
static void
mask_report(char *text)
{
	char *at;

	if (strstr(text, "\"host\":{") == NULL)
		return;
	at = mask(text, "\"version\":\"", "\"");
	at = mask(at, "\"host\":{", "}");
	/* The time is the last member of a line, or the settings follow. */
	at = mask(at,
	    "\"time\":", strstr(at, ",\"settings\":{") != NULL ? "," : "}");
	at = mask(at, "\"error\":\"[  1] write failed: Broken pipe\",",
	    "\"cpu\":{");
	mask(at, "\"cpu\":{", "}");
}

static void
golden_path(char *path, size_t size, const char *name)
{
	const char *srcdir = getenv("srcdir");

	snprintf(path, size, "%s/t/data/report/%s",
	    srcdir != NULL ? srcdir : ".", name);
}

static char *
read_golden(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *f = fopen(path, "r");

	ck_assert_msg(f != NULL, "cannot read %s", path);
	ck_assert_uint_lt(fread(text, 1, 65535, f), 65535);
	fclose(f);
	return text;
}

static void
write_golden(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_msg(f != NULL, "cannot write %s", path);
	fputs(text, f);
	fclose(f);
}

START_TEST(test_golden)
{
	const struct golden *g = &goldens[_i];
	struct text_report *r = text_report();
	char path[512];
	char *expected;

	r->options.style = g->style;
	r->options.enhanced = g->enhanced;
	if (writer_for(&r->options) == NULL)
		return; /* built without JSON */
	text_report_restart();
	write_report();
	mask_report(r->text);
	golden_path(path, sizeof(path), g->name);
	if (getenv("GOLDEN_WRITE") != NULL)
		write_golden(path, r->text);
	expected = read_golden(path);
	ck_assert_str_eq(r->text, expected);
	free(expected);
}
END_TEST

static Suite *
golden_suite(void)
{
	Suite *s = suite_create("golden");

	tcase_add_loop_test(text_report_case(s, "writers"), test_golden, 0,
	    GOLDENS);
	return s;
}

int
main(void)
{
	return run_suite(golden_suite());
}
