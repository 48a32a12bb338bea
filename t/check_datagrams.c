/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/datagrams.h"
#include "net/socket.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "run_suite.h"

/* The same program tests the plain implementation; see Makefile.am. */
#ifdef DATAGRAMS_GENERIC
#define IS_GENERIC true
#else
#define IS_GENERIC false
#endif

/* Two ends on the loopback device. */
struct pair {
	int sender;
	int receiver;
};

static struct pair
open_pair(const char *host, int64_t window_bytes)
{
	struct options o = net_fixture_options();
	struct address a = net_fixture_address(host, 0);
	struct net_error error;
	struct pair p;

	o.window_bytes = window_bytes;
	p.receiver = udp_socket_listen(&a, &o, &error);
	ck_assert_msg(p.receiver != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&a, p.receiver), 0);
	o.window_bytes = -1;
	p.sender = udp_socket_client(&a, NULL, &o, &error);
	ck_assert_msg(p.sender != -1, "%s", error.text);
	return p;
}

static void
close_pair(const struct pair *p)
{
	close(p->sender);
	close(p->receiver);
}

/* Byte k of datagram number n of a test. */
static uint8_t
pattern(unsigned n, size_t k)
{
	return (uint8_t)(n * 31 + k * 7 + (k >> 8));
}

static void
fill(struct datagrams_out *out, unsigned i, unsigned n, size_t size)
{
	uint8_t *buffer = datagrams_out_buffer(out, i);

	for (size_t k = 0; k < size; k++)
		buffer[k] = pattern(n, k);
}

/* Sends n datagrams from number `first` on, in as many calls as it takes. */
static void
send_all(struct datagrams_out *out, unsigned first, unsigned n, size_t size,
    size_t last_size)
{
	unsigned batch, i;
	int sent;

	while (n > 0) {
		batch = datagrams_out_max(out);
		if (batch > n)
			batch = n;
		for (i = 0; i < batch; i++)
			fill(out, i, first + i, size);
		sent = datagrams_out_send(out, batch,
		    batch == n ? last_size : size);
		ck_assert_int_gt(sent, 0);
		first += (unsigned)sent;
		n -= (unsigned)sent;
	}
}

/* Takes n datagrams from number `first` on, and looks at every byte. */
static void
expect_all(struct datagrams_in *in, unsigned first, unsigned n, size_t size,
    size_t last_size)
{
	int64_t now = clock_wall_ns();
	unsigned end = first + n;
	int got;

	while (first < end) {
		got = datagrams_in_receive(in);
		ck_assert_msg(got > 0, "%u of %u missing: %s", end - first, n,
		    strerror(errno));
		for (int i = 0; i < got; i++, first++) {
			const struct datagram_in *d =
			    datagrams_in_get(in, (unsigned)i);
			size_t want = first == end - 1 ? last_size : size;

			ck_assert_uint_lt(first, end);
			ck_assert_uint_eq(d->bytes, want);
			ck_assert_uint_eq(d->stored, want);
			ck_assert_int_gt(d->wall_ns, now - NS_PER_S);
			ck_assert_int_lt(d->wall_ns, now + NS_PER_S);
			for (size_t k = 0; k < want; k++)
				if (d->data[k] != pattern(first, k))
					ck_abort_msg("datagram %u, byte %zu",
					    first, k);
		}
	}
	ck_assert_int_eq(datagrams_in_receive(in), -1);
	ck_assert_int_eq(errno, EAGAIN);
}

static const struct {
	unsigned n;
	size_t size;
	size_t last_size;
} batches[] = {
    {1, 16, 16},
    {2, 16, 16},
    {2, 16, 1},
    {63, 16, 16},
    {64, 16, 16},
    {64, 64, 17},
    {65, 64, 64},
    {200, 64, 63},
    {1, 1470, 1470},
    {2, 1470, 1470},
    {43, 1470, 1470},
    {44, 1470, 1470},
    {45, 1470, 16},
    {64, 1470, 1469},
    {5, 8972, 8972},
    {64, 8972, 100},
    {3, 32753, 32753},
    {3, 32754, 16},
    {1, 65507, 65507},
    {3, 65507, 65507},
    {2, 65507, 16},
};

#define BATCHES (int)(sizeof(batches) / sizeof(batches[0]))
#define METHODS 3

