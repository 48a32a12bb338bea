/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/gap.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "cli_fixture.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct cli_case message_cases[] = {
    /* Modes. */
    {"", CLI_ERROR, FIXTURE_USAGE},
    {"-t 5", CLI_ERROR, FIXTURE_USAGE},
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

    /* Addresses and ports. */
    {"-c ::1", CLI_RUN, ""},
    {"-c ::1 -4", CLI_ERROR,
	"iperf: '::1' is an address of IPv6, but IPv4 is asked for\n"},
    {"-c 127.0.0.1 -V", CLI_ERROR,
	"iperf: '127.0.0.1' is an address of IPv4, but IPv6 is asked for\n"},
    {"-c ::1 -B 127.0.0.1", CLI_ERROR,
	"iperf: '127.0.0.1' is an address of IPv4, but IPv6 is asked for\n"},
    {"-c fe80::1%lo", CLI_RUN, ""},
    {"-c 224.0.0.1", CLI_ERROR, "iperf: multicast group 224.0.0.1 needs -u\n"},
    {"-c ff02::1%lo", CLI_ERROR, "iperf: multicast group ff02::1 needs -u\n"},
    {"-s -B 224.0.0.1", CLI_ERROR,
	"iperf: multicast group 224.0.0.1 needs -u\n"},
    {"-c h -B 224.0.0.1", CLI_ERROR,
	"iperf: bad value '224.0.0.1' for -B: only a server joins a multicast "
	"group\n"},
    {"-s -B 127.0.0.1:77", CLI_RUN,
	"iperf: the port of -B has no effect on a server: use -p to set "
	"it\n"},
    {"-c h -B 127.0.0.1%lo", CLI_RUN,
	"iperf: the device of -B has no effect on a client: use -c "
	"HOST%lo\n"},
    {"-c h -p 5001-5003", CLI_RUN, ""},
    {"-c h -p 5001-5003 -P 2", CLI_RUN,
	"iperf: -P raised to 3, one stream for each port\n"},
    {"-c h -p 5001-5003 -P 5", CLI_RUN,
	"iperf: ports extended to 5001-5005, one for each stream\n"},
    {"-c h -p 65530-65535 -P 9", CLI_ERROR,
	"iperf: not enough ports for -P 9 from port 65530 on\n"},
    {"-c h -p 65535 --incr-dstport -P 2", CLI_ERROR,
	"iperf: not enough ports for -P 2\n"},
    {"-c h -u -p 5001-5003", CLI_RUN, ""},
    {"--loopback -p 1-2", CLI_ERROR,
	"iperf: --loopback cannot be used with a range of ports\n"},

    /* UDP and TCP. */
    {"-c h -u", CLI_RUN, ""},
    {"-s -u", CLI_RUN, ""},
    {"--loopback -u", CLI_ERROR, "iperf: --loopback cannot be used with -u\n"},
    {"-c h -u --connect-only", CLI_ERROR,
	"iperf: --connect-only cannot be used with -u\n"},
    {"--udp -c h --connect-retries 2", CLI_ERROR,
	"iperf: --connect-retries cannot be used with --udp\n"},
    {"-c h -u --connect-retry-time 2", CLI_ERROR,
	"iperf: --connect-retry-time cannot be used with -u\n"},
    {"-c h -u --connect-retry-timer 2", CLI_ERROR,
	"iperf: --connect-retry-timer cannot be used with -u\n"},
    {"-c h -u -X", CLI_ERROR,
	"iperf: -X is not supported by this implementation yet\n"},
    {"-c h -u -F x", CLI_ERROR,
	"iperf: -F is not supported by this implementation with UDP yet\n"},
    {"-c h -u --stdin", CLI_ERROR,
	"iperf: --stdin is not supported by this implementation with UDP "
	"yet\n"},
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

    /* What is not there. */
    {"-c h -W", CLI_RUN, "iperf: -W is not available and has no effect\n"},
    {"-R -c h", CLI_ERROR,
	"iperf: -R is not supported by this implementation yet\n"},
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

START_TEST(test_options_finish_families)
{
	struct options o;

	fixture_run(&o, "-c ::1");
	ck_assert_int_eq(o.family, FAMILY_V6);
	fixture_run(&o, "-c h -B [::1]:77");
	ck_assert_int_eq(o.family, FAMILY_V6);
	ck_assert_int_eq(o.bind.port, 77);
	fixture_run(&o, "-s -V");
	ck_assert_int_eq(o.family, FAMILY_V6);
	fixture_run(&o, "-s -4");
	ck_assert_int_eq(o.family, FAMILY_V4);
	fixture_run(&o, "-c fe80::1%lo -B fe80::2%lo");
	ck_assert_str_eq(o.server.device, "lo");
	ck_assert_str_eq(o.bind.device, "lo");
}
END_TEST

