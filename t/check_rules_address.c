/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/options.h"
#include "cli_fixture.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct cli_case message_cases[] = {
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
    {"-c h -p 5001-5003 --parallel 2", CLI_RUN,
	"iperf: --parallel raised to 3, one stream for each port\n"},
    {"-c h -p 5001-5003 -P 5", CLI_RUN,
	"iperf: ports extended to 5001-5005, one for each stream\n"},
    {"-c h -p 65530-65535 -P 9", CLI_ERROR,
	"iperf: not enough ports for -P 9 from port 65530 on\n"},
    {"-c h -p 65535 --incr-dstport -P 2", CLI_ERROR,
	"iperf: not enough ports for -P 2\n"},
    {"-c h -u -p 5001-5003", CLI_RUN, ""},
    {"--loopback -p 1-2", CLI_ERROR,
	"iperf: --loopback cannot be used with a range of ports\n"},
};

START_TEST(test_options_finish_messages)
{
	fixture_check(&message_cases[_i]);
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

static Suite *
rules_address_suite(void)
{
	Suite *s = suite_create("rules_address");
	TCase *messages = tcase_create("messages");
	TCase *values = tcase_create("values");

	tcase_add_loop_test(messages, test_options_finish_messages, 0,
	    COUNT(message_cases));
	tcase_add_test(messages, test_options_finish_link_local);
	suite_add_tcase(s, messages);

	tcase_add_test(values, test_options_finish_families);
	tcase_add_test(values, test_options_finish_port_range);
	suite_add_tcase(s, values);
	return s;
}

int
main(void)
{
	return run_suite(rules_address_suite());
}
