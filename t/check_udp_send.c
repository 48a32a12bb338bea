/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "net/socket.h"
#include "run_suite.h"
#include "stream/udp_send.h"
#include "udp_far.h"
#include "wire/aside.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/* How late something may be on a machine that has other things to do. */
#define SLACK_NS (2 * NS_PER_S)

/* Longer than the sender waits for a report. */
#define PATIENCE_NS (5 * NS_PER_S / 2 + SLACK_NS)

static struct options options;
static struct udp_send stream;
static struct udp_far far;
static struct slot slot;
static struct tally tally;
static atomic_bool stop;

static void
bind_loopback(int fd, struct sockaddr_in *sin)
{
	socklen_t len = sizeof(*sin);

	*sin = (struct sockaddr_in){
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	ck_assert_int_eq(bind(fd, (struct sockaddr *)sin, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)sin, &len), 0);
}

static void
set_up(void)
{
	struct sockaddr_in near_sin, far_sin;

	options = (struct options){
	    .length_bytes = 200,
	    .rate.mean = 0,
	    .amount_bytes = -1,
	    .ipg_ns = -1,
	};
	memset(&stream, 0, sizeof(stream));
	memset(&far, 0, sizeof(far));
	tally = (struct tally){0};
	slot_init(&slot, &tally);
	atomic_init(&stop, false);
	stream.fd = socket(AF_INET, SOCK_DGRAM, 0);
	stream.input.fd = -1;
	far.fd = socket(AF_INET, SOCK_DGRAM, 0);
	bind_loopback(stream.fd, &near_sin);
	bind_loopback(far.fd, &far_sin);
	ck_assert_int_eq(connect(stream.fd, (struct sockaddr *)&far_sin,
			     sizeof(far_sin)),
	    0);
	ck_assert_int_eq(connect(far.fd, (struct sockaddr *)&near_sin,
			     sizeof(near_sin)),
	    0);
}

static void
tear_down(void)
{
	udp_send_fini(&stream);
	close(stream.fd);
	if (far.fd != -1)
		close(far.fd);
}

/* Prepares the stream from the options; it may send for so long. */
static void
configure(int64_t length_ns)
{
	struct client_header header;

	client_header_init(&header);
	header.seqno64 = true;
	stream.slot = &slot;
	stream.stop = &stop;
	stream.options = &options;
	stream.start_ns = clock_now_ns();
	stream.deadline_ns =
	    length_ns > 0 ? stream.start_ns + length_ns : INT64_MAX;
	stream.remaining_bytes = options.amount_bytes >= 0
				     ? (uint64_t)options.amount_bytes
				     : UINT64_MAX;
	udp_send_init(&stream, options.compat ? NULL : &header);
	ck_assert_int_eq(socket_set_send_timeout(stream.fd, 20 * NS_PER_MS), 0);
}

static enum udp_finish
finish(unsigned *tries)
{
	struct udp_report report;
	int64_t end_ns, before_ns = clock_now_ns();
	enum udp_finish how;

	how = udp_send_finish(&stream, &report, &end_ns, tries);
	ck_assert_int_ge(end_ns, before_ns);
	ck_assert_int_le(end_ns, clock_now_ns());
	ck_assert_int_le(clock_now_ns() - before_ns, PATIENCE_NS);
	return how;
}

/* Sends to a far end that reads all and reports; both must have the same. */
static void
run_to_far(void)
{
	unsigned i, tries;

	udp_far_start(&far, UDP_FAR_REPORT);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	ck_assert_int_eq(finish(&tries), UDP_FINISH_REPORTED);
	udp_far_join(&far);
	ck_assert_uint_ge(far.finals, 1);
	far.n -= far.finals - 1;
	ck_assert_uint_eq(far.n, tally.datagrams);
	ck_assert_uint_eq(far.bytes, tally.bytes);
	for (i = 0; i < far.n - 1 && i < UDP_FAR_IDS; i++)
		ck_assert_int_eq(far.id[i], i + 1);
	if (i < UDP_FAR_IDS)
		ck_assert_int_eq(far.id[i], -(int64_t)far.n);
}

