/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "run_suite.h"
#include "stream/late_answer.h"
#include "stream/payload.h"
#include "stream/tcp_recv.h"
#include "tcp_pair.h"

/* How late something may be on a machine that has other things to do. */
#define SLACK_NS (2 * NS_PER_S)

static struct options options;
static struct tcp_pair pair;
static struct tcp_recv stream;
static struct slot slot;
static struct tally tally;
static atomic_bool stop;
static int starts;
static int64_t started_ns;
static uint64_t bytes_at_start;

static void
set_up(void)
{
	options = (struct options){
	    .rate.mean = -1,
	    .length_bytes = OPTIONS_TCP_LENGTH,
	};
	tally_zero(&tally);
	slot_init(&slot, &tally);
	atomic_init(&stop, false);
	tcp_pair_open(&pair);
}

static void
tear_down(void)
{
	tcp_pair_close(&pair);
}

static void
configure(int64_t length_ns)
{
	tcp_recv_configure(&stream, &options);
	stream.fd = pair.near;
	stream.slot = &slot;
	stream.stop = &stop;
	stream.deadline_ns =
	    length_ns > 0 ? clock_now_ns() + length_ns : INT64_MAX;
}

static void
started(void *arg, int64_t now_ns)
{
	(void)arg;
	starts++;
	started_ns = now_ns;
	bytes_at_start = tally.bytes;
}

static int
run(void)
{
	return tcp_recv_run(&stream, started, &pair);
}

static void
far_sends(size_t n)
{
	char *bytes = calloc(1, n);

	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(send(pair.far, bytes, n, 0), (ssize_t)n);
	free(bytes);
}

static const struct {
	int64_t length_bytes; /* 0: not given */
	int64_t rate_bps;
	size_t read_bytes;
	size_t bin_bytes;
} configurations[] = {
    {0, -1, PAYLOAD_CALL_MAX, OPTIONS_TCP_LENGTH / 8},
    {1000, -1, 1000, 125},
    {3, -1, 3, 1},
    {0, 8000000, OPTIONS_TCP_LENGTH, OPTIONS_TCP_LENGTH / 8},
    {64 << 20, -1, PAYLOAD_CALL_MAX, 8 << 20},
};

START_TEST(test_tcp_recv_configure_table)
{
	if (configurations[_i].length_bytes > 0) {
		options.length_bytes = configurations[_i].length_bytes;
		options.length_given = true;
	}
	options.rate.mean = configurations[_i].rate_bps;
	tcp_recv_configure(&stream, &options);
	ck_assert_uint_eq(stream.read_bytes, configurations[_i].read_bytes);
	ck_assert_uint_eq(stream.bin_bytes, configurations[_i].bin_bytes);
	ck_assert_int_eq(stream.first_ns, 0);
}
END_TEST

/* Reads of all kinds count every byte; 1: -l, 2: discarded, 3: quick. */
START_TEST(test_tcp_recv_run_all)
{
	int64_t before_ns = clock_now_ns();
	uint64_t reads = 0;
	size_t i;

	options.length_given = _i == 1;
	options.length_bytes = _i == 1 ? 1000 : OPTIONS_TCP_LENGTH;
	options.skip_rx_copy = _i == 2;
	options.quickack = _i == 3;
	configure(0);
	far_sends(60001);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(tally.bytes, 60001);
	for (i = 0; i < TALLY_READ_BINS; i++)
		reads += tally.read_bins[i];
	ck_assert_uint_eq(reads, tally.calls);
	if (_i == 1)
		ck_assert_uint_ge(tally.calls, 61);
	ck_assert_int_eq(starts, 1);
	ck_assert_int_eq(started_ns, stream.first_ns);
	ck_assert_uint_eq(bytes_at_start, 0);
	ck_assert_int_ge(stream.first_ns, before_ns);
	ck_assert_int_ge(stream.last_ns, stream.first_ns);
}
END_TEST

/* What precedes 1000 bytes of payload when an answer is late. */
static const struct {
	size_t early; /* of it, bytes that came in time */
	size_t answer;
	size_t counted; /* of it */
	uint8_t bytes[ACK_TIMES_BYTES];
} answers[] = {
    {0, 28, 0, {0, 0, 0, 2, 0, 0, 0, 28}},
    {1, 28, 0, {0, 0, 0, 2, 0, 0, 0, 28}},
    {7, 28, 0, {0, 0, 0, 2, 0, 0, 0, 28}},
    {8, 28, 0, {0, 0, 0, 2, 0, 0, 0, 28}},
    {27, 28, 0, {0, 0, 0, 2, 0, 0, 0, 28}},
    {0, 52, 0, {0, 0, 0, 2, 0, 0, 0, 52}},
    {28, 52, 0, {0, 0, 0, 2, 0, 0, 0, 52}},
    {0, 0, 0, {0}},
    {0, 9, 9, "012345678"},
    {0, 8, 8, {0, 0, 0, 2, 0, 0, 0, 27}},
    {5, 8, 8, {0, 0, 0, 2, 0, 0, 1, 0}},
    {3, 4, 4, {0, 0, 0, 1}},
};

