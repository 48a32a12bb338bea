/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/options.h"
#include "cli_fixture.h"
#include "run_suite.h"

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

START_TEST(test_environment_apply_conflicts)
{
	static const struct cli_case bad = {"-s", CLI_ERROR,
	    "iperf: bad value 'x' for IPERF_PORT: not a number\n"};
	static const struct cli_case wins = {"-c h -R", CLI_RUN, ""};

	setenv("IPERF_PORT", "x", 1);
	fixture_check(&bad);
	unsetenv("IPERF_PORT");
	setenv("IPERF_TRADEOFF", "1", 1);
	fixture_check(&wins);
}
END_TEST

START_TEST(test_environment_apply_single_udp)
{
	struct options o;

	setenv("IPERF_SINGLE_UDP", "1", 1);
	fixture_run(&o, "-s");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert_int_eq(o.protocol, PROTOCOL_UDP);
	ck_assert(o.single_client);
	fixture_run(&o, "-c h");
	ck_assert_str_eq(fixture_messages(), "");
	ck_assert_int_eq(o.protocol, PROTOCOL_TCP);
	setenv("IPERF_SINGLE_UDP", "0", 1);
	fixture_run(&o, "-s");
	ck_assert_int_eq(o.protocol, PROTOCOL_TCP);
}
END_TEST

static Suite *
environment_suite(void)
{
	Suite *s = suite_create("environment");
	TCase *tc = tcase_create("environment");

	tcase_add_test(tc, test_environment_apply_values);
	tcase_add_test(tc, test_environment_apply_mode);
	tcase_add_test(tc, test_environment_apply_conflicts);
	tcase_add_test(tc, test_environment_apply_single_udp);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(environment_suite());
}
