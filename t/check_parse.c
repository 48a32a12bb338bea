/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "cli/endpoint.h"
#include "cli/option_table.h"
#include "cli_fixture.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct cli_case message_cases[] = {
    {"-c h --foo", CLI_ERROR, "iperf: unknown option '--foo'\n" FIXTURE_USAGE},
    {"-c h --foo=1", CLI_ERROR,
	"iperf: unknown option '--foo'\n" FIXTURE_USAGE},
    {"-c h -q", CLI_ERROR, "iperf: unknown option '-q'\n" FIXTURE_USAGE},
    {"-c h -eqN", CLI_ERROR, "iperf: unknown option '-q'\n" FIXTURE_USAGE},
    {"-s -p", CLI_ERROR, "iperf: option '-p' needs a value\n" FIXTURE_USAGE},
    {"-s --port", CLI_ERROR,
	"iperf: option '--port' needs a value\n" FIXTURE_USAGE},
    {"-s --po", CLI_ERROR,
	"iperf: option '--po' needs a value\n" FIXTURE_USAGE},
    {"-c", CLI_ERROR, "iperf: option '-c' needs a value\n" FIXTURE_USAGE},
    {"--server=1", CLI_ERROR,
	"iperf: option '--server' takes no value\n" FIXTURE_USAGE},
    {"-s --incr-dst", CLI_ERROR,
	"iperf: option '--incr-dst' is ambiguous: could be --incr-dstip, "
	"--incr-dstport\n" FIXTURE_USAGE},
    {"-s stray", CLI_RUN, "iperf: ignoring argument 'stray'\n"},
    {"a -s b -- -c c", CLI_RUN,
	"iperf: ignoring argument 'a'\niperf: ignoring argument 'b'\n"
	"iperf: ignoring argument '-c'\niperf: ignoring argument 'c'\n"},
    {"-c h --connect-only 20", CLI_RUN, "iperf: ignoring argument '20'\n"},
    {"-c h -t abc", CLI_ERROR, "iperf: bad value 'abc' for -t: not a number\n"},
    {"-c h --time 10s", CLI_ERROR,
	"iperf: bad value '10s' for --time: unknown suffix\n"},
    {"-c h --tim=x", CLI_ERROR,
	"iperf: bad value 'x' for --time: not a number\n"},
    {"-c h -n 0", CLI_ERROR,
	"iperf: bad value '0' for -n: out of range (at least 1)\n"},
    {"-c h -n -5", CLI_ERROR, "iperf: bad value '-5' for -n: negative\n"},
    {"-c h -l 0", CLI_ERROR,
	"iperf: bad value '0' for -l: out of range (1 to 2147483647)\n"},
    {"-c h -l 1T", CLI_ERROR,
	"iperf: bad value '1T' for -l: out of range (1 to 2147483647)\n"},
    {"-c h -n 999999999999g", CLI_ERROR,
	"iperf: bad value '999999999999g' for -n: too large\n"},
    {"-c h -b 100MB", CLI_ERROR,
	"iperf: bad value '100MB' for -b: unknown suffix\n"},
    {"-c h -b 72057594037927935", CLI_RUN, ""},
    {"-c h -b 72057594037927936", CLI_ERROR,
	"iperf: bad value '72057594037927936' for -b: out of range (0 to "
	"72057594037927935)\n"},
    {"-c h -b 1m,100000t", CLI_ERROR,
	"iperf: bad value '1m,100000t' for -b: out of range (0 to "
	"72057594037927935)\n"},
    {"-c h -p 70000", CLI_ERROR,
	"iperf: bad value '70000' for -p: out of range (1 to 65535)\n"},
    {"-s -p 9-8", CLI_ERROR,
	"iperf: bad value '9-8' for -p: the last port is below the first\n"},
    {"-c h -P abc", CLI_ERROR, "iperf: bad value 'abc' for -P: not a number\n"},
    {"-c h -P 2x", CLI_ERROR,
	"iperf: bad value '2x' for -P: not a whole number\n"},
    {"-c h -T 256", CLI_ERROR,
	"iperf: bad value '256' for -T: out of range (0 to 255)\n"},
    {"-c h --dscp 64", CLI_ERROR,
	"iperf: bad value '64' for --dscp: out of range (0 to 63)\n"},
    {"-c h -S foo", CLI_ERROR, "iperf: bad value 'foo' for -S: unknown name\n"},
    {"-c h -i 4294.968", CLI_ERROR,
	"iperf: bad value '4294.968' for -i: out of range (0 to 4294.967 "
	"s)\n"},
    {"-c h -i f", CLI_ERROR,
	"iperf: bad value 'f' for -i: reports per frame are not supported "
	"yet\n"},
    {"-c h -f x", CLI_ERROR, "iperf: bad value 'x' for -f: unknown letter\n"},
    {"-c h -y CSV", CLI_RUN, ""},
    {"-c h -y x", CLI_ERROR, "iperf: bad value 'x' for -y: unknown style\n"},
    {"-c h -x C,S", CLI_ERROR,
	"iperf: bad value 'C,S' for -x: unknown letter ','\n"},
    {"-c h -Z 0123456789abcdef", CLI_ERROR,
	"iperf: bad value '0123456789abcdef' for -Z: too long\n"},
    {"-c h:5001", CLI_ERROR,
	"iperf: bad value 'h:5001' for -c: use -p to set the port\n"},
    {"-c [::1", CLI_ERROR,
	"iperf: bad value '[::1' for -c: unmatched bracket\n"},
    {"-c h --tcp-cca reno -Z cubic", CLI_RUN,
	"iperf: -Z has no effect: --tcp-cca came first\n"},
    {"-c h -B 127.0.0.1 -B 127.0.0.2", CLI_RUN,
	"iperf: -B has no effect: the first one counts\n"},
    {"-c h --NUM_REPORT_STRUCTS 5000 -A", CLI_RUN, ""},
    {"-c h --NUM_REPORT_STRUCTS x", CLI_ERROR,
	"iperf: bad value 'x' for --NUM_REPORT_STRUCTS: not a number\n"},
    {"-c h -u --ipg 61", CLI_ERROR,
	"iperf: bad value '61' for --ipg: out of range (0 to 60 s)\n"},
    {"-c h -u --ipg -1", CLI_ERROR,
	"iperf: bad value '-1' for --ipg: negative\n"},
    {"-s -u --histograms=x", CLI_ERROR,
	"iperf: bad value 'x' for --histograms: not a number\n"},
    {"-s -u --histograms=1,2,3,2", CLI_ERROR,
	"iperf: bad value '1,2,3,2' for --histograms: not two ascending "
	"limits from 0 to 100\n"},
    {"-s -u --jitter-histograms=0", CLI_ERROR,
	"iperf: bad value '0' for --jitter-histograms: out of range (1 to "
	"60000000)\n"},
    {"-s -u --jitter-histograms=1m", CLI_ERROR,
	"iperf: bad value '1m' for --jitter-histograms: not a whole "
	"number\n"},
    {"-s -u -B 239.1.1.1 -H name", CLI_ERROR,
	"iperf: bad value 'name' for -H: not an address\n"},
    {"-s -u --max-flows 0", CLI_ERROR,
	"iperf: bad value '0' for --max-flows: out of range (1 to "
	"1000000)\n"},
    {"-c h --enhancedreports --stdin --linux-congestion reno", CLI_RUN, ""},
    {"-c h --fileinput /dev/null --IPv6Version", CLI_RUN, ""},
};

