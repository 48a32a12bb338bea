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
#include "role/signals.h"
#include "role/udp_receiver.h"
#include "run_suite.h"
#include "wire/aside.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/* The client's end of a stream that its server sends, which is the test. */

#define ID 5
#define POLL_NS NS_PER_MS
#define BYTES 100

static struct options options;
static struct reporter *reporter;
static struct test *test;
static struct udp_receiver *receiver;
static struct address server; /* of `there` */
static FILE *null;
static atomic_bool stop;
static int here;
static int there;
static char said[512]; /* by the reporter's thread, until it has ended */

static void
keep(const char *line)
{
	strlcpy(said, line, sizeof(said));
}

static void
set_up(void)
{
	struct test_plan plan = {.streams = 1, .duration_ns = -1};
	struct address a = net_fixture_address("127.0.0.1", 0);
	struct connection_fact c = {.id = ID};
	struct net_error error;
	struct flow *flow;

	signals_init();
	signals_block();
	log_set_sink(keep);
	options = net_fixture_options();
	options.rate.mean = 1000000;
	options.ipg_ns = -1;
	options.length_bytes = BYTES;
	options.histogram.width_ns = -1;
	options.duration_ns = -1;
	there = udp_socket_listen(&a, &options, &error);
	ck_assert_msg(there != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&server, there), 0);
	here = udp_socket_client(&server, NULL, &options, &error);
	ck_assert_msg(here != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&a, here), 0);
	ck_assert_int_eq(connect(there, (struct sockaddr *)&a.ss, a.len), 0);

	null = fopen("/dev/null", "w");
	reporter = reporter_start(&options, recorder_new(), null, signals_wake);
	ck_assert_ptr_nonnull(reporter);
	test = test_open(reporter, &plan);
	flow = flow_open(test, &c, ROW_UDP_RECV, here);
	ck_assert_ptr_nonnull(flow);
	receiver = udp_receiver_new(&options, flow, here, clock_now_ns());
	receiver->reporter = reporter;
	receiver->id = ID;
	receiver->peer = &server;
	receiver->recv.stop = &stop;
}

/* Has all that was said and counted at hand. */
static void
finish(void)
{
	test_complete(test);
	test_release(test);
	reporter_stop(reporter);
	while (!reporter_has_ended(reporter))
		clock_sleep_until(clock_now_ns() + POLL_NS);
	reporter_free(reporter);
	udp_receiver_free(receiver);
	fclose(null);
	log_set_sink(NULL);
	close(here);
	if (there != -1)
		close(there);
}

static void
send_id(int64_t id, size_t bytes)
{
	struct datagram d = {.id = id, .sent = stamp_from_ns(clock_wall_ns())};
	uint8_t buf[BYTES] = {0};

	datagram_encode(&d, buf, sizeof(buf));
	ck_assert_int_eq(send(there, buf, bytes, 0), (ssize_t)bytes);
}

static void
send_ids(int64_t first, int64_t last)
{
	for (; first <= last; first++)
		send_id(first, BYTES);
}

static const struct tally *
total(void)
{
	return recorder_row(RECORD_TOTAL, ID, 0)->tally;
}

/* All that comes up to the final counts, with what is missing. */
START_TEST(test_udp_receiver_run)
{
	send_ids(1, 3);
	send_ids(6, 9);
	send_id(-10, 60);
	send_ids(11, 12);
	ck_assert_int_eq(udp_receiver_run(receiver), 0);
	finish();
	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(total()->bytes, 7 * BYTES + 60);
	ck_assert_uint_eq(total()->datagrams, 8);
	ck_assert_uint_eq(tally_lost(total()), 2);
}
END_TEST

/* A server of 2.0.5 leaves digits where others have half of the id. */
START_TEST(test_udp_receiver_narrow)
{
	static const uint8_t digits[4] = {'2', '3', '4', '5'};
	uint8_t buf[BYTES] = {0};
	struct datagram d = {.sent = stamp_from_ns(clock_wall_ns())};
	int i;

	for (i = 1; i <= 4; i++) {
		d.id = i < 4 ? i : -4;
		datagram_encode(&d, buf, sizeof(buf));
		memcpy(buf + 12, digits, sizeof(digits));
		ck_assert_int_eq(send(there, buf, sizeof(buf), 0), BYTES);
	}
	ck_assert_int_eq(udp_receiver_run(receiver), 0);
	finish();
	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(total()->datagrams, 4);
	ck_assert_uint_eq(tally_lost(total()), 0);
}
END_TEST

