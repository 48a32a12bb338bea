/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "cli_fixture.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct cli_case message_cases[] = {
    /* Modes. */
    {"", CLI_ERROR, FIXTURE_USAGE},
    {"-t 5", CLI_ERROR,
	"iperf: one of -s, -c and --loopback is needed\n" FIXTURE_USAGE},
    {"-s", CLI_RUN, ""},
    {"-c h", CLI_RUN, ""},
    {"--loopback", CLI_RUN, ""},
    {"-s -c h", CLI_ERROR, "iperf: -s and -c cannot be used together\n"},
    {"-c h --server", CLI_ERROR,
	"iperf: --server and -c cannot be used together\n"},
    {"-s --loopback", CLI_ERROR,
	"iperf: --loopback and -s cannot be used together\n"},
    {"--loopback -c h", CLI_ERROR,
	"iperf: --loopback and -c cannot be used together\n"},
    {"-s -D", CLI_RUN, ""},
    {"-c h -D", CLI_ERROR, "iperf: -D needs -s\n"},
    {"--loopback -D", CLI_ERROR, "iperf: -D needs -s\n"},
    {"-s -D -t 5", CLI_RUN, "iperf: -t has no effect with -D\n"},

    /* Pairs. */
    {"-c h -4 -6", CLI_ERROR, "iperf: -4 cannot be used with -6\n"},
    {"-V -c h --ipv4", CLI_ERROR, "iperf: --ipv4 cannot be used with -V\n"},
    {"-c h -6 -V", CLI_RUN, ""},
    {"-c h --txdelay-time 1 --connect-only", CLI_ERROR,
	"iperf: --txdelay-time cannot be used with --connect-only\n"},
    {"-c h --txstart-time 1 --txdelay-time 1", CLI_ERROR,
	"iperf: --txdelay-time cannot be used with --txstart-time\n"},
    {"-c h --incr-srcip", CLI_ERROR, "iperf: --incr-srcip needs -B\n"},
    {"-c h --incr-srcip -B 127.0.0.1", CLI_RUN, ""},
    {"-c h --incr-srcport", CLI_RUN,
	"iperf: --incr-srcport has no effect without -B ADDRESS:PORT\n"},
    {"-c h -C -e", CLI_ERROR, "iperf: -C cannot be used with -e\n"},
    {"-c h -C --tcp-write-prefetch 1K", CLI_ERROR,
	"iperf: -C cannot be used with --tcp-write-prefetch\n"},
    {"-c h -C -b 1m,1k", CLI_ERROR,
	"iperf: -C cannot be used with a varying rate\n"},
    {"-c h -C", CLI_RUN, ""},
    {"-c h --json --json-stream", CLI_ERROR,
	"iperf: --json cannot be used with --json-stream\n"},
    {"-c h -y C --json", CLI_ERROR, "iperf: --json cannot be used with -y\n"},
    {"-s --json-stream -y C", CLI_ERROR,
	"iperf: --json-stream cannot be used with -y\n"},

    /* Sides. */
    {"-s -n 5 -T 3 -F x --connect-only", CLI_RUN,
	"iperf: -n has no effect on a server\n"
	"iperf: -F has no effect on a server\n"
	"iperf: -T has no effect on a server\n"
	"iperf: --connect-only has no effect on a server\n"},
    {"-c h --sum-dstip --tcp-rx-window-clamp 9K -1", CLI_RUN,
	"iperf: --sum-dstip has no effect on a client\n"
	"iperf: --tcp-rx-window-clamp has no effect on a client\n"
	"iperf: -1 has no effect on a client\n"},
    {"-s -b 10m,1m", CLI_RUN,
	"iperf: a varying rate has no effect on a server\n"},

    /* Amounts. */
    {"-c h -t 0", CLI_RUN,
	"iperf: no time limit: the test runs until it is interrupted\n"},
    {"-c h -t -5", CLI_RUN,
	"iperf: no time limit: the test runs until it is interrupted\n"},
    {"-s -t 0", CLI_RUN, ""},
    {"-c h -b 0", CLI_RUN, ""},
    {"-c h -b 10pps", CLI_ERROR,
	"iperf: a rate in packets per second needs -u\n"},
    {"-c h -P 0", CLI_ERROR,
	"iperf: bad value '0' for -P: out of range (at least 1)\n"},
    {"-s -P 0", CLI_RUN, ""},
    {"-c h -w 2047", CLI_RUN,
	"iperf: a window of 2047 bytes is very small and will limit the "
	"rate\n"},
    {"-c h -w 2048", CLI_RUN, ""},
    {"-c h -i 0.0049", CLI_RUN,
	"iperf: interval raised to 0.005 s, the smallest possible\n"},
    {"-c h -i 0.005", CLI_RUN, ""},
    {"-c h -i 0", CLI_RUN, ""},
    {"-c h --txstart-time 1", CLI_RUN,
	"iperf: the time of --txstart-time is in the past: starting at "
	"once\n"},
    {"-c h --txstart-time 9000000000", CLI_ERROR,
	"iperf: the time of --txstart-time is more than 3600 s ahead\n"},

    /* Directions. */
    {"-R -c h", CLI_RUN, ""},
    {"-c h -R -d", CLI_ERROR, "iperf: -R cannot be used with -d\n"},
    {"-c h --tradeoff --full-duplex", CLI_ERROR,
	"iperf: --full-duplex cannot be used with --tradeoff\n"},
    {"-c h -r -I", CLI_ERROR, "iperf: -r cannot be used with -I\n"},
    {"-c h -R --full-duplex", CLI_ERROR,
	"iperf: -R cannot be used with --full-duplex\n"},
    {"-c h -r -R", CLI_ERROR, "iperf: -R cannot be used with -r\n"},
    {"-c h --full-duplex -d", CLI_ERROR,
	"iperf: --full-duplex cannot be used with -d\n"},
    {"-c h -r -d", CLI_ERROR, "iperf: -d cannot be used with -r\n"},
    {"-c h -R -C", CLI_ERROR, "iperf: -R cannot be used with -C\n"},
    {"-c h -C --full-duplex", CLI_ERROR,
	"iperf: --full-duplex cannot be used with -C\n"},
    {"-c h -C -d", CLI_ERROR, "iperf: -d cannot be used with -C\n"},
    {"-c h -u -C --tradeoff", CLI_ERROR,
	"iperf: --tradeoff cannot be used with -C\n"},
    {"-c h -R --connect-only", CLI_ERROR,
	"iperf: -R cannot be used with --connect-only\n"},
    {"-c h --connect-only=3 -d", CLI_ERROR,
	"iperf: -d cannot be used with --connect-only\n"},
    {"-c h -F x --full-duplex", CLI_ERROR,
	"iperf: --full-duplex cannot be used with -F\n"},
    {"-c h -u -d -F x", CLI_ERROR, "iperf: -d cannot be used with -F\n"},
    {"-c 239.1.2.3 -u -R", CLI_ERROR,
	"iperf: -R cannot be used with a multicast group\n"},
    {"-c ff1e::1 -u -r", CLI_ERROR,
	"iperf: -r cannot be used with a multicast group\n"},
    {"-c h -R -n 2G", CLI_ERROR,
	"iperf: bad value '2147483648' for -n: with -R at most 2147483647 "
	"bytes, which is what the server can be told\n"},
    {"-c h -u -d --num 3G", CLI_ERROR,
	"iperf: bad value '3221225472' for --num: with -d at most 2147483647 "
	"bytes, which is what the server can be told\n"},
    {"-c h --full-duplex -n 2147483647", CLI_RUN, ""},
    {"-c h -n 2G", CLI_RUN, ""},
    {"-c h -r -L 0", CLI_RUN, ""},
    {"-c h -r -L 70000", CLI_ERROR,
	"iperf: bad value '70000' for -L: out of range (1 to 65535)\n"},
    {"-c h -L 6000", CLI_RUN, "iperf: -L has no effect without -d or -r\n"},
    {"-c h -d -L 6000", CLI_RUN, ""},
    {"-c h --ignore-shutdown -R", CLI_RUN,
	"iperf: --ignore-shutdown has no effect with -R\n"},
    {"-c h --ignore-shutdown --connect-only", CLI_RUN,
	"iperf: --ignore-shutdown has no effect with --connect-only\n"},
    {"-c h --ignore-shutdown -d", CLI_RUN, ""},
    {"-s -R", CLI_RUN, "iperf: -R has no effect on a server\n"},
    {"-s --no-reverse", CLI_RUN, ""},
    {"-s -u --no-reverse", CLI_RUN, ""},
    {"-c h --no-reverse", CLI_RUN,
	"iperf: --no-reverse has no effect on a client\n"},

    /* Handshake. */
    {"-X -c h", CLI_RUN, ""},
    {"-c h --peer-detect --peerdetect -R", CLI_RUN, ""},
    {"-c h --sync-transfer-id -P 2047 -R", CLI_RUN, ""},
    {"-c h -u --sync-transfer-id -P 2048", CLI_ERROR,
	"iperf: bad value '2048' for -P: with --sync-transfer-id at most 2047 "
	"streams, which is what the server can be told\n"},
    {"-c h --sync-transfer-id -d", CLI_ERROR,
	"iperf: --sync-transfer-id cannot be used with -d\n"},
    {"-c h -u --sync-transfer-id -r", CLI_ERROR,
	"iperf: --sync-transfer-id cannot be used with -r\n"},
    {"-c h --sync-transfer-id -C", CLI_ERROR,
	"iperf: --sync-transfer-id cannot be used with -C\n"},
    {"-c 239.1.2.3 -u --sync-transfer-id", CLI_ERROR,
	"iperf: --sync-transfer-id cannot be used with a multicast group\n"},
    {"-s --sync-transfer-id", CLI_RUN,
	"iperf: --sync-transfer-id has no effect on a server\n"},
    {"-c h -u -X", CLI_ERROR, "iperf: -X cannot be used with -u\n"},
    {"-c h -C -X", CLI_ERROR, "iperf: -X cannot be used with -C\n"},
    {"-c h -X --connect-only", CLI_ERROR,
	"iperf: -X cannot be used with --connect-only\n"},
    {"-c h --connect-only --permit-key=abcd", CLI_ERROR,
	"iperf: --permit-key cannot be used with --connect-only\n"},
    {"-c h --connect-only --sync-transfer-id", CLI_ERROR,
	"iperf: --sync-transfer-id cannot be used with --connect-only\n"},
    {"-s -X", CLI_RUN, "iperf: -X has no effect on a server\n"},

    {"-c h --permit-key", CLI_ERROR,
	"iperf: --permit-key needs a value on a client\n"},
    {"-c h --permit-key=abc", CLI_ERROR,
	"iperf: bad value 'abc' for --permit-key: not 4 to 128 "
	"characters\n"},
    {"-c h --permit-key=abcd", CLI_RUN, ""},
    {"-c h -u --permit-key=abcd", CLI_ERROR,
	"iperf: --permit-key cannot be used with -u\n"},
    {"-c h -C --permit-key=abcd", CLI_ERROR,
	"iperf: --permit-key cannot be used with -C\n"},
    {"-s --permit-key", CLI_RUN, ""},
    {"-s --permit-key -y C", CLI_ERROR,
	"iperf: --permit-key needs a value where the banner, which would "
	"show it, is left out\n"},
    {"-s --permit-key=abcd -y C --permit-key-timeout 0", CLI_RUN, ""},
    {"-s --permit-key-timeout 5", CLI_ERROR,
	"iperf: --permit-key-timeout needs --permit-key\n"},

    {"-s --tos-override af11", CLI_RUN, ""},
    {"-s -u --tos-override 0x20", CLI_RUN, ""},
    {"-s --tos-override 256", CLI_ERROR,
	"iperf: bad value '256' for --tos-override: out of range (0 to 255)\n"},
    {"-c h --tos-override 4", CLI_RUN,
	"iperf: --tos-override has no effect on a client\n"},

    /* What is not there. */
    {"-c h -W", CLI_RUN, "iperf: -W is not available and has no effect\n"},
    {"-c h --bounceback=5", CLI_ERROR,
	"iperf: --bounceback is not supported by this implementation yet\n"},
    {"-s --tun-dev", CLI_ERROR,
	"iperf: --tun-dev is not supported by this implementation\n"},
};