/* -n and -l, and what must cross the network. */
static const struct {
	int64_t amount_bytes;
	int64_t length_bytes;
	uint64_t bytes;
	unsigned datagrams;
	size_t first;
	size_t last;
} amounts[] = {
    {2000, 200, 2000, 10, 200, 200},
    {2001, 200, 2016, 11, 200, 16}, /* the least that carries an id */
    {2100, 200, 2100, 11, 200, 100},
    {1999, 200, 1999, 10, 200, 199},
    {400, 200, 400, 2, 200, 200},
    {201, 200, 216, 2, 200, 16},
    {200, 200, 200, 2, 184, 16}, /* one opens the flow, one ends it */
    {100, 200, 100, 2, 84, 16},
    {1, 200, 96, 2, 80, 16},
    {160, 16, 160, 6, 80, 16}, /* the first one has the header */
    {1000, 40, 1000, 24, 80, 40},
    {14700, 1470, 14700, 10, 1470, 1470},
    {10000, 1470, 10000, 7, 1470, 1180},
    {100000, 8972, 100000, 12, 8972, 1308},
};

/* A gate that knows what may cross; each datagram is judged by its length. */
static int
allows(void *arg, uint64_t sent_bytes, unsigned n, size_t bytes)
{
	(void)sent_bytes;
	return bytes <= *(const uint64_t *)arg ? (int)n : -1;
}

START_TEST(test_udp_send_run_amount)
{
	uint64_t most = amounts[_i].bytes;
	const struct udp_gate gate = {.allows = allows, .arg = &most};

	stream.gate = &gate;
	options.amount_bytes = amounts[_i].amount_bytes;
	options.length_bytes = amounts[_i].length_bytes;
	/* Slow enough for a socket with the default buffer. */
	options.ipg_ns = 20 * NS_PER_US;
	configure(0);
	run_to_far();
	ck_assert_uint_eq(far.bytes, amounts[_i].bytes);
	ck_assert_uint_eq(far.n, amounts[_i].datagrams);
	ck_assert_uint_eq(far.size[0], amounts[_i].first);
	ck_assert_uint_eq(far.size[far.n - 1], amounts[_i].last);
}
END_TEST

/* -C: no header, and nothing to stretch the first datagram for. */
START_TEST(test_udp_send_run_compat)
{
	options.compat = true;
	options.length_bytes = 16;
	options.amount_bytes = 160;
	configure(0);
	run_to_far();
	ck_assert_uint_eq(far.n, 10);
	ck_assert_uint_eq(far.size[0], 16);
}
END_TEST

/* However datagrams leave, and how many at a time: the counters agree. */
static const enum datagrams_method methods[] = {
    DATAGRAMS_SEGMENTS,
    DATAGRAMS_MANY,
    DATAGRAMS_SINGLE,
};

#define METHODS ((int)(sizeof(methods) / sizeof(methods[0])))

/* Datagrams between the first and the final, and bytes of that. */
static const struct {
	unsigned n;
	size_t last;
} between[] = {
    {1, 100},
    {1, 16},
    {2, 100},
    {63, 99},
    {64, 100},
    {64, 17},
    {65, 100},
    {65, 16},
    {133, 56},
};

START_TEST(test_udp_send_run_methods)
{
	enum datagrams_method method = methods[_i % METHODS];
	unsigned n = between[_i / METHODS].n;
	size_t last = between[_i / METHODS].last;

	/* They fit into the socket. */
	options.length_bytes = 100;
	options.amount_bytes = 100 * (1 + n) + (int64_t)last;
	configure(0);
	datagrams_out_limit(stream.out, method);
	run_to_far();
	ck_assert_uint_eq(far.bytes, 100 * (1 + n) + last);
	ck_assert_uint_eq(far.n, n + 2);
	ck_assert_uint_eq(far.size[far.n - 1], last);
	if (n == 1 || method == DATAGRAMS_SINGLE)
		ck_assert_uint_eq(tally.coalesced, 0);
	else if (datagrams_out_max(stream.out) > 1)
		ck_assert_uint_ge(tally.coalesced, n - 1);
}
END_TEST

/* Rates, as options have them; the time is always the same. */
static const struct {
	int64_t mean;
	int64_t stddev;
	bool per_packet;
	int64_t ipg_ns;
	bool economy;
} rates[] = {
    {1600000, 0, false, -1, false}, /* 200 bytes: 1000 datagrams/s */
    {1000, 0, true, -1, false},
    {0, 0, false, NS_PER_MS, false},
    {1000, 0, true, -1, true},
    {1600000, 1, false, -1, false},
};

