/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "base/clock.h"
#include "base/gap.h"
#include "base/options.h"
#include "cli_fixture.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct cli_case message_cases[] = {
    /* UDP and TCP. */
    {"-c h -u", CLI_RUN, ""},
    {"-s -u", CLI_RUN, ""},
    {"--loopback -u", CLI_RUN, ""},
    {"-c h -u --connect-only", CLI_ERROR,
	"iperf: --connect-only cannot be used with -u\n"},
    {"--udp -c h --connect-retries 2", CLI_ERROR,
	"iperf: --connect-retries cannot be used with --udp\n"},
    {"-c h -u --connect-retry-time 2", CLI_ERROR,
	"iperf: --connect-retry-time cannot be used with -u\n"},
    {"-c h -u --connect-retry-timer 2", CLI_ERROR,
	"iperf: --connect-retry-timer cannot be used with -u\n"},
    {"-c h -u -X", CLI_ERROR, "iperf: -X cannot be used with -u\n"},
    {"-c h -u -F x", CLI_RUN, ""},
    {"-c h -u --stdin", CLI_RUN, ""},
    {"-c h -u -N -M 1000 -m -Z reno", CLI_RUN,
	"iperf: -M has no effect with UDP\n"
	"iperf: -m has no effect with UDP\n"
	"iperf: -N has no effect with UDP\n"
	"iperf: -Z has no effect with UDP\n"},
    {"-c h -u --tcp-write-prefetch 16K --tcp-quickack", CLI_RUN,
	"iperf: --tcp-quickack has no effect with UDP\n"
	"iperf: --tcp-write-prefetch has no effect with UDP\n"},
    {"-s -u --tcp-rx-window-clamp 9K --skip-rx-copy", CLI_RUN,
	"iperf: --tcp-rx-window-clamp has no effect with UDP\n"
	"iperf: --skip-rx-copy has no effect with UDP\n"},
    {"-s -u --test-exchange-timeout 3", CLI_RUN,
	"iperf: --test-exchange-timeout has no effect with UDP\n"},
    {"-s -U --test-exchange-timeout 3", CLI_RUN,
	"iperf: --test-exchange-timeout has no effect with UDP\n"},
    {"-s --test-exchange-timeout 3", CLI_RUN, ""},
    {"-c h --ipg 1", CLI_ERROR, "iperf: --ipg needs -u\n"},
    {"-c h --no-udp-fin", CLI_ERROR, "iperf: --no-udp-fin needs -u\n"},
    {"-c h --economy", CLI_ERROR, "iperf: --economy needs -u\n"},
    {"-s --jitter-histograms", CLI_ERROR,
	"iperf: --jitter-histograms needs -u\n"},
    {"-s --max-flows 7", CLI_ERROR, "iperf: --max-flows needs -u\n"},
    {"-s --max-flows-per-host 7", CLI_ERROR,
	"iperf: --max-flows-per-host needs -u\n"},
    {"-c h --trip-times", CLI_ERROR,
	"iperf: --trip-times is not supported by this implementation with "
	"TCP yet\n"},
    {"-s --histograms", CLI_ERROR,
	"iperf: --histograms is not supported by this implementation with "
	"TCP yet\n"},
    {"-c h -u --histograms", CLI_RUN,
	"iperf: --histograms has no effect on a UDP client\n"},
    {"-c h -u --jitter-histograms --max-flows 1", CLI_RUN,
	"iperf: --jitter-histograms has no effect on a client\n"
	"iperf: --max-flows has no effect on a client\n"},
    {"-s -u --trip-times --ipg 1 --no-udp-fin --economy", CLI_RUN,
	"iperf: --ipg has no effect on a server\n"
	"iperf: --economy has no effect on a server\n"
	"iperf: --no-udp-fin has no effect on a server\n"
	"iperf: --trip-times has no effect on a server\n"},
    {"-s -u -b 10m", CLI_RUN, "iperf: -b has no effect on a UDP server\n"},
    {"-c h -u -C --trip-times", CLI_ERROR,
	"iperf: -C cannot be used with --trip-times\n"},

    /* Lengths and rates of UDP. */
    {"-c h -u -l 16", CLI_RUN, ""},
    {"-c h -u -l 15", CLI_ERROR,
	"iperf: bad value '15' for -l: out of range (16 to 65507) with UDP\n"},
    {"-c h -u -F x -l 17", CLI_RUN, ""},
    {"-c h -u -F x -l 16", CLI_ERROR,
	"iperf: bad value '16' for -l: out of range (17 to 65507) with UDP\n"},
    {"-c h -u -l 65507", CLI_RUN, ""},
    {"-c h -u -l 65508", CLI_ERROR,
	"iperf: bad value '65508' for -l: out of range (16 to 65507) with "
	"UDP\n"},
    {"-s -u -l 1", CLI_RUN, ""},
    {"-s -u --len 64K", CLI_ERROR,
	"iperf: bad value '65536' for --len: out of range (1 to 65507) with "
	"UDP\n"},
    {"-c h -u -b 10m --ipg 0.01", CLI_ERROR,
	"iperf: --ipg cannot be used with -b\n"},
    {"-c h -u --ipg 60", CLI_RUN, ""},
    {"-c h -u -b 196", CLI_RUN, ""},
    {"-c h -u -b 100", CLI_ERROR,
	"iperf: rate too low: the gap between packets would be 117.6 s "
	"(at most 60 s)\n"},
    {"-c h -u -b 0.5pps -l 100", CLI_RUN, ""},
    {"-c h -u -b 6127346431796pps", CLI_RUN, ""},
    {"-c h -u -b 6127346431797pps", CLI_ERROR,
	"iperf: rate too high: 6127346431797 packets of 1470 bytes per "
	"second\n"},

    /* Multicast. */
    {"-c 239.1.1.1 -u -T 3 -P 2", CLI_RUN, ""},
    {"-c ff02::1 -u", CLI_ERROR,
	"iperf: bad value 'ff02::1' for -c: a link-local address needs "
	"%DEVICE, such as ff02::1%eth0\n"},
    {"-c ff1e::1 -u", CLI_RUN, ""},
    {"-s -u -B 239.1.1.1%lo", CLI_RUN, ""},
    {"-s -u -B 239.1.1.1 -H 127.0.0.1", CLI_RUN, ""},
    {"-s -u -H 127.0.0.1", CLI_ERROR, "iperf: -H needs -B\n"},
    {"-s -u -B 127.0.0.1 -H 127.0.0.1", CLI_ERROR,
	"iperf: -H needs a multicast group for -B\n"},
    {"-s -u -B 239.1.1.1 -H 239.1.1.2", CLI_ERROR,
	"iperf: bad value '239.1.1.2' for -H: a group is no source\n"},
    {"-s -u -B 239.1.1.1 -H ::1", CLI_ERROR,
	"iperf: '::1' is an address of IPv6, but IPv4 is asked for\n"},
    {"-s -B 127.0.0.1 -H 127.0.0.1", CLI_ERROR, "iperf: -H needs -u\n"},
    {"-c h -u -B 239.1.1.1", CLI_ERROR,
	"iperf: bad value '239.1.1.1' for -B: only a server joins a "
	"multicast group\n"},
    {"-c h -u -B 127.0.0.1 -H 127.0.0.1", CLI_RUN,
	"iperf: -H has no effect on a client\n"},
};