START_TEST(test_options_finish_link_local)
{
	struct options o;
	const char *start = "iperf: bad value 'fe80::1' for -c: a link-local "
			    "address needs %DEVICE, such as fe80::1%";

	ck_assert_int_eq(fixture_read(&o, "-c fe80::1"), CLI_ERROR);
	ck_assert_int_eq(strncmp(fixture_messages(), start, strlen(start)), 0);
}
END_TEST

START_TEST(test_options_finish_port_range)
{
	struct options o;

	fixture_run(&o, "-c h -p 5001-5003");
	ck_assert_int_eq(o.parallel, 3);
	ck_assert(o.port_range_given && o.incr_dstport);
	fixture_run(&o, "-c h -p 5001-5003 -P 5");
	ck_assert_int_eq(o.parallel, 5);
	ck_assert_int_eq(o.ports.last, 5005);
	fixture_run(&o, "-s -p 5001-5003");
	ck_assert(o.port_range_given && !o.incr_dstport);
	ck_assert_int_eq(o.parallel, 0);
	fixture_run(&o, "-c h -p 5001-5001");
	ck_assert(!o.port_range_given && !o.incr_dstport);
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

START_TEST(test_environment_apply_values)
{
	struct options o;

	setenv("IPERF_PORT", "77", 1);
	setenv("IPERF_TIME", "3", 1);
	setenv("TCP_WINDOW_SIZE", "100K", 1);
	setenv("IPERF_NODELAY", "1", 1);
	setenv("IPERF_FORMAT", "", 1);
	setenv("IPERF_UDP", "0", 1);
	setenv("IPERF_BIND", "127.0.0.9", 1);
	fixture_run(&o, "-c h -t 4 -B 127.0.0.1");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert_int_eq(o.ports.first, 77);
	ck_assert_int_eq(o.duration_ns, 4 * NS_PER_S);
	ck_assert_int_eq(o.window_bytes, 102400);
	ck_assert(o.nodelay);
	ck_assert_int_eq(o.protocol, PROTOCOL_TCP);
	ck_assert_str_eq(o.bind.host, "127.0.0.1");
}
END_TEST

START_TEST(test_environment_apply_mode)
{
	struct options o;

	setenv("IPERF_CLIENT", "h", 1);
	fixture_run(&o, "");
	ck_assert_int_eq(o.role, ROLE_CLIENT);
	fixture_run(&o, "-s");
	ck_assert_int_eq(o.role, ROLE_SERVER);
	ck_assert_str_eq(o.server.host, "");
	setenv("IPERF_NUM", "5", 1);
	fixture_run(&o, "-s");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert_int_eq(o.amount_bytes, -1);
}
END_TEST

START_TEST(test_environment_apply_refused)
{
	static const struct cli_case bad = {"-s", CLI_ERROR,
	    "iperf: bad value 'x' for IPERF_PORT: not a number\n"};
	static const struct cli_case unbuilt = {"-s", CLI_ERROR,
	    "iperf: IPERF_TRADEOFF is not supported by this implementation "
	    "yet\n"};

	setenv("IPERF_PORT", "x", 1);
	fixture_check(&bad);
	unsetenv("IPERF_PORT");
	setenv("IPERF_TRADEOFF", "1", 1);
	fixture_check(&unbuilt);
}
END_TEST

static Suite *
rules_suite(void)
{
	Suite *s = suite_create("rules");
	TCase *messages = tcase_create("messages");
	TCase *values = tcase_create("defaults and implications");
	TCase *environment = tcase_create("environment");

	tcase_add_loop_test(messages, test_options_finish_messages, 0,
	    COUNT(message_cases));
	tcase_add_loop_test(messages, test_options_finish_refuses_unbuilt, 0,
	    OPTION_COUNT);
	tcase_add_test(messages, test_options_finish_link_local);
	suite_add_tcase(s, messages);

	tcase_add_test(values, test_options_finish_client_defaults);
	tcase_add_test(values, test_options_finish_server_defaults);
	tcase_add_test(values, test_options_finish_loopback_defaults);
	tcase_add_loop_test(values, test_options_finish_amounts, 0,
	    COUNT(amount_cases));
	tcase_add_test(values, test_options_finish_implications);
	tcase_add_test(values, test_options_finish_retries);
	tcase_add_test(values, test_options_finish_families);
	tcase_add_test(values, test_options_finish_port_range);
	tcase_add_test(values, test_options_finish_udp_client);
	tcase_add_test(values, test_options_finish_udp_server);
	tcase_add_test(values, test_options_finish_udp_multicast);
	tcase_add_loop_test(values, test_gap_ns_table, 0, COUNT(gap_cases));
	tcase_add_test(values, test_options_finish_start_time);
	suite_add_tcase(s, values);

	tcase_add_test(environment, test_environment_apply_values);
	tcase_add_test(environment, test_environment_apply_mode);
	tcase_add_test(environment, test_environment_apply_refused);
	suite_add_tcase(s, environment);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(rules_suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