START_TEST(test_parse_arguments_messages)
{
	fixture_check(&message_cases[_i]);
}
END_TEST

START_TEST(test_parse_arguments_spellings)
{
	struct options o;

	fixture_run(&o, "-i1 -Nec10.0.0.1%eth0 --para 3 --time=2.5 -l 1.5K");
	ck_assert_int_eq(o.role, ROLE_CLIENT);
	ck_assert_str_eq(o.server.host, "10.0.0.1");
	ck_assert_str_eq(o.server.device, "eth0");
	ck_assert_int_eq(o.interval_ns, NS_PER_S);
	ck_assert(o.nodelay && o.enhanced);
	ck_assert_int_eq(o.parallel, 3);
	ck_assert_int_eq(o.duration_ns, 2500 * NS_PER_MS);
	ck_assert_int_eq(o.length_bytes, 1536);
	ck_assert(o.length_given);
}
END_TEST

START_TEST(test_parse_arguments_last_wins)
{
	struct options o;

	fixture_run(&o, "-c a -c b -p 1 -p 2 -S 1 --dscp 46 -x C -x S");
	ck_assert_str_eq(o.server.host, "b");
	ck_assert_int_eq(o.ports.first, 2);
	ck_assert_int_eq(o.tos, 46 << 2);
	ck_assert_uint_eq(o.exclude, EXCLUDE_SETTINGS);
	fixture_run(&o, "-c h -B 127.0.0.1:9 -B 127.0.0.2");
	ck_assert_str_eq(o.bind.host, "127.0.0.1");
	ck_assert_int_eq(o.bind.port, 9);
	fixture_run(&o, "-c h -Z reno --tcp-cca cubic");
	ck_assert_str_eq(o.congestion, "reno");
	fixture_run(&o, "-c h -Z reno -Z cubic");
	ck_assert_str_eq(o.congestion, "cubic");
}
END_TEST

