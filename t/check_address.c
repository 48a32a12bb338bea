/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "run_suite.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* An address from its text, with a port. */
static struct address
make_address(const char *text, uint16_t port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6};
	struct address a;

	memset(&a, 0, sizeof(a));
	if (inet_pton(AF_INET, text, &sin.sin_addr) == 1) {
		a.len = sizeof(sin);
		memcpy(&a.ss, &sin, sizeof(sin));
	} else {
		ck_assert_int_eq(inet_pton(AF_INET6, text, &sin6.sin6_addr), 1);
		a.len = sizeof(sin6);
		memcpy(&a.ss, &sin6, sizeof(sin6));
	}
	address_set_port(&a, port);
	return a;
}

static struct endpoint
make_endpoint(const char *host, const char *device)
{
	struct endpoint ep;

	memset(&ep, 0, sizeof(ep));
	strlcpy(ep.host, host, sizeof(ep.host));
	strlcpy(ep.device, device, sizeof(ep.device));
	return ep;
}

static const struct {
	const char *host;
	enum family family;
	const char *text; /* NULL: there is no such address */
} numeric[] = {
    {"127.0.0.1", FAMILY_ANY, "127.0.0.1 port 5001"},
    {"127.0.0.1", FAMILY_V4, "127.0.0.1 port 5001"},
    {"127.0.0.1", FAMILY_V6, NULL},
    {"::1", FAMILY_ANY, "::1 port 5001"},
    {"::1", FAMILY_V6, "::1 port 5001"},
    {"::1", FAMILY_V4, NULL},
    {"2001:db8::7", FAMILY_ANY, "2001:db8::7 port 5001"},
    {"", FAMILY_V4, "0.0.0.0 port 5001"},
    {"", FAMILY_V6, ":: port 5001"},
};

START_TEST(test_addresses_resolve_numeric)
{
	struct endpoint ep = make_endpoint(numeric[_i].host, "");
	char text[ADDRESS_TEXT_MAX], why[ADDRESS_EXPLAIN_MAX];
	struct addresses as;
	int rc;

	rc = addresses_resolve(&as, &ep, numeric[_i].family, 5001);
	if (numeric[_i].text == NULL) {
		ck_assert_int_ne(rc, 0);
		ck_assert_str_ne(address_explain(&ep, rc, why), "");
	} else {
		ck_assert_int_eq(rc, 0);
		ck_assert_uint_eq(as.n, 1);
		ck_assert_str_eq(address_text(&as.list[0], text, sizeof(text)),
		    numeric[_i].text);
	}
	addresses_fini(&as);
	ck_assert_ptr_null(as.list);
}
END_TEST

/* All of fe80::/10 is link-local (RFC 4291). */
static const char *const scoped[] = {"fe80::1", "FE80:0::1", "febf::1"};

START_TEST(test_addresses_resolve_scope)
{
	struct endpoint ep = make_endpoint(scoped[_i], "lo");
	const struct sockaddr_in6 *sin6;
	struct addresses as;

	ck_assert_int_eq(addresses_resolve(&as, &ep, FAMILY_ANY, 5001), 0);
	sin6 = (const struct sockaddr_in6 *)&as.list[0].ss;
	ck_assert_uint_eq(sin6->sin6_scope_id, if_nametoindex("lo"));
	addresses_fini(&as);
}
END_TEST

static const struct {
	const char *host;
	const char *device;
	const char *text;
} unknown[] = {
    {"host.invalid", "", "host.invalid: Unknown host"},
    {"host.invalid", "lo", "host.invalid: Unknown host"},
    {"fe80::1", "nodevice", "cannot use device 'nodevice': No such device"},
};

START_TEST(test_address_explain_table)
{
	struct endpoint ep =
	    make_endpoint(unknown[_i].host, unknown[_i].device);
	char buf[ADDRESS_EXPLAIN_MAX];

	ck_assert_str_eq(address_explain(&ep, EAI_NONAME, buf),
	    unknown[_i].text);
}
END_TEST

static const struct {
	const char *from;
	unsigned n;
	const char *to;
} sums[] = {
    {"10.0.0.1", 0, "10.0.0.1"},
    {"10.0.0.1", 1, "10.0.0.2"},
    {"10.0.0.255", 1, "10.0.1.0"},
    {"10.255.255.250", 300, "11.0.1.38"},
    {"255.255.255.255", 1, "0.0.0.0"},
    {"2001:db8::ffff", 1, "2001:db8::1:0"},
    {"2001:db8::1", 65536, "2001:db8::1:1"},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 2, "::1"},
};

START_TEST(test_address_add_table)
{
	struct address a = make_address(sums[_i].from, 77);
	struct address b = make_address(sums[_i].to, 77);

	address_add(&a, sums[_i].n);
	ck_assert_mem_eq(&a.ss, &b.ss, a.len);
}
END_TEST

