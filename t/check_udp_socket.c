/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/sock_os.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "run_suite.h"

static int
get_int(int fd, int level, int name)
{
	int v;
	socklen_t len = sizeof(v);

	ck_assert_int_eq(getsockopt(fd, level, name, &v, &len), 0);
	return v;
}

static int
open_listener(const struct options *o, const char *host, uint16_t port)
{
	struct address a = net_fixture_address(host, port);
	struct net_error error;
	int fd;

	fd = udp_socket_listen(&a, o, &error);
	ck_assert_msg(fd != -1, "%s", error.text);
	return fd;
}

static int
open_client(const struct options *o, const char *host, int listener,
    const char *from)
{
	struct address a, local;
	struct net_error error;
	int fd;

	ck_assert_int_eq(address_of_local(&a, listener), 0);
	a = net_fixture_address(host, address_port(&a));
	if (from != NULL)
		local = net_fixture_address(from, 0);
	fd = udp_socket_client(&a, from != NULL ? &local : NULL, o, &error);
	ck_assert_msg(fd != -1, "%s", error.text);
	return fd;
}

/* Whether a byte gets from one to the other, now. */
static bool
reaches(int from, int to)
{
	char byte;

	ck_assert_int_eq(send(from, "x", 1, 0), 1);
	return recv(to, &byte, 1, MSG_DONTWAIT) == 1;
}

START_TEST(test_udp_socket_client_options)
{
	struct options o = net_fixture_options();
	int listener = open_listener(&o, "127.0.0.1", 0);
	struct address local, want = net_fixture_address("127.0.0.9", 0);
	int fd;

	o.window_bytes = 40000;
	o.tos = 0x28;
	o.ttl = 7;
	fd = open_client(&o, "127.0.0.1", listener, "127.0.0.9");
	ck_assert_int_eq(get_int(fd, SOL_SOCKET, SO_SNDBUF), 80000);
	ck_assert_int_eq(get_int(fd, SOL_SOCKET, SO_RCVBUF), 80000);
	ck_assert_int_eq(get_int(fd, IPPROTO_IP, IP_TOS), 0x28);
	ck_assert_int_eq(get_int(fd, IPPROTO_IP, IP_TTL), 7);
	ck_assert_int_eq(get_int(fd, IPPROTO_IP, IP_MULTICAST_TTL), 7);
	ck_assert_int_eq(address_of_local(&local, fd), 0);
	ck_assert(address_same_host(&local, &want));
	ck_assert(reaches(fd, listener));
	close(fd);
	close(listener);
}
END_TEST

START_TEST(test_udp_socket_client_options_v6)
{
	struct options o = net_fixture_options();
	int listener = open_listener(&o, "::1", 0);
	int fd;

	o.tos = 0x28;
	o.ttl = 7;
	fd = open_client(&o, "::1", listener, NULL);
	ck_assert_int_eq(get_int(fd, IPPROTO_IPV6, IPV6_TCLASS), 0x28);
	ck_assert_int_eq(get_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS), 7);
	ck_assert_int_eq(get_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS), 7);
	ck_assert(reaches(fd, listener));
	close(fd);
	close(listener);
}
END_TEST

START_TEST(test_udp_socket_client_bad_local)
{
	struct address peer = net_fixture_address("127.0.0.1", 5001);
	struct address local = net_fixture_address("203.0.113.9", 0);
	struct options o = net_fixture_options();
	struct net_error error;
	char wanted[sizeof(error.text)];

	ck_assert_int_eq(udp_socket_client(&peer, &local, &o, &error), -1);
	ck_assert_int_eq(error.code, EADDRNOTAVAIL);
	snprintf(wanted, sizeof(wanted), "bind failed: %s [203.0.113.9 port 0]",
	    strerror(EADDRNOTAVAIL));
	ck_assert_str_eq(error.text, wanted);
}
END_TEST

START_TEST(test_udp_socket_client_bad_device)
{
	const char *host = _i == 0 ? "127.0.0.1" : "239.1.2.3";
	struct address peer = net_fixture_address(host, 5001);
	struct options o = net_fixture_options();
	struct net_error error;

	strlcpy(o.server.device, "none0", sizeof(o.server.device));
	ck_assert_int_eq(udp_socket_client(&peer, NULL, &o, &error), -1);
	ck_assert_int_eq(error.code, ENODEV);
}
END_TEST

