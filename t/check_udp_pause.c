/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/datagrams.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "run_suite.h"
#include "stream/udp_pause.h"
#include "wire/aside.h"

/* Two ends on the loopback device, connected to each other. */
static int sender;
static int receiver;
static struct datagrams_in *in;

static void
set_up(void)
{
	struct options o = net_fixture_options();
	struct address a = net_fixture_address("127.0.0.1", 0), b;
	struct net_error error;

	o.window_bytes = 65536;
	receiver = udp_socket_listen(&a, &o, &error);
	ck_assert_msg(receiver != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&a, receiver), 0);
	o.window_bytes = -1;
	sender = udp_socket_client(&a, NULL, &o, &error);
	ck_assert_msg(sender != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&b, sender), 0);
	ck_assert_int_eq(connect(receiver, (struct sockaddr *)&b.ss,
			     address_length(&b.ss)),
	    0);
	in = datagrams_in_new(receiver, true);
}

static void
tear_down(void)
{
	datagrams_in_free(in);
	close(sender);
	if (receiver != -1)
		close(receiver);
}

static void
send_request(enum aside_kind kind, uint64_t ns)
{
	uint8_t buf[ASIDE_BYTES];

	aside_encode(kind, ns, buf, sizeof(buf));
	ck_assert_int_eq(send(receiver, buf, sizeof(buf), 0), sizeof(buf));
}

/* How many requests have come to the sender. */
static int
count_requests(void)
{
	uint8_t buf[100];
	uint64_t ns;
	ssize_t n;
	int requests = 0;

	while ((n = recv(sender, buf, sizeof(buf), MSG_DONTWAIT)) >= 0) {
		ck_assert_int_eq(aside_decode(buf, (size_t)n, &ns),
		    ASIDE_PAUSE);
		ck_assert_uint_gt(ns, 0);
		requests++;
	}
	return requests;
}

START_TEST(test_udp_pause_heed)
{
	struct udp_pause p = {0};
	int64_t now_ns = 5 * NS_PER_S;

	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns), 0);
	now_ns += NS_PER_MS;
	send_request(ASIDE_PAUSE, 300000);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns), 1);
	ck_assert_int_eq(p.until_ns, now_ns + 300000);
	/* A shorter one does not cut it short. */
	send_request(ASIDE_PAUSE, 1000);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns + 100000), 1);
	ck_assert_int_eq(p.until_ns, now_ns + 300000);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns + 300000), 0);
	ck_assert_int_eq(count_requests(), 0);
}
END_TEST

/* Calls are made now and then only, or they would cost much. */
START_TEST(test_udp_pause_looks_seldom)
{
	struct udp_pause p = {0};
	int64_t now_ns = 5 * NS_PER_S;

	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns), 0);
	send_request(ASIDE_PAUSE, 300000);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns + 10000), 0);
	ck_assert_int_eq(count_requests(), 1);
}
END_TEST

/* What is forged stops no test, and what is no request does nothing. */
START_TEST(test_udp_pause_forged)
{
	struct udp_pause p = {0};
	int64_t now_ns = 5 * NS_PER_S;

	send_request(ASIDE_PAUSE, UINT64_MAX);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns), 1);
	ck_assert_int_le(p.until_ns - now_ns, 10 * NS_PER_MS);
	now_ns = p.until_ns;
	send_request(ASIDE_PROOF, 300000);
	ck_assert_int_eq(send(receiver, "", 0, 0), 0);
	ck_assert_int_eq(send(receiver, "0123", 4, 0), 4);
	ck_assert_int_eq(udp_pause_heed(&p, sender, now_ns), 0);
	ck_assert_int_eq(count_requests(), 0);
}
END_TEST

START_TEST(test_udp_pause_refused)
{
	struct udp_pause p = {0};

	close(receiver);
	receiver = -1;
	ck_assert_int_eq(send(sender, "0123", 4, 0), 4);
	ck_assert_int_eq(udp_pause_heed(&p, sender, 5 * NS_PER_S), -1);
	ck_assert_int_eq(errno, ECONNREFUSED);
}
END_TEST

/* Fills the receiver's queue until some is lost. */
static void
flood(void)
{
	uint8_t buf[1000] = {0};
	int i;

	for (i = 0; i < 500; i++)
		ck_assert_int_eq(send(sender, buf, sizeof(buf), 0),
		    sizeof(buf));
	ck_assert_uint_gt(datagrams_in_take_drops(in), 0);
}

START_TEST(test_udp_pause_ask)
{
	struct udp_pause_asker a = {.may_ask = true};
	int64_t began_ns = clock_now_ns(), most;

	udp_pause_ask(&a, receiver, in);
	ck_assert_int_eq(count_requests(), 0);
	flood();
	udp_pause_ask(&a, receiver, in);
	ck_assert_int_eq(count_requests(), 1);
	/* Not for each batch: one for each 200 us at most. */
	udp_pause_ask(&a, receiver, in);
	udp_pause_ask(&a, receiver, in);
	most = (clock_now_ns() - began_ns) / (200 * NS_PER_US);
	ck_assert_int_le(count_requests(), most);
	/* The queue is empty, and it is some time later. */
	while (datagrams_in_receive(in) > 0)
		continue;
	datagrams_in_take_drops(in);
	a.next_ns = 0;
	udp_pause_ask(&a, receiver, in);
	ck_assert_int_eq(count_requests(), 0);
}
END_TEST

/* A program that is none of ours would take it for something else. */
START_TEST(test_udp_pause_ask_others)
{
	struct udp_pause_asker a = {0};

	flood();
	udp_pause_ask(&a, receiver, in);
	ck_assert_int_eq(count_requests(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("udp_pause");
	TCase *tc = tcase_create("udp_pause");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_udp_pause_heed);
	tcase_add_test(tc, test_udp_pause_looks_seldom);
	tcase_add_test(tc, test_udp_pause_forged);
	tcase_add_test(tc, test_udp_pause_refused);
	tcase_add_test(tc, test_udp_pause_ask);
	tcase_add_test(tc, test_udp_pause_ask_others);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