/* Every batch, by every method, with UDP_GRO and without, of both families. */
START_TEST(test_datagrams_batches)
{
	bool with_gro = _i % 2 == 0;
	enum datagrams_method method =
	    (enum datagrams_method)(_i / 2 % METHODS);
	const char *host = _i / 2 / METHODS == 0 ? "127.0.0.1" : "::1";
	struct pair p = open_pair(host, -1);
	struct datagrams_in *in = datagrams_in_new(p.receiver, with_gro);

	for (int i = 0; i < BATCHES; i++) {
		struct datagrams_out *out =
		    datagrams_out_new(p.sender, batches[i].size);

		datagrams_out_limit(out, method);
		ck_assert_int_ge(datagrams_out_method(out), method);
		send_all(out, (unsigned)i, batches[i].n, batches[i].size,
		    batches[i].last_size);
		expect_all(in, (unsigned)i, batches[i].n, batches[i].size,
		    batches[i].last_size);
		datagrams_out_free(out);
	}
	ck_assert_uint_eq(datagrams_in_take_drops(in), 0);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

/* More aggregates than one receive hands out at a time. */
START_TEST(test_datagrams_split)
{
	struct pair p = open_pair("127.0.0.1", -1);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);
	struct datagrams_out *out = datagrams_out_new(p.sender, 16);
	unsigned n = 0;

	while (n < 3000) {
		send_all(out, n, 50, 16, 16);
		n += 50;
	}
	expect_all(in, 0, n, 16, 16);
	datagrams_out_free(out);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

START_TEST(test_datagrams_empty)
{
	struct pair p = open_pair("127.0.0.1", -1);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);

	ck_assert_int_eq(send(p.sender, "", 0, 0), 0);
	ck_assert_int_eq(datagrams_in_receive(in), 1);
	ck_assert_uint_eq(datagrams_in_get(in, 0)->bytes, 0);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

START_TEST(test_datagrams_addresses)
{
	const char *host = _i == 0 ? "127.0.0.1" : "::1";
	struct pair p = open_pair(host, -1);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);
	const struct datagram_in *d;
	struct address sender, local, a;

	ck_assert_int_eq(address_of_local(&sender, p.sender), 0);
	local = net_fixture_address(host, 0);
	ck_assert_int_eq(send(p.sender, "x", 1, 0), 1);
	ck_assert_int_eq(datagrams_in_receive(in), 1);
	d = datagrams_in_get(in, 0);
	a = (struct address){.ss = *d->from, .len = sender.len};
	ck_assert(address_same_host(&a, &sender));
	ck_assert_uint_eq(address_port(&a), address_port(&sender));
	if (!IS_GENERIC) {
		ck_assert_ptr_nonnull(d->to);
		a.ss = *d->to;
		ck_assert(address_same_host(&a, &local));
	}
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

/* Listener and sender: of IPv4, IPv6, and IPv4 at a socket for both. */
static const struct {
	const char *listener, *sender;
} tos_hosts[] = {
    {"127.0.0.1", "127.0.0.1"},
    {"::1", "::1"},
    {"::", "127.0.0.1"},
};

/* Each datagram has its own byte; a socket that was not asked has none. */
START_TEST(test_datagrams_tos)
{
	static const int tos[] = {0x28, 0, 0xff};
	struct options o = net_fixture_options();
	struct address a = net_fixture_address(tos_hosts[_i].listener, 0), to;
	struct net_error error;
	struct datagrams_in *in;
	int listener, sender, i;

	listener = udp_socket_listen(&a, &o, &error);
	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(address_of_local(&a, listener), 0);
	to = net_fixture_address(tos_hosts[_i].sender, address_port(&a));
	sender = udp_socket_client(&to, NULL, &o, &error);
	ck_assert_int_ge(sender, 0);
	in = datagrams_in_new(listener, true);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(socket_set_tos(sender, tos[i]), 0);
		ck_assert_int_eq(send(sender, "x", 1, 0), 1);
		ck_assert_int_eq(datagrams_in_receive(in), 1);
		ck_assert_int_eq(datagrams_in_get(in, 0)->tos,
		    IS_GENERIC ? -1 : tos[i]);
	}
	a.ss = *datagrams_in_get(in, 0)->from;
	datagrams_in_free(in);

	/* The other way. */
	in = datagrams_in_new(sender, true);
	for (i = -1; i <= 0; i++) {
		if (i == 0)
			udp_socket_report_tos(sender);
		ck_assert_int_eq(sendto(listener, "x", 1, 0,
				     (const struct sockaddr *)&a.ss, a.len),
		    1);
		ck_assert_int_eq(datagrams_in_receive(in), 1);
		ck_assert_int_eq(datagrams_in_get(in, 0)->tos,
		    IS_GENERIC ? -1 : i);
	}
	datagrams_in_free(in);
	close(listener);
	close(sender);
}
END_TEST

/* The kernel will not cut what must not have a checksum. */
START_TEST(test_datagrams_refused_segments)
{
	struct pair p = open_pair("127.0.0.1", -1);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);
	struct datagrams_out *out = datagrams_out_new(p.sender, 1470);
	unsigned max = datagrams_out_max(out);
	int on = 1;

	ck_assert_int_eq(datagrams_out_method(out), DATAGRAMS_SEGMENTS);
	ck_assert_uint_eq(max, 44);
	ck_assert_int_eq(setsockopt(p.sender, SOL_SOCKET, SO_NO_CHECK, &on,
			     sizeof(on)),
	    0);
	send_all(out, 0, 44, 1470, 100);
	ck_assert_int_eq(datagrams_out_method(out), DATAGRAMS_MANY);
	ck_assert_uint_le(datagrams_out_max(out), max);
	expect_all(in, 0, 44, 1470, 100);
	datagrams_out_free(out);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