START_TEST(test_tcp_recv_run_late_answer)
{
	size_t early = answers[_i].early, size = answers[_i].answer;
	struct late_answer late = {.got = early};
	char payload[1000];

	memset(payload, '5', sizeof(payload));
	memcpy(late.buf, answers[_i].bytes, early);
	configure(0);
	stream.late = &late;
	if (early < size)
		ck_assert_int_eq(send(pair.far, answers[_i].bytes + early,
				     size - early, 0),
		    (ssize_t)(size - early));
	ck_assert_int_eq(send(pair.far, payload, sizeof(payload), 0), 1000);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(tally.bytes, answers[_i].counted + 1000);
	ck_assert_uint_eq(stream.bytes, tally.bytes);
	ck_assert_int_eq(starts, 1);
	ck_assert_uint_eq(bytes_at_start, 0);
	ck_assert(stream.has_ended);
}
END_TEST

/* The answer, or a part of it, is all that comes: no time of the stream's. */
START_TEST(test_tcp_recv_run_late_answer_only)
{
	static const uint8_t bytes[ACK_BYTES] = {0, 0, 0, 2, 0, 0, 0, 28};
	struct late_answer late = {.got = 0};

	configure(0);
	stream.late = &late;
	ck_assert_int_eq(send(pair.far, bytes, (size_t)_i, 0), _i);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(tally.bytes, 0);
	ck_assert_int_eq(starts, 0);
	ck_assert(stream.has_ended);
}
END_TEST

START_TEST(test_tcp_recv_run_nothing)
{
	configure(0);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(tally.bytes, 0);
	ck_assert_uint_eq(tally.calls, 0);
	ck_assert_int_eq(starts, 0);
	ck_assert_int_eq(stream.first_ns, 0);
	ck_assert_int_ne(stream.last_ns, 0);
}
END_TEST

/* A silent peer cannot hold up the end: 1: silent after some data. */
START_TEST(test_tcp_recv_run_deadline)
{
	configure(50 * NS_PER_MS);
	if (_i == 1)
		far_sends(100);
	ck_assert_int_eq(run(), 0);
	ck_assert_int_ge(clock_now_ns(), stream.deadline_ns);
	ck_assert_int_le(clock_now_ns(), stream.deadline_ns + SLACK_NS);
	ck_assert_uint_eq(tally.bytes, _i == 1 ? 100 : 0);
	ck_assert_int_eq(starts, _i);
}
END_TEST

/* 100 kB at 8 Mbit/s take a tenth of a second, if the last read is free. */
START_TEST(test_tcp_recv_run_paced)
{
	options.rate.mean = 8000000;
	options.length_given = true;
	options.length_bytes = 5000;
	configure(0);
	far_sends(100000);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(tally.bytes, 100000);
	ck_assert_int_ge(stream.last_ns - stream.first_ns, 95 * NS_PER_MS);
	ck_assert_int_le(stream.last_ns - stream.first_ns, SLACK_NS);
}
END_TEST

/* A reader that is held back ends with the test. */
START_TEST(test_tcp_recv_run_paced_deadline)
{
	options.rate.mean = 800;
	configure(50 * NS_PER_MS);
	far_sends(50000);
	ck_assert_int_eq(run(), 0);
	ck_assert_int_le(clock_now_ns(), stream.deadline_ns + SLACK_NS);
}
END_TEST

static void *
run_stream(void *arg)
{
	(void)arg;
	return run() == 0 ? &stream : NULL;
}

/* The owner's way to end it: the flag and a shutdown. */
START_TEST(test_tcp_recv_run_stopped)
{
	pthread_t thread;
	void *result;

	configure(0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run_stream, NULL), 0);
	atomic_store(&stop, true);
	shutdown(pair.near, SHUT_RD);
	pthread_join(thread, &result);
	ck_assert_ptr_nonnull(result);
	ck_assert_int_eq(starts, 0);
}
END_TEST

START_TEST(test_tcp_recv_run_reset)
{
	configure(0);
	tcp_pair_reset(&pair);
	ck_assert_int_eq(run(), -1);
	ck_assert_int_eq(errno, ECONNRESET);
}
END_TEST

/* A receiver that waits a little for what is under way. */
static void
configure_draining(int64_t planned_ns)
{
	configure(0);
	stream.drains = true;
	stream.planned_end_ns = clock_now_ns() + planned_ns;
	stream.silence_ns = 60 * NS_PER_MS;
	stream.overtime_ns = 300 * NS_PER_MS;
}

/* 1: silent from the start. What came is counted, the wait is bounded. */
START_TEST(test_tcp_recv_run_silence)
{
	configure_draining(20 * NS_PER_MS);
	if (_i == 0)
		far_sends(100);
	ck_assert_int_eq(run(), 0);
	ck_assert(!stream.has_ended);
	ck_assert_uint_eq(stream.bytes, _i == 0 ? 100 : 0);
	ck_assert_int_eq(stream.heard_ns != 0, _i == 0);
	ck_assert_int_ge(stream.last_ns,
	    stream.planned_end_ns + 60 * NS_PER_MS);
	ck_assert_int_le(stream.last_ns, stream.planned_end_ns + SLACK_NS);
}
END_TEST

