/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "recorder.h"
#include "report/reporter.h"
#include "report/test.h"
#include "role/server.h"
#include "role/signals.h"
#include "run_suite.h"
#include "wire/aside.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/* The UDP server within a client that awaits flows back (-d, -r). */

#define POLL_NS NS_PER_MS
#define BYTES 200
#define ANSWER_NS (5 * NS_PER_S) /* for what is expected to come */

static struct options options;
static struct server *server;
static struct reporter *reporter;
static struct test *test;
static FILE *null;
static atomic_int stranger_port; /* who has it is not admitted */
static atomic_int missing;	 /* -1: nothing was said */
static atomic_int warnings;
static char warning[256]; /* the reporter's, until it has ended */

static void
keep_warning(const char *line)
{
	strlcpy(warning, line, sizeof(warning));
	atomic_fetch_add(&warnings, 1);
}

static bool
is_from_peer(void *arg, const struct address *peer)
{
	(void)arg;
	return address_port(peer) != atomic_load(&stranger_port);
}

static void
is_over(void *arg, int n)
{
	(void)arg;
	atomic_store(&missing, n);
}

static void
set_up(void)
{
	struct test_plan plan = {.streams = 2, .until_complete = true};
	struct net_error err;

	signals_init();
	signals_block();
	log_set_sink(keep_warning);
	options = net_fixture_options();
	options.role = ROLE_SERVER;
	options.protocol = PROTOCOL_UDP;
	options.family = FAMILY_V4;
	options.rate.mean = -1;
	options.ipg_ns = -1;
	options.duration_ns = -1;
	options.histogram.width_ns = -1;
	options.jitter_width_ns = -1;
	options.length_bytes = OPTIONS_UDP_LENGTH;
	options.max_flows = 10;
	options.max_flows_per_host = 10;
	strlcpy(options.bind.host, "127.0.0.1", sizeof(options.bind.host));
	null = fopen("/dev/null", "w");
	reporter = reporter_start(&options, recorder_new(), null, signals_wake);
	server = server_open(&options, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	test = test_open(reporter, &plan);
	atomic_store(&missing, -1);
	atomic_store(&stranger_port, 0);
}

static void
await(int flows, int64_t wait_ns, bool is_open_ended)
{
	struct awaited awaited = {
	    .flows = flows,
	    .test = test,
	    .last_id = 7,
	    .wait_ns = wait_ns,
	    .is_open_ended = is_open_ended,
	    .is_from_peer = is_from_peer,
	    .is_over = is_over,
	};

	server_await(server, &awaited);
	ck_assert_int_eq(server_start(server, reporter), 0);
}

/* Waits for the end of the server, then of the reporter. */
static void
finish(void)
{
	while (!server_has_ended(server))
		clock_sleep_until(clock_now_ns() + POLL_NS);
	server_release(server);
	test_complete(test);
	test_release(test);
	reporter_stop(reporter);
	while (!reporter_has_ended(reporter))
		clock_sleep_until(clock_now_ns() + POLL_NS);
	reporter_free(reporter);
	server_close(server);
	fclose(null);
	log_set_sink(NULL);
}

static int
open_peer(void)
{
	struct address a =
	    net_fixture_address("127.0.0.1", server_port(server));
	struct net_error err;
	struct timeval patience = {.tv_sec = ANSWER_NS / NS_PER_S};
	int fd = udp_socket_client(&a, NULL, &options, &err);

	ck_assert_msg(fd != -1, "%s", err.text);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			     sizeof(patience)),
	    0);
	return fd;
}

static void
send_id(int fd, int64_t id, const struct client_header *h)
{
	struct datagram d = {.id = id, .sent = stamp_from_ns(clock_wall_ns())};
	uint8_t buf[BYTES] = {0};

	if (h != NULL)
		ck_assert_int_gt(client_header_encode_udp(h, buf, sizeof(buf)),
		    0);
	datagram_encode(&d, buf, sizeof(buf));
	ck_assert_int_eq(send(fd, buf, sizeof(buf), 0), BYTES);
}

/* A whole flow without a header, as iperf 2 sends it back. */
static void
send_flow(int fd, int64_t n)
{
	int64_t id;

	for (id = 1; id < n; id++)
		send_id(fd, id, NULL);
	send_id(fd, -n, NULL);
}