/* Challenges are answered with their token, and are no data. */
START_TEST(test_udp_receiver_challenge)
{
	uint8_t buf[ASIDE_BYTES];
	uint64_t token = 0;

	aside_encode(ASIDE_CHALLENGE, 0xabcdef, buf, sizeof(buf));
	ck_assert_int_eq(send(there, buf, sizeof(buf), 0), sizeof(buf));
	send_ids(1, 1);
	send_id(-2, BYTES);
	ck_assert_int_eq(udp_receiver_run(receiver), 0);
	ck_assert_int_eq(recv(there, buf, sizeof(buf), MSG_DONTWAIT),
	    sizeof(buf));
	ck_assert_int_eq(aside_decode(buf, sizeof(buf), &token), ASIDE_PROOF);
	ck_assert_uint_eq(token, 0xabcdef);
	ck_assert(receiver->pauses.may_ask);
	finish();
	ck_assert_uint_eq(total()->bytes, 2 * BYTES);
	ck_assert_uint_eq(total()->datagrams, 2);
}
END_TEST

/* Silence without a planned end is a failure; what came counts. */
START_TEST(test_udp_receiver_falls_silent)
{
	receiver->patience_ns = 100 * NS_PER_MS;
	send_ids(1, 3);
	ck_assert_int_eq(udp_receiver_run(receiver), -1);
	finish();
	ck_assert_str_eq(said, "iperf: [  5] the server fell silent");
	ck_assert_uint_eq(total()->datagrams, 3);
}
END_TEST

/* After the planned end it means that the final was lost. */
START_TEST(test_udp_receiver_planned_end)
{
	receiver->duration_ns = 1;
	send_ids(1, 3);
	ck_assert_int_eq(udp_receiver_run(receiver), 0);
	finish();
	ck_assert_str_eq(said,
	    "[  5] WARNING: the final datagram of the server was lost.");
	ck_assert_uint_eq(total()->datagrams, 3);
}
END_TEST

/* A user who stops the test is told of no fault. */
START_TEST(test_udp_receiver_stopped)
{
	struct client_header h;

	client_header_init(&h);
	send_ids(1, 1);
	atomic_store(&stop, true);
	ck_assert_int_eq(_i == 0 ? udp_receiver_run(receiver)
				 : udp_receiver_ask(receiver, &h),
	    0);
	finish();
	ck_assert_str_eq(said, "");
}
END_TEST

/* The request has the header, and is repeated only until data comes. */
START_TEST(test_udp_receiver_ask)
{
	struct client_header asked, h;
	uint8_t buf[2 * CLIENT_HEADER_UDP_BYTES];
	struct datagram d;
	ssize_t n;

	client_header_init(&asked);
	asked.reverse = true;
	asked.num_threads = 1;
	asked.duration_ns = NS_PER_S;
	asked.version = version_ours();
	send_ids(1, 1);
	ck_assert_int_eq(udp_receiver_ask(receiver, &asked), 0);
	n = recv(there, buf, sizeof(buf), MSG_DONTWAIT);
	ck_assert_int_eq(n, CLIENT_HEADER_UDP_BYTES);
	ck_assert_int_eq(client_header_decode_udp(&h, buf, (size_t)n),
	    HEADER_CLIENT);
	ck_assert(h.reverse);
	ck_assert_int_eq(h.duration_ns, NS_PER_S);
	ck_assert_int_eq(datagram_decode(&d, buf, (size_t)n, true), WIRE_OK);
	ck_assert_int_eq(d.id, 1);
	ck_assert_int_eq(recv(there, buf, sizeof(buf), MSG_DONTWAIT), -1);
	/* What it found is data of the test. */
	send_id(-2, BYTES);
	ck_assert_int_eq(udp_receiver_run(receiver), 0);
	finish();
	ck_assert_uint_eq(total()->datagrams, 2);
}
END_TEST

/* Nobody is there, or nobody answers. */
START_TEST(test_udp_receiver_ask_in_vain)
{
	char text[ADDRESS_TEXT_MAX], expected[256];
	uint8_t buf[2 * CLIENT_HEADER_UDP_BYTES];
	struct client_header asked;
	int requests = 0;

	client_header_init(&asked);
	asked.reverse = true;
	if (_i == 0) {
		close(there);
		there = -1;
	}
	ck_assert_int_eq(udp_receiver_ask(receiver, &asked), -1);
	while (there != -1 && recv(there, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		requests++;
	ck_assert_int_eq(requests, _i == 0 ? 0 : 100);
	finish();
	snprintf(expected, sizeof(expected),
	    "iperf: [  5] no data came from %s%s",
	    address_text(&server, text, sizeof(text)),
	    _i == 0 ? ": Connection refused"
		    : "; the server may refuse UDP reverse tests");
	ck_assert_str_eq(said, expected);
	ck_assert_uint_eq(total()->datagrams, 0);
}
END_TEST

static Suite *
udp_receiver_suite(void)
{
	Suite *s = suite_create("udp_receiver");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_udp_receiver_run);
	tcase_add_test(tc, test_udp_receiver_narrow);
	tcase_add_test(tc, test_udp_receiver_challenge);
	tcase_add_test(tc, test_udp_receiver_falls_silent);
	tcase_add_test(tc, test_udp_receiver_planned_end);
	tcase_add_loop_test(tc, test_udp_receiver_stopped, 0, 2);
	tcase_add_test(tc, test_udp_receiver_ask);
	tcase_add_loop_test(tc, test_udp_receiver_ask_in_vain, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_receiver_suite());
}