/* Sends bytes until the receiver has had enough. */
static void *
drip(void *arg)
{
	(void)arg;
	while (send(pair.far, "x", 1, 0) == 1)
		clock_sleep_until(clock_now_ns() + 5 * NS_PER_MS);
	return NULL;
}

/* A peer that never ends is left when overtime is over, not before. */
START_TEST(test_tcp_recv_run_overtime)
{
	pthread_t thread;

	configure_draining(0);
	/* A drip is no silence, however busy the machine is. */
	stream.silence_ns = 10 * NS_PER_S;
	ck_assert_int_eq(pthread_create(&thread, NULL, drip, NULL), 0);
	ck_assert_int_eq(run(), 0);
	ck_assert(!stream.has_ended);
	ck_assert_int_ge(stream.last_ns,
	    stream.planned_end_ns + 300 * NS_PER_MS);
	ck_assert_int_le(stream.last_ns, stream.planned_end_ns + SLACK_NS);
	close(pair.near);
	pair.near = -1;
	pthread_join(thread, NULL);
}
END_TEST

/* The end in time, also after the planned one, is an end. */
START_TEST(test_tcp_recv_run_planned_end)
{
	configure_draining(_i == 0 ? NS_PER_S : 0);
	far_sends(5000);
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(run(), 0);
	ck_assert(stream.has_ended);
	ck_assert_uint_eq(stream.bytes, 5000);
}
END_TEST

/* Answers the end that is asked for with what it still has, and its own. */
static void *
end_when_asked(void *arg)
{
	static const char last[3000];
	char buf[16];

	(void)arg;
	if (recv(pair.far, buf, sizeof(buf), 0) == 0)
		send(pair.far, last, sizeof(last), 0);
	shutdown(pair.far, SHUT_WR);
	return NULL;
}

/* Interrupted, it asks the peer to end and loses nothing. */
START_TEST(test_tcp_recv_run_asks_end)
{
	pthread_t thread;

	configure_draining(60 * NS_PER_S);
	stream.asks_end = true;
	atomic_store(&stop, true);
	ck_assert_int_eq(pthread_create(&thread, NULL, end_when_asked, NULL),
	    0);
	ck_assert_int_eq(run(), 0);
	pthread_join(thread, NULL);
	ck_assert(stream.has_ended);
	ck_assert_uint_eq(stream.bytes, 3000);
}
END_TEST

/* A peer that does not answer is not waited for. */
START_TEST(test_tcp_recv_run_asks_in_vain)
{
	int64_t before_ns = clock_now_ns();

	configure_draining(60 * NS_PER_S);
	stream.asks_end = _i == 0;
	atomic_store(&stop, true);
	ck_assert_int_eq(run(), 0);
	ck_assert(!stream.has_ended);
	ck_assert_int_le(clock_now_ns() - before_ns, NS_PER_S + SLACK_NS);
}
END_TEST

static TCase *
add_case(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	suite_add_tcase(s, tc);
	return tc;
}

static Suite *
tcp_recv_suite(void)
{
	Suite *s = suite_create("tcp_recv");
	TCase *tc;

	tc = add_case(s, "configure");
	tcase_add_loop_test(tc, test_tcp_recv_configure_table, 0,
	    (int)(sizeof(configurations) / sizeof(configurations[0])));

	tc = add_case(s, "run");
	tcase_add_loop_test(tc, test_tcp_recv_run_all, 0, 4);
	tcase_add_loop_test(tc, test_tcp_recv_run_late_answer, 0,
	    (int)(sizeof(answers) / sizeof(answers[0])));
	tcase_add_loop_test(tc, test_tcp_recv_run_late_answer_only, 1,
	    ACK_BYTES + 1);
	tcase_add_test(tc, test_tcp_recv_run_nothing);
	tcase_add_test(tc, test_tcp_recv_run_paced);

	tc = add_case(s, "end");
	tcase_add_loop_test(tc, test_tcp_recv_run_deadline, 0, 2);
	tcase_add_test(tc, test_tcp_recv_run_paced_deadline);
	tcase_add_test(tc, test_tcp_recv_run_stopped);
	tcase_add_test(tc, test_tcp_recv_run_reset);

	tc = add_case(s, "draining");
	tcase_add_loop_test(tc, test_tcp_recv_run_silence, 0, 2);
	tcase_add_test(tc, test_tcp_recv_run_overtime);
	tcase_add_loop_test(tc, test_tcp_recv_run_planned_end, 0, 2);
	tcase_add_test(tc, test_tcp_recv_run_asks_end);
	tcase_add_loop_test(tc, test_tcp_recv_run_asks_in_vain, 0, 2);
	return s;
}

int
main(void)
{
	return run_suite(tcp_recv_suite());
}