START_TEST(test_options_finish_messages)
{
	fixture_check(&message_cases[_i]);
}
END_TEST

/* Whatever is known but not built is refused, never ignored. */
START_TEST(test_options_finish_refuses_unbuilt)
{
	const struct option_info *info = option_info(_i);
	char arguments[128];
	struct options o;

	if (info->state != STATE_PENDING && info->state != STATE_REFUSED)
		return;
	snprintf(arguments, sizeof(arguments), "-c h --%s%s", info->name,
	    info->argument == ARGUMENT_REQUIRED ? " 1" : "");
	ck_assert_int_eq(fixture_read(&o, arguments), CLI_ERROR);
	ck_assert_ptr_nonnull(
	    strstr(fixture_messages(), " is not supported by this"));
	ck_assert_ptr_nonnull(strstr(fixture_messages(), info->name));
}
END_TEST

START_TEST(test_options_finish_permit_key)
{
	static const char zeros[OPTIONS_KEY_MAX] = "";
	struct options o, other;

	fixture_run(&o, "-s --permit-key");
	fixture_run(&other, "-s --permit-key");
	ck_assert_str_ne(o.permit_key, other.permit_key);
	ck_assert_uint_eq(strlen(strchr(o.permit_key, '-')), 17);
	ck_assert_int_eq(o.permit_life_ns, 20 * NS_PER_S);
	/* Whoever compares keys looks behind them. */
	fixture_run(&o, "-s --permit-key=longerkey --permit-key=key1");
	ck_assert_str_eq(o.permit_key, "key1");
	ck_assert_mem_eq(o.permit_key + 4, zeros, OPTIONS_KEY_MAX - 4);
}
END_TEST

