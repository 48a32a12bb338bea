/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/socket.h>

#include <arpa/inet.h>
#include <check.h>
#include <string.h>

#include "base/options.h"
#include "report/address.h"
#include "run_suite.h"

static void
set_address(struct sockaddr_storage *ss, const char *host, uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6};

	memset(ss, 0, sizeof(*ss));
	sin.sin_port = sin6.sin6_port = htons(port);
	if (inet_pton(AF_INET, host, &sin.sin_addr) == 1) {
		memcpy(ss, &sin, sizeof(sin));
	} else {
		ck_assert_int_eq(inet_pton(AF_INET6, host, &sin6.sin6_addr), 1);
		memcpy(ss, &sin6, sizeof(sin6));
	}
}

struct address_case {
	const char *host;
	enum family family;
	bool hide;
	const char *text;
};

static const struct address_case addresses[] = {
    {"192.0.2.17", FAMILY_ANY, false, "192.0.2.17"},
    {"192.0.2.17", FAMILY_ANY, true, "*.*.*.17"},
    {"2001:db8::7", FAMILY_ANY, false, "2001:db8::7"},
    {"2001:db8::7", FAMILY_ANY, true, "*::0007"},
    {"2001:db8:1:2:3:4:5:abcd", FAMILY_V6, true, "*::abcd"},
    {"::ffff:192.0.2.17", FAMILY_ANY, false, "192.0.2.17"},
    {"::ffff:192.0.2.17", FAMILY_V4, false, "192.0.2.17"},
    {"::ffff:192.0.2.17", FAMILY_V6, false, "::ffff:192.0.2.17"},
    {"::ffff:192.0.2.17", FAMILY_ANY, true, "*.*.*.17"},
    {"::ffff:255.255.255.255", FAMILY_V6, true, "::ffff:*.*.*.255"},
};

START_TEST(test_address_print_table)
{
	const struct address_case *c = &addresses[_i];
	const struct options options = {.family = c->family,
	    .hide_ips = c->hide};
	struct sockaddr_storage ss;
	char buf[ADDRESS_TEXT_MAX];

	set_address(&ss, c->host, 5001);
	address_print(buf, sizeof(buf), &ss, &options);
	ck_assert_str_eq(buf, c->text);
	ck_assert_uint_eq(address_port_of(&ss), 5001);
}
END_TEST

START_TEST(test_address_print_unknown)
{
	const struct options options = {.family = FAMILY_ANY};
	struct sockaddr_storage ss = {.ss_family = AF_UNSPEC};
	char buf[ADDRESS_TEXT_MAX];

	address_print(buf, sizeof(buf), &ss, &options);
	ck_assert_str_eq(buf, "unknown");
	ck_assert_uint_eq(address_port_of(&ss), 0);
}
END_TEST

START_TEST(test_address_print_host_name)
{
	struct options options = {.hide_ips = false};
	char buf[OPTIONS_HOST_MAX];

	address_print_host(buf, sizeof(buf), "host.example", &options);
	ck_assert_str_eq(buf, "host.example");
	options.hide_ips = true;
	address_print_host(buf, sizeof(buf), "host.example", &options);
	ck_assert_str_eq(buf, "(**hidden**)");
	address_print_host(buf, sizeof(buf), "2001:db8::1:2", &options);
	ck_assert_str_eq(buf, "*::0002");
}
END_TEST

static Suite *
report_address_suite(void)
{
	Suite *s = suite_create("report_address");
	TCase *tc = tcase_create("print");

	tcase_add_loop_test(tc, test_address_print_table, 0,
	    (int)(sizeof(addresses) / sizeof(addresses[0])));
	tcase_add_test(tc, test_address_print_unknown);
	tcase_add_test(tc, test_address_print_host_name);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(report_address_suite());
}