/* Challenges and takes what comes: the token of the first proof. */
static void
challenge(int fd, uint64_t token)
{
	uint8_t buf[ASIDE_BYTES];

	aside_encode(ASIDE_CHALLENGE, token, buf, sizeof(buf));
	ck_assert_int_eq(send(fd, buf, sizeof(buf), 0), sizeof(buf));
}

static uint64_t
take_proof(int fd)
{
	uint8_t buf[2 * BYTES];
	uint64_t token = 0;
	ssize_t n = recv(fd, buf, sizeof(buf), 0);

	ck_assert_int_eq(n, ASIDE_BYTES);
	ck_assert_int_eq(aside_decode(buf, (size_t)n, &token), ASIDE_PROOF);
	return token;
}

/* All come: they join the test, with the numbers that follow. */
START_TEST(test_server_udp_await_all)
{
	int one = open_peer(), other = open_peer();

	await(2, 20 * NS_PER_S, false);
	send_flow(one, 3);
	send_flow(other, 5);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_int_eq(atomic_load(&warnings), 0);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 8), 1);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 9), 1);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->datagrams,
	    8);
	close(one);
	close(other);
}
END_TEST

/* Some do not come, until a time that is set at once or later. */
START_TEST(test_server_udp_await_missing)
{
	int fd = open_peer();

	await(3, _i == 0 ? 300 * NS_PER_MS : 0, _i == 1);
	send_flow(fd, 3);
	if (_i == 1) {
		/* The report: so the flow is there, though no time is set. */
		ck_assert_int_gt(recv(fd, &(char){0}, 1, 0), 0);
		ck_assert_int_eq(atomic_load(&missing), -1);
		server_await_until(server, clock_now_ns());
	}
	finish();
	ck_assert_int_eq(atomic_load(&missing), 2);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 8), 1);
	close(fd);
}
END_TEST

/* Strangers open no flow, and learn nothing. */
START_TEST(test_server_udp_await_stranger)
{
	int stranger = open_peer(), fd = open_peer();

	struct address a;

	ck_assert_int_eq(address_of_local(&a, stranger), 0);
	atomic_store(&stranger_port, address_port(&a));
	await(1, 20 * NS_PER_S, false);
	send_flow(stranger, 3);
	challenge(stranger, 1);
	/* This is read after that. */
	challenge(fd, 2);
	ck_assert_uint_eq(take_proof(fd), 2);
	ck_assert_int_eq(recv(stranger, &(char){0}, 1, MSG_DONTWAIT), -1);
	send_flow(fd, 4);
	finish();
	ck_assert_int_eq(recv(stranger, &(char){0}, 1, MSG_DONTWAIT), -1);
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 8, 0)->tally->datagrams,
	    4);
	close(stranger);
	close(fd);
}
END_TEST

/* The server wants to know who is there, before its flow and within it. */
START_TEST(test_server_udp_await_challenge)
{
	int fd = open_peer();

	await(1, 20 * NS_PER_S, false);
	challenge(fd, 0x1111);
	ck_assert_uint_eq(take_proof(fd), 0x1111);
	send_id(fd, 1, NULL);
	challenge(fd, 0x2222);
	ck_assert_uint_eq(take_proof(fd), 0x2222);
	send_id(fd, -2, NULL);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 8, 0)->tally->datagrams,
	    2);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 8, 0)->tally->bytes,
	    2 * BYTES);
	close(fd);
}
END_TEST

/* A client is told of, and takes nobody's place. */
START_TEST(test_server_udp_await_client)
{
	int client = open_peer(), fd = open_peer();
	struct client_header h;

	client_header_init(&h);
	h.num_threads = 1;
	h.duration_ns = NS_PER_S;
	h.version = version_ours();
	await(1, 20 * NS_PER_S, false);
	send_id(client, 1, &h);
	send_flow(fd, 4);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_int_eq(atomic_load(&warnings), 1);
	ck_assert_ptr_nonnull(
	    strstr(warning, "refused: a client, where its server was awaited"));
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 8, 0)->tally->datagrams,
	    4);
	close(client);
	close(fd);
}
END_TEST

static Suite *
server_udp_suite(void)
{
	Suite *s = suite_create("server_udp");
	TCase *tc = tcase_create("await");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_server_udp_await_all);
	tcase_add_loop_test(tc, test_server_udp_await_missing, 0, 2);
	tcase_add_test(tc, test_server_udp_await_stranger);
	tcase_add_test(tc, test_server_udp_await_challenge);
	tcase_add_test(tc, test_server_udp_await_client);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(server_udp_suite());
}