START_TEST(test_options_finish_messages)
{
	fixture_check(&message_cases[_i]);
}
END_TEST

START_TEST(test_options_finish_udp_client)
{
	struct options o;

	fixture_run(&o, "-c h -u");
	ck_assert_int_eq(o.protocol, PROTOCOL_UDP);
	ck_assert_int_eq(o.length_bytes, 1470);
	ck_assert(!o.length_given && !o.multicast && !o.no_udp_fin);
	ck_assert_int_eq(o.rate.mean, 1048576);
	ck_assert_int_eq(o.ipg_ns, -1);
	ck_assert_int_eq(o.ttl, -1);
	ck_assert(!o.economy && !o.trip_times && !o.enhanced);
	fixture_run(&o, "-c h -u -V");
	ck_assert_int_eq(o.length_bytes, 1450);
	fixture_run(&o, "-c ::1 -u -l 100");
	ck_assert_int_eq(o.length_bytes, 100);
	fixture_run(&o, "-c ::1 -u");
	ck_assert_int_eq(o.length_bytes, 1450);
	fixture_run(&o, "-c h -u --trip-times --no-udp-fin --economy");
	ck_assert(o.trip_times && o.no_udp_fin && o.economy && !o.enhanced);
}
END_TEST

START_TEST(test_options_finish_udp_server)
{
	struct options o;

	fixture_run(&o, "-s -u -V");
	ck_assert_int_eq(o.protocol, PROTOCOL_UDP);
	ck_assert_int_eq(o.length_bytes, 1470);
	ck_assert_int_eq(o.rate.mean, -1);
	ck_assert_int_eq(o.max_flows, 4096);
	ck_assert_int_eq(o.max_flows_per_host, 1024);
	ck_assert_int_eq(o.histogram.width_ns, -1);
	ck_assert_int_eq(o.jitter_width_ns, -1);
	fixture_run(&o, "-s -u --max-flows 9 --max-flows-per-host 2 "
			"--histograms --jitter-histograms");
	ck_assert_int_eq(o.max_flows, 9);
	ck_assert_int_eq(o.max_flows_per_host, 2);
	ck_assert(o.enhanced);
	ck_assert_int_eq(o.histogram.width_ns, 100 * NS_PER_US);
	ck_assert_int_eq(o.histogram.bins, 10000);
	ck_assert_int_eq(o.jitter_width_ns, 100 * NS_PER_US);
	fixture_run(&o, "-s -u --udp-histograms=10u,1K,1,99.9 "
			"--jitter-histograms=10");
	ck_assert_int_eq(o.histogram.width_ns, 10 * NS_PER_US);
	ck_assert_int_eq(o.histogram.bins, 1024);
	ck_assert_double_eq(o.histogram.lower_percent, 1);
	ck_assert_double_eq(o.histogram.upper_percent, 99.9);
	ck_assert_int_eq(o.jitter_width_ns, 10 * NS_PER_US);
}
END_TEST