START_TEST(test_udp_send_run_rate)
{
	int64_t length_ns = 500 * NS_PER_MS, took_ns;

	options.rate.mean = rates[_i].mean;
	options.rate.stddev = rates[_i].stddev;
	options.rate.per_packet = rates[_i].per_packet;
	options.ipg_ns = rates[_i].ipg_ns;
	options.economy = rates[_i].economy;
	configure(length_ns);
	run_to_far();
	took_ns = clock_now_ns() - stream.start_ns;
	ck_assert_int_ge(took_ns, length_ns);
	ck_assert_int_le(took_ns, length_ns + SLACK_NS);
	/* Never more than the rate allows; less on a busy machine. */
	ck_assert_uint_le(far.n, 502);
	ck_assert_uint_ge(far.n, 250);
}
END_TEST

START_TEST(test_udp_send_run_deadline)
{
	int64_t length_ns = 30 * NS_PER_MS, took_ns;

	/* Nobody reads, so that the far end does not slow this down. */
	options.rate.mean = _i == 0 ? 0 : 1;
	configure(length_ns);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	took_ns = clock_now_ns() - stream.start_ns;
	ck_assert_int_ge(took_ns, length_ns);
	ck_assert_int_le(took_ns, length_ns + SLACK_NS);
	ck_assert_uint_ge(tally.datagrams, 1);
	ck_assert(_i == 0 || tally.datagrams == 1);
}
END_TEST

/* The time is up before it begins: a flow is opened and ended all the same. */
START_TEST(test_udp_send_run_late)
{
	options.rate.mean = _i == 0 ? 0 : 1000000;
	configure(1);
	run_to_far();
	ck_assert_uint_eq(far.n, 2);
}
END_TEST

/* Nobody reads, and the socket holds little: the wait is noted. */
START_TEST(test_udp_send_run_full)
{
	int64_t length_ns = 200 * NS_PER_MS;
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), 0);
	close(stream.fd);
	close(far.fd);
	stream.fd = fd[0];
	far.fd = fd[1];
	options.rate.mean = _i == 0 ? 10000 : 0;
	options.rate.per_packet = _i == 0;
	configure(length_ns);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	ck_assert_int_le(clock_now_ns() - stream.start_ns,
	    length_ns + SLACK_NS);
	ck_assert_uint_ge(tally.datagrams, 1);
	ck_assert_uint_gt(tally.full_ns, 0);
	ck_assert_uint_eq(tally.errors, 0);
	if (_i == 0)
		ck_assert_uint_gt(tally.forgiven_ns, 0);
}
END_TEST

/* The far end asks for a pause; who keeps a rate does not look for that. */
START_TEST(test_udp_send_run_pause)
{
	uint8_t buf[ASIDE_BYTES];

	options.rate.mean = _i == 1 ? 1000 : 0;
	options.rate.per_packet = _i == 1;
	configure(20 * NS_PER_MS);
	stream.heeds_pauses = _i != 2;
	aside_encode(ASIDE_PAUSE, 3 * NS_PER_MS, buf, sizeof(buf));
	ck_assert_int_eq(send(far.fd, buf, sizeof(buf), 0), sizeof(buf));
	ck_assert_int_eq(udp_send_run(&stream), 0);
	if (_i == 0)
		ck_assert_uint_gt(tally.paused_ns, 0);
	else
		ck_assert_uint_eq(tally.paused_ns, 0);
}
END_TEST

static void *
stop_main(void *arg)
{
	clock_sleep_until(clock_now_ns() + 30 * NS_PER_MS);
	atomic_store(&stop, true);
	return arg;
}

/* At full speed; between two datagrams; economically. */
START_TEST(test_udp_send_run_stop)
{
	pthread_t thread;

	options.rate.mean = _i == 0 ? 0 : 1;
	options.economy = _i == 2;
	configure(0);
	ck_assert_int_eq(pthread_create(&thread, NULL, stop_main, NULL), 0);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	pthread_join(thread, NULL);
	ck_assert_int_le(clock_now_ns() - stream.start_ns, SLACK_NS);
}
END_TEST