START_TEST(test_options_finish_client_defaults)
{
	struct options o;

	fixture_run(&o, "-c h");
	ck_assert_int_eq(o.role, ROLE_CLIENT);
	ck_assert_int_eq(o.protocol, PROTOCOL_TCP);
	ck_assert_int_eq(o.family, FAMILY_ANY);
	ck_assert_int_eq(o.ports.first, 5001);
	ck_assert_int_eq(o.ports.last, 5001);
	ck_assert_int_eq(o.parallel, 1);
	ck_assert_int_eq(o.duration_ns, 10 * NS_PER_S);
	ck_assert_int_eq(o.amount_bytes, -1);
	ck_assert_int_eq(o.length_bytes, 131072);
	ck_assert(!o.length_given && !o.enhanced && o.connect_sync);
	ck_assert_int_eq(o.rate.mean, -1);
	ck_assert_int_eq(o.window_bytes, -1);
	ck_assert_int_eq(o.tos, -1);
	ck_assert_int_eq(o.interval_ns, 0);
	ck_assert_int_eq(o.format, 'a');
	ck_assert_int_eq(o.connect_retry_ns, 0);
	ck_assert_int_eq(o.txstart_rt_ns, -1);
}
END_TEST

START_TEST(test_options_finish_server_defaults)
{
	struct options o;

	fixture_run(&o, "-s");
	ck_assert_int_eq(o.role, ROLE_SERVER);
	ck_assert_int_eq(o.parallel, 0);
	ck_assert_int_eq(o.duration_ns, -1);
	ck_assert_int_eq(o.header_timeout_ns, 10 * NS_PER_S);
	fixture_run(&o, "-s -t 5 -n 9");
	ck_assert_int_eq(o.duration_ns, 5 * NS_PER_S);
	ck_assert_int_eq(o.amount_bytes, -1);
	fixture_run(&o, "-s -T 9 --test-exchange-timeout 0");
	ck_assert_int_eq(o.ttl, -1);
	ck_assert_int_eq(o.header_timeout_ns, 0);
}
END_TEST