/* What may be had of 32 MB, at least what the system gives unasked. */
START_TEST(test_udp_socket_listen_buffer)
{
	struct options o = net_fixture_options();
	int plain = socket(AF_INET, SOCK_DGRAM, 0);
	int fd = open_listener(&o, "127.0.0.1", 0);
	int bytes = 32 << 20;

	if (sock_os_force_receive_buffer(plain, bytes) == -1)
		setsockopt(plain, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	ck_assert_int_ge(get_int(fd, SOL_SOCKET, SO_RCVBUF),
	    get_int(plain, SOL_SOCKET, SO_RCVBUF));
	close(fd);
	o.window_bytes = 30000;
	fd = open_listener(&o, "127.0.0.1", 0);
	ck_assert_int_eq(get_int(fd, SOL_SOCKET, SO_RCVBUF), 60000);
	close(fd);
	close(plain);
}
END_TEST

START_TEST(test_udp_socket_listen_dual)
{
	struct options o = net_fixture_options();
	int listener = open_listener(&o, "::", 0);
	int v4 = open_client(&o, "127.0.0.1", listener, NULL);
	int v6 = open_client(&o, "::1", listener, NULL);

	ck_assert(reaches(v4, listener));
	ck_assert(reaches(v6, listener));
	close(v4);
	close(v6);
	close(listener);
}
END_TEST

static const char *taken[][2] = {
    {"127.0.0.1", "127.0.0.1"},
    {"0.0.0.0", "127.0.0.1"},
    {"127.0.0.1", "0.0.0.0"},
    {"::", "0.0.0.0"},
    {"0.0.0.0", "::"},
    {"::", "::"},
};

START_TEST(test_udp_socket_listen_taken)
{
	struct options o = net_fixture_options();
	int first = open_listener(&o, taken[_i][0], 0);
	struct net_error error;
	struct address a;

	ck_assert_int_eq(address_of_local(&a, first), 0);
	a = net_fixture_address(taken[_i][1], address_port(&a));
	ck_assert_int_eq(udp_socket_listen(&a, &o, &error), -1);
	ck_assert_int_eq(error.code, EADDRINUSE);
	close(first);
}
END_TEST

static const struct {
	const char *host;
	bool is_multicast;
} hosts[] = {
    {"223.255.255.255", false},
    {"224.0.0.0", true},
    {"239.255.255.255", true},
    {"240.0.0.1", false},
    {"::ffff:239.1.2.3", true},
    {"::ffff:10.1.2.3", false},
    {"ff02::1", true},
    {"fe80::1", false},
};

START_TEST(test_udp_socket_is_multicast)
{
	struct address a = net_fixture_address(hosts[_i].host, 0);

	ck_assert(udp_socket_is_multicast(&a) == hosts[_i].is_multicast);
}
END_TEST

static const struct {
	const char *group;
	const char *source; /* of the datagram */
	const char *wanted; /* by the listener; "" any */
	bool arrives;
} joins[] = {
    {"239.255.7.9", "127.0.0.1", "", true},
    {"232.1.7.9", "127.0.0.1", "127.0.0.1", true},
    {"232.1.7.9", "127.0.0.5", "127.0.0.1", false},
};

/* The loopback device passes no IPv6 multicast on. */
static const struct {
	const char *group;
	const char *wanted;
} joins_v6[] = {
    {"ff15::7:9", ""},
    {"ff02::7:9", ""},
    {"ff35::7:9", "2001:db8::1"},
};

START_TEST(test_udp_socket_join)
{
	struct options o = net_fixture_options();
	int listener, other, sender;
	struct address a;

	strlcpy(o.bind.device, "lo", sizeof(o.bind.device));
	strlcpy(o.server.device, "lo", sizeof(o.server.device));
	strlcpy(o.ssm_source.host, joins[_i].wanted, sizeof(o.ssm_source.host));
	listener = open_listener(&o, joins[_i].group, 0);
	ck_assert_int_eq(address_of_local(&a, listener), 0);
	/* Several programs may have a group. */
	other = open_listener(&o, joins[_i].group, address_port(&a));
	sender = open_client(&o, joins[_i].group, listener, joins[_i].source);
	ck_assert(reaches(sender, listener) == joins[_i].arrives);
	ck_assert(reaches(sender, other) == joins[_i].arrives);
	close(sender);
	close(other);
	close(listener);
}
END_TEST

START_TEST(test_udp_socket_join_v6)
{
	struct options o = net_fixture_options();
	int listener;

	strlcpy(o.bind.device, "lo", sizeof(o.bind.device));
	strlcpy(o.ssm_source.host, joins_v6[_i].wanted,
	    sizeof(o.ssm_source.host));
	listener = open_listener(&o, joins_v6[_i].group, 0);
	close(listener);
}
END_TEST

START_TEST(test_udp_socket_join_bad_source)
{
	struct options o = net_fixture_options();
	struct address a = net_fixture_address("232.1.7.9", 0);
	struct net_error error;

	strlcpy(o.bind.device, "lo", sizeof(o.bind.device));
	strlcpy(o.ssm_source.host, "::1", sizeof(o.ssm_source.host));
	ck_assert_int_eq(udp_socket_listen(&a, &o, &error), -1);
	ck_assert_int_eq(error.code, EADDRNOTAVAIL);
}
END_TEST

static Suite *
udp_socket_suite(void)
{
	Suite *s = suite_create("udp_socket");
	TCase *client = tcase_create("client");
	TCase *listener = tcase_create("listen");
	TCase *multicast = tcase_create("multicast");

	tcase_add_test(client, test_udp_socket_client_options);
	tcase_add_test(client, test_udp_socket_client_options_v6);
	tcase_add_test(client, test_udp_socket_client_bad_local);
	tcase_add_loop_test(client, test_udp_socket_client_bad_device, 0, 2);
	suite_add_tcase(s, client);
	tcase_add_test(listener, test_udp_socket_listen_buffer);
	tcase_add_test(listener, test_udp_socket_listen_dual);
	tcase_add_loop_test(listener, test_udp_socket_listen_taken, 0,
	    sizeof(taken) / sizeof(taken[0]));
	suite_add_tcase(s, listener);
	tcase_add_loop_test(multicast, test_udp_socket_is_multicast, 0,
	    sizeof(hosts) / sizeof(hosts[0]));
	tcase_add_loop_test(multicast, test_udp_socket_join, 0,
	    sizeof(joins) / sizeof(joins[0]));
	tcase_add_loop_test(multicast, test_udp_socket_join_v6, 0,
	    sizeof(joins_v6) / sizeof(joins_v6[0]));
	tcase_add_test(multicast, test_udp_socket_join_bad_source);
	suite_add_tcase(s, multicast);
	return s;
}

int
main(void)
{
	return run_suite(udp_socket_suite());
}