START_TEST(test_parse_arguments_posixly_correct)
{
	struct options o;

	setenv("POSIXLY_CORRECT", "1", 1);
	fixture_run(&o, "stray -c h -P 2");
	ck_assert_int_eq(o.parallel, 2);
}
END_TEST

/* Whatever can be told apart, as text. */
static void
dump(const struct options *o, char *text, size_t size)
{
	int n;

	n = snprintf(text, size,
	    "%d %d %d %s %s %d %s %s %d %d-%d P%d %d%d%d%d%d%d%d%d t%jd n%jd "
	    "l%jd %d b%jd %jd %d fq%jd F%s w%jd M%d S%d T%d %d%d%d Z%s",
	    o->role, o->protocol, o->family, o->server.host, o->server.device,
	    o->server.port, o->bind.host, o->bind.device, o->bind.port,
	    o->ports.first, o->ports.last, o->parallel, o->port_range_given,
	    o->incr_dstip, o->incr_dstport, o->incr_srcip, o->incr_srcport,
	    o->compat, o->daemon, o->single_client, (intmax_t)o->duration_ns,
	    (intmax_t)o->amount_bytes, (intmax_t)o->length_bytes,
	    o->length_given, (intmax_t)o->rate.mean, (intmax_t)o->rate.stddev,
	    o->rate.per_packet, (intmax_t)o->fq_rate_bps, o->input_path,
	    (intmax_t)o->window_bytes, o->mss_bytes, o->tos, o->ttl, o->nodelay,
	    o->print_mss, o->realtime, o->congestion);
	ck_assert(n > 0 && (size_t)n < size);
	text += n;
	size -= (size_t)n;
	n = snprintf(text, size,
	    " %jd %jd %d%d%d %d %d %jd %jd %jd %jd %jd i%jd %c %d%d%d%d%d "
	    "y%d x%x o%s",
	    (intmax_t)o->write_prefetch_bytes,
	    (intmax_t)o->rx_window_clamp_bytes, o->quickack, o->skip_rx_copy,
	    o->connect_sync, o->connect_only, o->connect_retries,
	    (intmax_t)o->connect_retry_ns,
	    (intmax_t)o->connect_retry_interval_ns, (intmax_t)o->txstart_rt_ns,
	    (intmax_t)o->txdelay_ns, (intmax_t)o->header_timeout_ns,
	    (intmax_t)o->interval_ns, o->format, o->enhanced, o->sum_only,
	    o->sum_dstip, o->hide_ips, o->utc, o->style, o->exclude,
	    o->output_path);
	ck_assert(n > 0 && (size_t)n < size);
	text += n;
	size -= (size_t)n;
	n = snprintf(text, size,
	    " H%s m%d g%jd %d%d%d%d%d%d f%d/%d h%jd,%d,%.2f,%.2f j%jd",
	    o->ssm_source.host, o->multicast, (intmax_t)o->ipg_ns, o->economy,
	    o->no_udp_fin, o->trip_times, o->local_only, o->ignore_shutdown,
	    o->sync_transfer_id, o->max_flows, o->max_flows_per_host,
	    (intmax_t)o->histogram.width_ns, o->histogram.bins,
	    o->histogram.lower_percent, o->histogram.upper_percent,
	    (intmax_t)o->jitter_width_ns);
	ck_assert(n > 0 && (size_t)n < size);
}