static const struct {
	const char *host;
	size_t size;
	unsigned max;
	enum datagrams_method method;
} limits[] = {
    {"127.0.0.1", 1, 64, DATAGRAMS_SEGMENTS},
    {"127.0.0.1", 1023, 64, DATAGRAMS_SEGMENTS},
    {"127.0.0.1", 1024, 63, DATAGRAMS_SEGMENTS},
    {"127.0.0.1", 1470, 44, DATAGRAMS_SEGMENTS},
    {"127.0.0.1", 65507, 1, DATAGRAMS_SEGMENTS},
    {"::1", 1470, 44, DATAGRAMS_SEGMENTS},
    {"::ffff:127.0.0.1", 1470, 44, DATAGRAMS_SEGMENTS},
};

START_TEST(test_datagrams_out_max)
{
	struct pair p = open_pair(limits[_i].host, -1);
	struct datagrams_out *out =
	    datagrams_out_new(p.sender, limits[_i].size);

	ck_assert_int_eq(datagrams_out_method(out), limits[_i].method);
	ck_assert_uint_eq(datagrams_out_max(out), limits[_i].max);
	datagrams_out_limit(out, DATAGRAMS_SINGLE);
	ck_assert_uint_eq(datagrams_out_max(out), 1);
	datagrams_out_free(out);
	close_pair(&p);
}
END_TEST

/* What a small queue had to drop, and what came, is what was sent. */
START_TEST(test_datagrams_drops)
{
	struct pair p = open_pair("127.0.0.1", 4096);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);
	struct datagrams_out *out = datagrams_out_new(p.sender, 100);
	unsigned came = 0;
	uint64_t drops;
	int got;

	datagrams_out_limit(out, (enum datagrams_method)_i);
	send_all(out, 0, 500, 100, 100);
	while ((got = datagrams_in_receive(in)) > 0)
		came += (unsigned)got;
	drops = datagrams_in_take_drops(in);
	ck_assert_uint_gt(came, 0);
	ck_assert_uint_gt(drops, 0);
	ck_assert_uint_eq(came + drops, 500);
	ck_assert_uint_eq(datagrams_in_take_drops(in), 0);
	datagrams_out_free(out);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

/* A queue that fills is seen when it does, and no longer. */
START_TEST(test_datagrams_fills)
{
	struct pair p = open_pair("127.0.0.1", 65536);
	struct datagrams_in *in = datagrams_in_new(p.receiver, true);
	struct datagrams_out *out = datagrams_out_new(p.sender, 1000);

	ck_assert(!datagrams_in_fills(in));
	send_all(out, 0, 1, 1000, 1000);
	datagrams_in_take_drops(in);
	ck_assert(!datagrams_in_fills(in));
	send_all(out, 1, 500, 1000, 1000);
	ck_assert(!datagrams_in_fills(in));
	datagrams_in_take_drops(in);
	ck_assert(datagrams_in_fills(in) || IS_GENERIC);
	while (datagrams_in_receive(in) > 0)
		continue;
	datagrams_in_take_drops(in);
	ck_assert(!datagrams_in_fills(in));
	datagrams_out_free(out);
	datagrams_in_free(in);
	close_pair(&p);
}
END_TEST

/* Nobody listens: the error of the first datagram comes with a later one. */
START_TEST(test_datagrams_refused)
{
	struct pair p = open_pair("127.0.0.1", -1);
	struct datagrams_out *out = datagrams_out_new(p.sender, 100);

	close(p.receiver);
	ck_assert_int_gt(datagrams_out_send(out, 1, 100), 0);
	ck_assert_int_eq(datagrams_out_send(out, 1, 100), -1);
	ck_assert_int_eq(errno, ECONNREFUSED);
	datagrams_out_free(out);
	close(p.sender);
}
END_TEST

static Suite *
datagrams_suite(void)
{
	Suite *s = suite_create("datagrams");
	TCase *tc = tcase_create("all");
	TCase *fast = tcase_create("batches");

	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, test_datagrams_batches, 0, 4 * METHODS);
	tcase_add_test(tc, test_datagrams_split);
	tcase_add_test(tc, test_datagrams_empty);
	tcase_add_loop_test(tc, test_datagrams_addresses, 0, 2);
	tcase_add_test(tc, test_datagrams_fills);
	tcase_add_loop_test(tc, test_datagrams_tos, 0,
	    sizeof(tos_hosts) / sizeof(tos_hosts[0]));
	tcase_add_test(tc, test_datagrams_refused);
	suite_add_tcase(s, tc);
	if (!IS_GENERIC) {
		tcase_add_test(fast, test_datagrams_refused_segments);
		tcase_add_loop_test(fast, test_datagrams_out_max, 0,
		    sizeof(limits) / sizeof(limits[0]));
		tcase_add_loop_test(fast, test_datagrams_drops, 0, METHODS);
	}
	suite_add_tcase(s, fast);
	return s;
}

int
main(void)
{
	return run_suite(datagrams_suite());
}
