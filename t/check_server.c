/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "net/address.h"
#include "net/socket.h"
#include "recorder.h"
#include "report/reporter.h"
#include "role/server.h"
#include "role/server_impl.h"
#include "role/signals.h"
#include "run_suite.h"

/* The server within a client that awaits connections back (-d, -r). */

#define POLL_NS NS_PER_MS

static struct options options;
static struct server *server;
static struct reporter *reporter;
static struct test *test;
static FILE *null;
static atomic_bool admits;
static atomic_int missing; /* -1: nothing was said */
static atomic_int warnings;

static void
count_warning(const char *line)
{
	(void)line;
	atomic_fetch_add(&warnings, 1);
}

static bool
is_from_peer(void *arg, const struct address *peer)
{
	(void)arg;
	(void)peer;
	return atomic_load(&admits);
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
	log_set_sink(count_warning);
	options = (struct options){
	    .role = ROLE_SERVER,
	    .family = FAMILY_V4,
	    .window_bytes = -1,
	    .mss_bytes = -1,
	    .tos = -1,
	    .rate.mean = -1,
	    .duration_ns = -1,
	    .length_bytes = OPTIONS_TCP_LENGTH,
	    .rx_window_clamp_bytes = -1,
	    .write_prefetch_bytes = -1,
	    .fq_rate_bps = -1,
	};
	strlcpy(options.bind.host, "127.0.0.1", sizeof(options.bind.host));
	null = fopen("/dev/null", "w");
	reporter = reporter_start(&options, recorder_new(), null, signals_wake);
	server = server_open(&options, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	test = test_open(reporter, &plan);
	atomic_store(&missing, -1);
	atomic_store(&admits, true);
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

static void
await(int flows, int64_t wait_ns)
{
	struct awaited awaited = {
	    .flows = flows,
	    .test = test,
	    .last_id = 7,
	    .wait_ns = wait_ns,
	    .is_from_peer = is_from_peer,
	    .is_over = is_over,
	};

	server_await(server, &awaited);
	ck_assert_int_eq(server_start(server, reporter), 0);
}

static int
connect_to_server(void)
{
	struct sockaddr_in sin = {
	    .sin_family = AF_INET,
	    .sin_port = htons(server_port(server)),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

/* Sends bytes without a header, as iperf 2 does back. */
static void
send_plain(int fd, size_t n)
{
	static const char bytes[4096];

	ck_assert_int_eq(send(fd, bytes, n, 0), (ssize_t)n);
	close(fd);
}

/* All come: they join the test, with the numbers that follow. */
START_TEST(test_server_await_all)
{
	await(2, 20 * NS_PER_S);
	send_plain(connect_to_server(), 100);
	send_plain(connect_to_server(), 200);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_int_eq(atomic_load(&warnings), 0);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 8), 1);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 9), 1);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, 8, 0)->tally->bytes, 100);
	ck_assert_uint_eq(recorder_row(RECORD_TOTAL, -1, 0)->tally->bytes, 300);
}
END_TEST

/* Some do not: that is told when the wait is over, and how many. */
START_TEST(test_server_await_missing)
{
	await(3, 300 * NS_PER_MS);
	send_plain(connect_to_server(), 100);
	finish();
	ck_assert_int_eq(atomic_load(&missing), 2);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 8), 1);
}
END_TEST

/* A stranger is turned away, told of once, and takes nobody's place. */
START_TEST(test_server_await_stranger)
{
	char byte;
	int i, fd;

	atomic_store(&admits, false);
	await(1, 20 * NS_PER_S);
	for (i = 0; i < 3; i++) {
		fd = connect_to_server();
		ck_assert_int_le(recv(fd, &byte, 1, 0), 0);
		close(fd);
	}
	atomic_store(&admits, true);
	send_plain(connect_to_server(), 100);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_int_eq(atomic_load(&warnings), 1);
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 1);
}
END_TEST

/* Stopped: nothing is said to be missing. */
START_TEST(test_server_await_stopped)
{
	await(2, 20 * NS_PER_S);
	server_stop(server);
	finish();
	ck_assert_int_eq(atomic_load(&missing), -1);
	ck_assert_uint_eq(recorder_records(RECORD_TOTAL), 0);
}
END_TEST

static struct address
loopback_address(const char *host, uint16_t port)
{
	struct endpoint ep;
	struct addresses as;
	struct address a;

	memset(&ep, 0, sizeof(ep));
	strlcpy(ep.host, host, sizeof(ep.host));
	ck_assert_int_eq(addresses_resolve(&as, &ep, FAMILY_ANY, port), 0);
	a = as.list[0];
	addresses_fini(&as);
	return a;
}

/* 1: at all addresses of the host. */
START_TEST(test_server_listens_at)
{
	struct address a;
	uint16_t port = server_port(server);

	if (_i == 1)
		options.bind.host[0] = '\0';
	a = loopback_address("127.0.0.1", port);
	ck_assert(server_listens_at(server, &a));
	a = loopback_address("127.0.0.2", port);
	ck_assert_int_eq(server_listens_at(server, &a), _i == 1);
	a = loopback_address("203.0.113.1", port);
	ck_assert(!server_listens_at(server, &a));
	a = loopback_address("127.0.0.1", (uint16_t)(port - 1));
	ck_assert(!server_listens_at(server, &a));
	finish();
}
END_TEST

static Suite *
server_suite(void)
{
	Suite *s = suite_create("server");
	TCase *tc = tcase_create("await");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_server_await_all);
	tcase_add_test(tc, test_server_await_missing);
	tcase_add_test(tc, test_server_await_stranger);
	tcase_add_test(tc, test_server_await_stopped);
	tcase_add_loop_test(tc, test_server_listens_at, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(server_suite());
}