static const struct {
	const char *a;
	const char *b;
	bool same;
} hosts[] = {
    {"10.0.0.1", "10.0.0.1", true},
    {"10.0.0.1", "10.0.0.2", false},
    {"2001:db8::1", "2001:db8::1", true},
    {"2001:db8::1", "2001:db8::2", false},
    {"::ffff:10.0.0.1", "10.0.0.1", true},
    {"::ffff:10.0.0.1", "10.0.0.2", false},
    {"::ffff:10.0.0.1", "::ffff:10.0.0.1", true},
    {"::10.0.0.1", "10.0.0.1", false}, /* compatible, not mapped */
    {"::", "0.0.0.0", false},
};

START_TEST(test_address_same_host_table)
{
	struct address a = make_address(hosts[_i].a, 1);
	struct address b = make_address(hosts[_i].b, 2);

	ck_assert_int_eq(address_same_host(&a, &b), hosts[_i].same);
	ck_assert_int_eq(address_same_host(&b, &a), hosts[_i].same);
}
END_TEST

static const struct {
	const char *address;
	const char *text;
} texts[] = {
    {"192.0.2.1", "192.0.2.1 port 65535"},
    {"2001:db8::1", "2001:db8::1 port 65535"},
    {"::ffff:192.0.2.1", "192.0.2.1 port 65535"},
};

START_TEST(test_address_text_table)
{
	struct address a = make_address(texts[_i].address, 65535);
	char text[ADDRESS_TEXT_MAX];

	ck_assert_ptr_eq(address_text(&a, text, sizeof(text)), text);
	ck_assert_str_eq(text, texts[_i].text);
	ck_assert_uint_eq(address_port(&a), 65535);
}
END_TEST

START_TEST(test_address_text_unknown)
{
	struct address a = {.len = 0};
	char text[ADDRESS_TEXT_MAX];

	address_text(&a, text, sizeof(text));
	ck_assert_str_eq(text, "? port 0");
}
END_TEST

START_TEST(test_address_of_local)
{
	struct address any = make_address("127.0.0.1", 0), local, seen;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(server, (const struct sockaddr *)&any.ss,
			     any.len),
	    0);
	ck_assert_int_eq(listen(server, 1), 0);
	ck_assert_int_eq(address_of_local(&local, server), 0);
	ck_assert_uint_ne(address_port(&local), 0);
	ck_assert_int_eq(connect(client, (const struct sockaddr *)&local.ss,
			     local.len),
	    0);
	ck_assert_int_eq(address_of_local(&seen, client), 0);
	ck_assert_uint_ne(address_port(&seen), 0);
	ck_assert(address_same_host(&seen, &local));
	close(client);
	close(server);
	ck_assert_int_eq(address_of_local(&seen, -1), -1);
}
END_TEST

/* Of documentation, so nobody's: RFC 5737 and RFC 3849. */
static const struct {
	const char *text;
	bool is_local;
} locals[] = {
    {"127.0.0.1", true},
    {"127.0.0.2", true},
    {"203.0.113.1", false},
    {"2001:db8::1", false},
};

START_TEST(test_address_is_local_table)
{
	struct address a = make_address(locals[_i].text, 5001);

	ck_assert_int_eq(address_is_local(&a), locals[_i].is_local);
	/* The port is of no importance, and not changed. */
	ck_assert_uint_eq(address_port(&a), 5001);
}
END_TEST

static const char *const host_texts[] = {
    "192.0.2.1",
    "2001:db8::1",
    "::1",
};

START_TEST(test_address_host_table)
{
	struct address a = make_address(host_texts[_i], 5001);
	char text[ADDRESS_TEXT_MAX];

	ck_assert_str_eq(address_host(&a, text, sizeof(text)), host_texts[_i]);
}
END_TEST

/* Not every emulator lists the interfaces. */
START_TEST(test_address_device_loopback)
{
	struct address a = make_address("127.0.0.1", 0);
	char name[IFNAMSIZ];

	if (address_device(&a, name))
		ck_assert_str_eq(name, "lo");
	a = make_address("192.0.2.99", 0);
	ck_assert(!address_device(&a, name));
}
END_TEST

static Suite *
address_suite(void)
{
	Suite *s = suite_create("address");
	TCase *tc;

	tc = tcase_create("names");
	tcase_add_loop_test(tc, test_addresses_resolve_numeric, 0,
	    COUNT(numeric));
	tcase_add_loop_test(tc, test_addresses_resolve_scope, 0,
	    (int)(sizeof(scoped) / sizeof(scoped[0])));
	tcase_add_loop_test(tc, test_address_explain_table, 0, COUNT(unknown));
	suite_add_tcase(s, tc);

	tc = tcase_create("arithmetic");
	tcase_add_loop_test(tc, test_address_add_table, 0, COUNT(sums));
	tcase_add_loop_test(tc, test_address_same_host_table, 0, COUNT(hosts));
	suite_add_tcase(s, tc);

	tc = tcase_create("text");
	tcase_add_loop_test(tc, test_address_text_table, 0, COUNT(texts));
	tcase_add_test(tc, test_address_text_unknown);
	tcase_add_loop_test(tc, test_address_host_table, 0, COUNT(host_texts));
	suite_add_tcase(s, tc);

	tc = tcase_create("system");
	tcase_add_test(tc, test_address_of_local);
	tcase_add_loop_test(tc, test_address_is_local_table, 0, COUNT(locals));
	tcase_add_test(tc, test_address_device_loopback);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(address_suite());
}