START_TEST(test_options_finish_single_udp)
{
	static const struct cli_case bad = {"-s -U --permit-key=secret",
	    CLI_ERROR, "iperf: --permit-key cannot be used with -U\n"};
	struct options o;

	fixture_run(&o, "-s -U");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert_int_eq(o.protocol, PROTOCOL_UDP);
	ck_assert(o.single_client);
	fixture_run(&o, "-s --single_udp -u -1 --max-flows 7");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert(o.single_client);
	fixture_run(&o, "-c h -U");
	ck_assert_str_eq(fixture_messages(),
	    "iperf: -U has no effect on a client\n");
	ck_assert_int_eq(o.protocol, PROTOCOL_TCP);
	fixture_check(&bad);
}
END_TEST

START_TEST(test_options_finish_loopback_defaults)
{
	struct options o;

	fixture_run(&o, "--loopback -P 3");
	ck_assert_int_eq(o.role, ROLE_LOOPBACK);
	ck_assert_int_eq(o.ports.first, 0);
	ck_assert_int_eq(o.parallel, 3);
	ck_assert_int_eq(o.duration_ns, 10 * NS_PER_S);
	fixture_run(&o, "--loopback -p 5001");
	ck_assert_int_eq(o.ports.first, 5001);
}
END_TEST

/* -1 stands for unset. */
static const struct {
	const char *arguments;
	int64_t duration_ns;
	int64_t amount_bytes;
} amount_cases[] = {
    {"-c h -t 5 -n 10", -1, 10},
    {"-c h -n 10 -t 5", 5 * NS_PER_S, -1},
    {"-c h -n 1K", -1, 1024},
    {"-c h -t 0", 0, -1},
    {"-c h -t -1", 0, -1},
    {"-c h -F x", -1, -1},
    {"-c h -F x -t 2", 2 * NS_PER_S, -1},
    {"-c h --connect-only", -1, -1},
    {"-c h --connect-only=0", 0, -1},
    {"-c h --connect-only=0 -t 2", 2 * NS_PER_S, -1},
    {"-c h -t 0.001", NS_PER_MS, -1},
};