static const struct {
	enum udp_far_answer answer;
	enum udp_finish finish;
	unsigned least_tries;
	size_t length;
} ends[] = {
    {UDP_FAR_REPORT, UDP_FINISH_REPORTED, 1, 200},
    {UDP_FAR_SECOND, UDP_FINISH_REPORTED, 2, 200},
    {UDP_FAR_ECHO, UDP_FINISH_NO_NUMBERS, 1, 200},
    {UDP_FAR_AFTER_OTHERS, UDP_FINISH_REPORTED, 1, 200},
    {UDP_FAR_NOTHING, UDP_FINISH_SILENT, 5, 200},
    {UDP_FAR_NOTHING, UDP_FINISH_SILENT, 7, 2000},
};

START_TEST(test_udp_send_finish_answers)
{
	size_t length = ends[_i].length;
	unsigned i, tries;

	options.length_bytes = (int64_t)length;
	options.amount_bytes = 5 * (int64_t)length;
	configure(0);
	udp_far_start(&far, ends[_i].answer);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	ck_assert_int_eq(finish(&tries), ends[_i].finish);
	udp_far_join(&far);
	ck_assert_uint_ge(tries, ends[_i].least_tries);
	ck_assert_uint_eq(far.finals, tries);
	ck_assert(!stream.was_refused);
	/* Copies have the same id, count once, and are cut in the end. */
	ck_assert_uint_eq(far.n, 4 + tries);
	for (i = 4; i < far.n; i++) {
		ck_assert_int_eq(far.id[i], -5);
		ck_assert_uint_eq(far.size[i],
		    i < 4 + 6 || length < 1200 ? length : 1200);
	}
	ck_assert_uint_eq(tally.datagrams, 5);
	ck_assert_uint_eq(tally.bytes, 5 * length);
}
END_TEST

START_TEST(test_udp_send_finish_one_way)
{
	unsigned tries;

	options.amount_bytes = 1000;
	options.no_udp_fin = true;
	configure(0);
	udp_far_start(&far, UDP_FAR_REPORT);
	ck_assert_int_eq(udp_send_run(&stream), 0);
	ck_assert_int_eq(finish(&tries), UDP_FINISH_ONE_WAY);
	udp_far_join(&far);
	ck_assert_uint_eq(tries, 1);
	ck_assert_uint_eq(far.finals, 1);
}
END_TEST

START_TEST(test_udp_send_finish_refused)
{
	unsigned tries;

	options.amount_bytes = 1000;
	options.rate.mean = 1000;
	options.rate.per_packet = true;
	configure(0);
	close(far.fd);
	far.fd = -1;
	/* News of earlier datagrams end nothing. */
	ck_assert_int_eq(udp_send_run(&stream), 0);
	ck_assert(stream.was_refused);
	ck_assert_int_eq(finish(&tries), UDP_FINISH_SILENT);
	ck_assert_uint_ge(tries, 5);
	ck_assert_uint_eq(tally.bytes, 1000);
}
END_TEST

static Suite *
udp_send_suite(void)
{
	Suite *s = suite_create("udp_send");
	TCase *tc;

	tc = tcase_create("amount");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_udp_send_run_amount, 0,
	    (int)(sizeof(amounts) / sizeof(amounts[0])));
	tcase_add_test(tc, test_udp_send_run_compat);
	tcase_add_loop_test(tc, test_udp_send_run_methods, 0,
	    METHODS * (int)(sizeof(between) / sizeof(between[0])));
	suite_add_tcase(s, tc);

	tc = tcase_create("time");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_udp_send_run_rate, 0,
	    (int)(sizeof(rates) / sizeof(rates[0])));
	tcase_add_loop_test(tc, test_udp_send_run_deadline, 0, 2);
	tcase_add_loop_test(tc, test_udp_send_run_late, 0, 2);
	tcase_add_loop_test(tc, test_udp_send_run_full, 0, 2);
	tcase_add_loop_test(tc, test_udp_send_run_pause, 0, 3);
	tcase_add_loop_test(tc, test_udp_send_run_stop, 0, 3);
	suite_add_tcase(s, tc);

	tc = tcase_create("end");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_udp_send_finish_answers, 0,
	    (int)(sizeof(ends) / sizeof(ends[0])));
	tcase_add_test(tc, test_udp_send_finish_one_way);
	tcase_add_test(tc, test_udp_send_finish_refused);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_send_suite());
}
