/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "report/writer.h"
#include "text_report.h"

static struct text_report report;

struct text_report *
text_report(void)
{
	return &report;
}

static void
begin(const struct writer *writer)
{
	report.writer = writer;
	report.out = open_memstream(&report.text, &report.size);
	report.state = writer->begin(report.out, &report.options);
}

static void
set_options(void)
{
	struct options *options = &report.options;

	setenv("TZ", "UTC0", 1);
	tzset();
	memset(&report, 0, sizeof(report));
	options->role = ROLE_CLIENT;
	options->length_bytes = OPTIONS_TCP_LENGTH;
	options->format = 'a';
	options->window_bytes = -1;
	options->mss_bytes = -1;
	options->tos = -1;
	options->tos_override = -1;
	options->ipg_ns = -1;
	options->histogram.width_ns = -1;
	options->jitter_width_ns = -1;
	options->fq_rate_bps = -1;
	options->write_prefetch_bytes = -1;
	options->connect_only = -1;
	strcpy(options->server.host, "127.0.0.1");
}

void
text_report_set_up(void)
{
	set_options();
	begin(writer_text());
}

static void
set_up_csv(void)
{
	set_options();
	report.options.style = STYLE_CSV;
	begin(writer_csv());
}

void
text_report_tear_down(void)
{
	report.writer->end(report.state);
	fclose(report.out);
	free(report.text);
}

void
text_report_restart(void)
{
	text_report_tear_down();
	begin(writer_for(&report.options));
}

static TCase *
add_case(Suite *s, const char *name, void (*set_up)(void))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, set_up, text_report_tear_down);
	suite_add_tcase(s, tc);
	return tc;
}

TCase *
text_report_case(Suite *s, const char *name)
{
	return add_case(s, name, text_report_set_up);
}

TCase *
text_report_case_csv(Suite *s, const char *name)
{
	return add_case(s, name, set_up_csv);
}

void
text_report_check(const char *expected)
{
	fflush(report.out);
	ck_assert_str_eq(report.text, expected);
}

void
text_report_check_empty(void)
{
	text_report_check("");
}

struct settings_fact
text_report_client(void)
{
	struct settings_fact f = {
	    .role = SETTINGS_CLIENT,
	    .options = &report.options,
	    .port_first = 5721,
	    .port_last = 5721,
	    .pid = 530,
	    .streams = 1,
	    .window_bytes = 16384,
	    .mss_bytes = -1,
	    .congestion = "bbr",
	    .call_bytes = 131072,
	};

	return f;
}

struct settings_fact
text_report_server(void)
{
	struct settings_fact f = text_report_client();

	report.options.role = ROLE_SERVER;
	f.role = SETTINGS_SERVER;
	f.pid = 389;
	f.window_bytes = 131072;
	return f;
}

void
text_report_address(struct sockaddr_storage *ss, uint16_t port)
{
	struct sockaddr_in sin = {
	    .sin_family = AF_INET,
	    .sin_port = htons(port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	memset(ss, 0, sizeof(*ss));
	memcpy(ss, &sin, sizeof(sin));
}

struct connection_fact
text_report_connection(void)
{
	struct connection_fact f = {
	    .id = 1,
	    .device = "lo",
	    .initial_cwnd_bytes = 327410,
	    .mss_bytes = 32741,
	    .initial_rtt_us = 34,
	    .connect_ns = 240 * NS_PER_US,
	    .wall_ns = INT64_C(1796067482) * NS_PER_S + 99 * NS_PER_MS,
	    .tos_received = -1,
	    .prefetch_bytes = -1,
	    .clamp_bytes = -1,
	};

	text_report_address(&f.local, 39552);
	text_report_address(&f.peer, 5721);
	return f;
}

struct row_fact
text_report_row(enum row_kind kind, int id, int64_t start_ms, int64_t end_ms,
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