START_TEST(test_options_finish_amounts)
{
	struct options o;

	fixture_run(&o, amount_cases[_i].arguments);
	ck_assert_int_eq(o.duration_ns, amount_cases[_i].duration_ns);
	ck_assert_int_eq(o.amount_bytes, amount_cases[_i].amount_bytes);
}
END_TEST

START_TEST(test_options_finish_implications)
{
	struct options o;

	fixture_run(&o, "-c h -M 1000");
	ck_assert(o.print_mss);
	fixture_run(&o, "-c h -y C");
	ck_assert_uint_eq(o.exclude, EXCLUDE_SETTINGS | EXCLUDE_CONNECTION);
	fixture_run(&o, "-c h --tcp-write-prefetch 16K");
	ck_assert(o.enhanced);
	fixture_run(&o, "-c h --tcp-write-prefetch 0");
	ck_assert(!o.enhanced);
	ck_assert_int_eq(o.write_prefetch_bytes, -1);
	fixture_run(&o, "-s --skip-rx-copy");
	ck_assert(o.enhanced && o.skip_rx_copy);
	fixture_run(&o, "-c h --skip-rx-copy");
	ck_assert(!o.enhanced && !o.skip_rx_copy);
	fixture_run(&o, "-c h -C");
	ck_assert(o.compat && !o.connect_sync);
	fixture_run(&o, "-c h --connect-only");
	ck_assert_int_eq(o.connect_only, 10);
	fixture_run(&o, "-c h -w 0 -S none");
	ck_assert_int_eq(o.window_bytes, -1);
	ck_assert_int_eq(o.tos, -1);
}
END_TEST

START_TEST(test_options_finish_retries)
{
	struct options o;

	fixture_run(&o, "-c h --connect-retries 3");
	ck_assert_int_eq(o.connect_retries, 3);
	ck_assert_int_eq(o.connect_retry_interval_ns, NS_PER_S);
	fixture_run(&o, "-c h --connect-retry-time 5");
	ck_assert_int_eq(o.connect_retry_ns, 5 * NS_PER_S);
	ck_assert_int_eq(o.connect_retry_interval_ns, NS_PER_S);
	fixture_run(&o, "-c h --connect-retry-timer 0.5");
	ck_assert_int_eq(o.connect_retry_ns, 10 * NS_PER_S);
	ck_assert_int_eq(o.connect_retry_interval_ns, 500 * NS_PER_MS);
}
END_TEST

START_TEST(test_options_finish_start_time)
{
	char arguments[64];
	struct options o;
	int64_t start_s = clock_wall_ns() / NS_PER_S + 100;

	snprintf(arguments, sizeof(arguments),
	    "-c h --txstart-time %" PRId64 ".25", start_s);
	fixture_run(&o, arguments);
	ck_assert_int_eq(o.txstart_rt_ns, start_s * NS_PER_S + 250 * NS_PER_MS);
	ck_assert(o.enhanced);
}
END_TEST

static Suite *
rules_suite(void)
{
	Suite *s = suite_create("rules");
	TCase *messages = tcase_create("messages");
	TCase *values = tcase_create("defaults and implications");

	tcase_add_loop_test(messages, test_options_finish_messages, 0,
	    COUNT(message_cases));
	tcase_add_loop_test(messages, test_options_finish_refuses_unbuilt, 0,
	    OPTION_COUNT);
	suite_add_tcase(s, messages);

	tcase_add_test(values, test_options_finish_permit_key);
	tcase_add_test(values, test_options_finish_client_defaults);
	tcase_add_test(values, test_options_finish_server_defaults);
	tcase_add_test(values, test_options_finish_single_udp);
	tcase_add_test(values, test_options_finish_loopback_defaults);
	tcase_add_loop_test(values, test_options_finish_amounts, 0,
	    COUNT(amount_cases));
	tcase_add_test(values, test_options_finish_implications);
	tcase_add_test(values, test_options_finish_retries);
	tcase_add_test(values, test_options_finish_start_time);
	suite_add_tcase(s, values);
	return s;
}

int
main(void)
{
	return run_suite(rules_suite());
}