/* Options that may all be given together, one of each column. */
static const char *const pool[] = {"-P 4", "-t 3", "-b 10m", "-l 8K", "-i 1",
    "-e", "-w 64K", "-M 1200", "-N", "-V", "-p 5005", "-p 5005-5007", "-S af11",
    "--dscp 8", "-Z reno", "-T 9", "-f m", "-F /dev/null", "-I", "-o out",
    "-x D", "-y C", "-z", "-m", "-1", "-n 7", "-B ::1", "--sum-only",
    "--sum-dstip", "--hide-ips", "--utc", "--no-connect-sync",
    "--connect-retries 3", "--connect-retry-time 4", "--connect-retry-timer 2",
    "--connect-only=5", "--skip-rx-copy", "--tcp-quickack",
    "--tcp-write-prefetch 16K", "--tcp-rx-window-clamp 9000", "--incr-dstip",
    "--incr-dstport", "--local-only=1", "--ignore-shutdown", "--fq-rate 1G",
    "--test-exchange-timeout 3", "stray"};

/* Repeating these makes the order matter, as it should. */
static bool
excludes(const char *one, const char *other)
{
	static const char *const pairs[][2] = {{"-t 3", "-n 7"},
	    {"-S af11", "--dscp 8"}, {"-p 5005", "-p 5005-5007"},
	    {"-F /dev/null", "-I"}};
	size_t k;

	for (k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
		if ((strcmp(one, pairs[k][0]) == 0 &&
			strcmp(other, pairs[k][1]) == 0) ||
		    (strcmp(other, pairs[k][0]) == 0 &&
			strcmp(one, pairs[k][1]) == 0))
			return true;
	}
	return false;
}

static unsigned
next_random(unsigned *state)
{
	*state = *state * 1103515245U + 12345U;
	return *state >> 16;
}

/* Draws up to nine compatible options and a mode; returns how many. */
static size_t
draw(const char *set[10], const char *const *from, size_t size, unsigned *state)
{
	size_t chosen[9], n = 0, i, candidate, tries;
	bool fits;

	for (tries = 0; tries < 12 && n < 9; tries++) {
		candidate = next_random(state) % size;
		fits = true;
		for (i = 0; i < n; i++) {
			if (chosen[i] == candidate ||
			    excludes(from[chosen[i]], from[candidate]))
				fits = false;
		}
		if (fits)
			chosen[n++] = candidate;
	}
	for (i = 0; i < n; i++)
		set[i] = from[chosen[i]];
	set[n++] = next_random(state) % 3 == 0 ? "-s" : "-c h";
	return n;
}

static const char *const udp_pool[] = {"-P 4", "-t 3", "-i 1", "-e", "-w 64K",
    "-V", "-p 5005", "-S af11", "-T 9", "-f m", "-x D", "-y C", "-1", "-n 7",
    "-B ::1", "--sum-only", "--utc", "--incr-dstip", "--fq-rate 1G",
    "--economy", "--no-udp-fin", "--trip-times", "--histograms=2,50",
    "--jitter-histograms=5", "--max-flows 3", "--max-flows-per-host 2",
    "--ipg 0.5", "-l 800"};