START_TEST(test_options_finish_udp_multicast)
{
	struct options o;

	fixture_run(&o, "-c 239.1.1.1 -u");
	ck_assert(o.multicast && o.no_udp_fin);
	ck_assert_int_eq(o.ttl, 1);
	fixture_run(&o, "-c ff1e::1%lo -u -T 3");
	ck_assert(o.multicast && o.no_udp_fin);
	ck_assert_int_eq(o.ttl, 3);
	ck_assert_int_eq(o.length_bytes, 1450);
	fixture_run(&o, "-s -u -B 239.1.1.1%lo -H 192.0.2.1");
	ck_assert(o.multicast && !o.no_udp_fin);
	ck_assert_str_eq(o.bind.device, "lo");
	ck_assert_str_eq(o.ssm_source.host, "192.0.2.1");
	fixture_run(&o, "-s -u -B 127.0.0.1");
	ck_assert(!o.multicast);
}
END_TEST

/* The gap of the banner and of the pacer. */
static const struct {
	const char *arguments;
	double us;
} gap_cases[] = {
    {"-c h -u", 11215.209960937},
    {"-c h -u -b 100m", 117.6},
    {"-c h -u -b 5g", 2.352},
    {"-c h -u -b 10m,1m", 1176},
    {"-c h -u -b 500pps -l 16", 2000},
    {"-c h -u -b 0", 0},
    {"-c h -u -b 0pps", 0},
    {"-c h -u --ipg 0.002 -l 200", 2000},
    {"-c h -u --ipg 0", 0},
};

START_TEST(test_gap_ns_table)
{
	struct options o;

	fixture_run(&o, gap_cases[_i].arguments);
	ck_assert_double_eq_tol(gap_ns(&o) / NS_PER_US, gap_cases[_i].us, 1e-6);
}
END_TEST

static Suite *
rules_udp_suite(void)
{
	Suite *s = suite_create("rules_udp");
	TCase *messages = tcase_create("messages");
	TCase *values = tcase_create("defaults and implications");

	tcase_add_loop_test(messages, test_options_finish_messages, 0,
	    COUNT(message_cases));
	suite_add_tcase(s, messages);

	tcase_add_test(values, test_options_finish_udp_client);
	tcase_add_test(values, test_options_finish_udp_server);
	tcase_add_test(values, test_options_finish_udp_multicast);
	tcase_add_loop_test(values, test_gap_ns_table, 0, COUNT(gap_cases));
	suite_add_tcase(s, values);
	return s;
}

int
main(void)
{
	return run_suite(rules_udp_suite());
}