START_TEST(test_parse_arguments_permuted)
{
	char arguments[512] = "", first[4096], again[4096];
	unsigned state = (unsigned)_i;
	const char *set[11], *swap;
	struct options o;
	size_t n, i, j, len;
	int round;

	if (_i % 2 == 0)
		n = draw(set, pool, COUNT(pool), &state);
	else
		n = draw(set, udp_pool, COUNT(udp_pool), &state);
	if (_i % 2 != 0)
		set[n++] = "-u";
	for (round = 0; round < 6; round++) {
		len = 0;
		for (i = 0; i < n; i++)
			len += (size_t)snprintf(arguments + len,
			    sizeof(arguments) - len, "%s ", set[i]);
		fixture_run(&o, arguments);
		dump(&o, round == 0 ? first : again, sizeof(first));
		if (round > 0)
			ck_assert_str_eq(first, again);
		for (i = n - 1; i > 0; i--) {
			j = next_random(&state) % (i + 1);
			swap = set[i];
			set[i] = set[j];
			set[j] = swap;
		}
	}
}
END_TEST

static const struct {
	const char *text;
	int error;
	struct endpoint endpoint;
} endpoint_cases[] = {
    {"host", 0, {"host", "", 0}},
    {"host%eth0", 0, {"host", "eth0", 0}},
    {"10.0.0.1:77", 0, {"10.0.0.1", "", 77}},
    {"10.0.0.1%eth0:77", 0, {"10.0.0.1", "eth0", 77}},
    {"fe80::1%eth0", 0, {"fe80::1", "eth0", 0}},
    {"2001:db8::1", 0, {"2001:db8::1", "", 0}},
    {"[2001:db8::1]", 0, {"2001:db8::1", "", 0}},
    {"[2001:db8::1]:77", 0, {"2001:db8::1", "", 77}},
    {"[fe80::1%eth0]:77", 0, {"fe80::1", "eth0", 77}},
    {"[fe80::1]%eth0:77", 0, {"fe80::1", "eth0", 77}},
    {"0.0.0.0:1", 0, {"0.0.0.0", "", 1}},
    {"", ENDPOINT_EMPTY, {"", "", 0}},
    {"%eth0", ENDPOINT_EMPTY, {"", "", 0}},
    {"[]", ENDPOINT_EMPTY, {"", "", 0}},
    {":77", ENDPOINT_EMPTY, {"", "", 0}},
    {"[::1", ENDPOINT_BRACKET, {"", "", 0}},
    {"[::1]x", ENDPOINT_BRACKET, {"", "", 0}},
    {"h%", ENDPOINT_DEVICE, {"", "", 0}},
    {"h%0123456789abcdef", ENDPOINT_DEVICE, {"", "", 0}},
    {"[::1]%", ENDPOINT_DEVICE, {"", "", 0}},
    {"h:", ENDPOINT_PORT, {"", "", 0}},
    {"h:0", ENDPOINT_PORT, {"", "", 0}},
    {"h:70000", ENDPOINT_PORT, {"", "", 0}},
    {"[::1]:x", ENDPOINT_PORT, {"", "", 0}},
};

START_TEST(test_endpoint_parse_table)
{
	const struct endpoint *wanted = &endpoint_cases[_i].endpoint;
	struct endpoint e = {0};
	int error = endpoint_parse(endpoint_cases[_i].text, &e);

	ck_assert_msg(error == endpoint_cases[_i].error, "'%s' gives %d",
	    endpoint_cases[_i].text, error);
	ck_assert_str_eq(e.host, wanted->host);
	ck_assert_str_eq(e.device, wanted->device);
	ck_assert_int_eq(e.port, wanted->port);
}
END_TEST

START_TEST(test_endpoint_parse_too_long)
{
	char text[OPTIONS_HOST_MAX + 1];
	struct endpoint e;

	memset(text, 'a', OPTIONS_HOST_MAX);
	text[OPTIONS_HOST_MAX] = '\0';
	ck_assert_int_eq(endpoint_parse(text, &e), ENDPOINT_TOO_LONG);
	text[OPTIONS_HOST_MAX - 1] = '\0';
	ck_assert_int_eq(endpoint_parse(text, &e), 0);
}
END_TEST

START_TEST(test_option_info_complete)
{
	const struct option_info *info = option_info(_i);

	ck_assert_ptr_nonnull(info->name);
	ck_assert_ptr_nonnull(info->help);
	ck_assert_uint_gt(strlen(info->help), 0);
	ck_assert_ptr_nonnull(info->since);
	ck_assert(info->tier >= 1 && info->tier <= 3);
	ck_assert(info->side != 0 && info->protocol != 0);
	ck_assert(
	    (info->argument == ARGUMENT_NONE) == (info->value_name == NULL));
	ck_assert(info->min <= info->max);
	ck_assert(info->offset + info->size <= sizeof(struct options));
	/* The values of these two are the command line's own business. */
	if (info->state == STATE_BUILT && info->argument != ARGUMENT_NONE &&
	    _i != OPTION_HELP && _i != OPTION_COMPLETION)
		ck_assert_uint_gt(info->size, 0);
}
END_TEST

/* What a completion offers is accepted. */
START_TEST(test_option_info_words)
{
	const struct option_info *info = option_info(_i);
	char list[256], line[512], *word, *next = list;
	struct options o;

	if (info->words == NULL || _i == OPTION_COMPLETION)
		return;
	ck_assert_int_eq(info->argument, ARGUMENT_REQUIRED);
	strlcpy(list, info->words, sizeof(list));
	while ((word = strsep(&next, " ")) != NULL) {
		snprintf(line, sizeof(line), "-c h --%s %s", info->name, word);
		ck_assert_int_eq(fixture_read(&o, line), CLI_RUN);
		ck_assert_str_eq(fixture_messages(), "");
	}
}
END_TEST

START_TEST(test_option_info_unique)
{
	const struct option_info *info = option_info(_i), *other;
	const char *name, *other_name;
	size_t i, j;
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		other = option_info(id);
		if (id != _i && info->letter != '\0')
			ck_assert_int_ne(info->letter, other->letter);
		for (i = 0; (name = option_name(info, i)) != NULL; i++) {
			for (j = 0;
			     (other_name = option_name(other, j)) != NULL; j++)
				ck_assert((id == _i && i == j) ||
					  strcmp(name, other_name) != 0);
		}
	}
}
END_TEST

static Suite *
parse_suite(void)
{
	Suite *s = suite_create("parse");
	TCase *arguments = tcase_create("arguments");
	TCase *endpoints = tcase_create("endpoints");
	TCase *table = tcase_create("table");

	tcase_add_loop_test(arguments, test_parse_arguments_messages, 0,
	    COUNT(message_cases));
	tcase_add_test(arguments, test_parse_arguments_spellings);
	tcase_add_test(arguments, test_parse_arguments_last_wins);
	tcase_add_test(arguments, test_parse_arguments_posixly_correct);
	tcase_add_loop_test(arguments, test_parse_arguments_permuted, 0, 100);
	suite_add_tcase(s, arguments);

	tcase_add_loop_test(endpoints, test_endpoint_parse_table, 0,
	    COUNT(endpoint_cases));
	tcase_add_test(endpoints, test_endpoint_parse_too_long);
	suite_add_tcase(s, endpoints);

	tcase_add_loop_test(table, test_option_info_complete, 0, OPTION_COUNT);
	tcase_add_loop_test(table, test_option_info_words, 0, OPTION_COUNT);
	tcase_add_loop_test(table, test_option_info_unique, 0, OPTION_COUNT);
	suite_add_tcase(s, table);
	return s;
}

int
main(void)
{
	return run_suite(parse_suite());
}
