/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/socket.h"
#include "run_suite.h"
#include "stream/payload.h"
#include "stream/tcp_send.h"
#include "tcp_pair.h"

/* How late something may be on a machine that has other things to do. */
#define SLACK_NS (2 * NS_PER_S)

static struct options options;
static struct tcp_pair pair;
static struct tcp_send stream;
static struct tcp_send_shared shared;
static atomic_bool stop;
static struct slot slot;
static struct tally tally;

static void
set_up(void)
{
	options = (struct options){
	    .rate.mean = -1,
	    .amount_bytes = -1,
	    .length_bytes = OPTIONS_TCP_LENGTH,
	    .window_bytes = -1,
	    .write_prefetch_bytes = -1,
	};
	tally_zero(&tally);
	slot_init(&slot, &tally);
	atomic_init(&stop, false);
	atomic_init(&shared.progress_ns, 0);
	tcp_pair_open(&pair);
}

static void
tear_down(void)
{
	free(stream.chunk);
	tcp_pair_close(&pair);
}

/* Prepares the stream from the options; it may send for so long. */
static void
configure(int64_t length_ns)
{
	tcp_send_configure(&stream, &options);
	stream.fd = pair.near;
	stream.slot = &slot;
	stream.shared = &shared;
	stream.stop = &stop;
	stream.chunk = payload_new();
	stream.input_fd = -1;
	stream.start_ns = clock_now_ns();
	stream.deadline_ns =
	    length_ns > 0 ? stream.start_ns + length_ns : INT64_MAX;
	ck_assert_int_eq(socket_set_send_timeout(pair.near, TCP_SEND_CALL_NS),
	    0);
}

static enum tcp_finish
finish(uint64_t *left)
{
	int64_t end_ns, before_ns = clock_now_ns();
	enum tcp_finish how;

	how = tcp_send_finish(&stream, &end_ns, left);
	ck_assert_int_le(end_ns, clock_now_ns());
	ck_assert_int_ge(end_ns, stream.start_ns);
	ck_assert_int_le(clock_now_ns() - before_ns, 2 * NS_PER_S + SLACK_NS);
	return how;
}

/*
 * Runs against a peer that reads all and expects the text, or digits; returns
 * the bytes it has got.
 */
static uint64_t
run_to_reader(const char *text)
{
	struct tcp_reader reader;
	uint64_t left;

	tcp_reader_start(&reader, &pair, text);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	ck_assert_int_eq(finish(&left), TCP_FINISH_CLOSED);
	ck_assert_uint_eq(left, 0);
	tcp_reader_join(&reader);
	ck_assert_int_eq(reader.answered, 1);
	ck_assert_uint_eq(reader.bytes, tally.bytes);
	ck_assert_uint_eq(reader.bad, 0);
	return reader.bytes;
}

/* Options, and what tcp_send_configure() makes of them. */
static const struct {
	int64_t length_bytes; /* 0: not given */
	int64_t rate_bps;
	int64_t amount_bytes;
	size_t block_bytes;
	bool adaptive;
} configurations[] = {
    {0, -1, -1, OPTIONS_TCP_LENGTH, true},
    {1000, -1, -1, 1000, false},
    {0, -1, 5000, OPTIONS_TCP_LENGTH, false},
    {0, 0, -1, OPTIONS_TCP_LENGTH, true},
    {0, 8000000, -1, 10000, false}, /* a hundredth of a second */
    {0, INT64_C(8000000000), -1, OPTIONS_TCP_LENGTH, false},
    {20000, 8000000, -1, 20000, false},
    {65536, 80000, -1, 10000, false}, /* a second of it */
    {0, 1, -1, 1, false},
};

START_TEST(test_tcp_send_configure_table)
{
	if (configurations[_i].length_bytes > 0) {
		options.length_bytes = configurations[_i].length_bytes;
		options.length_given = true;
	}
	options.rate.mean = configurations[_i].rate_bps;
	options.amount_bytes = configurations[_i].amount_bytes;
	tcp_send_configure(&stream, &options);
	ck_assert_uint_eq(stream.block_bytes, configurations[_i].block_bytes);
	ck_assert_int_eq(stream.adaptive, configurations[_i].adaptive);
	ck_assert_int_eq(stream.rate_bps,
	    options.rate.mean > 0 ? options.rate.mean : 0);
	ck_assert_uint_eq(stream.remaining_bytes,
	    options.amount_bytes < 0 ? UINT64_MAX
				     : (uint64_t)options.amount_bytes);
}
END_TEST

static const struct {
	int64_t amount_bytes;
	int64_t length_bytes;
	uint64_t calls;
} amounts[] = {
    {1, 1000, 1},
    {1000, 1000, 1},
    {1001, 1000, 2},
    {10500, 1000, 11},
    {3000000, OPTIONS_TCP_LENGTH, 23},
    {3000001, 3000000, 2}, /* blocks larger than a call */
    {0, 1000, 0},
};

START_TEST(test_tcp_send_run_exact_amount)
{
	options.amount_bytes = amounts[_i].amount_bytes;
	options.length_bytes = amounts[_i].length_bytes;
	options.length_given = true;
	configure(0);
	ck_assert_uint_eq(run_to_reader(NULL),
	    (uint64_t)amounts[_i].amount_bytes);
	ck_assert_uint_eq(tally.calls, amounts[_i].calls);
	ck_assert_uint_eq(tally.errors, 0);
}
END_TEST

START_TEST(test_tcp_send_run_adaptive)
{
	configure(50 * NS_PER_MS);
	ck_assert(stream.adaptive);
	ck_assert_uint_gt(run_to_reader(NULL), 0);
	ck_assert_int_ge(clock_now_ns(), stream.deadline_ns);
	ck_assert_uint_le(tally.bytes, tally.calls * PAYLOAD_CALL_MAX);
}
END_TEST

/* Blocks are whole but for the last one, which time may cut. */
START_TEST(test_tcp_send_run_blocks)
{
	options.length_bytes = 5000;
	options.length_given = true;
	configure(30 * NS_PER_MS);
	run_to_reader(NULL);
	ck_assert_uint_ge(tally.bytes, 5000 * tally.calls);
	ck_assert_uint_lt(tally.bytes, 5000 * (tally.calls + 1));
}
END_TEST

/* Never above the rate, and at it unless the machine stands still. */
START_TEST(test_tcp_send_run_paced)
{
	uint64_t bytes;

	options.rate.mean = 8000000;
	configure(200 * NS_PER_MS);
	bytes = run_to_reader(NULL);
	ck_assert_uint_le(bytes, 200000 + stream.block_bytes);
	ck_assert_uint_ge(bytes, 200000 / 4);
}
END_TEST

START_TEST(test_tcp_send_run_paced_amount)
{
	options.rate.mean = 80000000;
	options.amount_bytes = 123456;
	configure(0);
	ck_assert_uint_eq(run_to_reader(NULL), 123456);
}
END_TEST

/* A peer that does not read cannot hold up the end of the test. */
START_TEST(test_tcp_send_run_stalled_reader)
{
	uint64_t left;

	options.length_given = _i > 0;
	options.rate.mean = _i > 1 ? INT64_C(8000000000) : -1;
	configure(60 * NS_PER_MS);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	ck_assert_int_ge(clock_now_ns(), stream.deadline_ns);
	ck_assert_int_le(clock_now_ns(), stream.deadline_ns + SLACK_NS);
	ck_assert_uint_gt(tally.bytes, 0);
	ck_assert_int_eq(finish(&left), TCP_FINISH_STALLED);
	ck_assert_uint_gt(left, 0);
	ck_assert_uint_le(left, tally.bytes + 1);
}
END_TEST

static void *
run_stream(void *arg)
{
	(void)arg;
	return tcp_send_run(&stream) == 0 ? &stream : NULL;
}

/* An endless stream, blocked or not, ends soon after it is told to. */
START_TEST(test_tcp_send_run_stopped)
{
	pthread_t thread;
	int64_t stop_ns;
	void *result;

	options.rate.mean = _i % 2 > 0 ? 8000 : -1;
	configure(0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run_stream, NULL), 0);
	clock_sleep_until(clock_now_ns() + 30 * NS_PER_MS);
	stop_ns = clock_now_ns();
	/* For all streams, or for this one. */
	atomic_store(_i < 2 ? &stop : &stream.cancelled, true);
	pthread_join(thread, &result);
	ck_assert_ptr_nonnull(result);
	ck_assert_int_le(clock_now_ns() - stop_ns, SLACK_NS);
}
END_TEST

START_TEST(test_tcp_send_run_reset)
{
	configure(NS_PER_S);
	tcp_pair_reset(&pair);
	ck_assert_int_eq(tcp_send_run(&stream), -1);
	ck_assert(errno == ECONNRESET || errno == EPIPE);
	ck_assert_int_lt(clock_now_ns(), stream.deadline_ns + SLACK_NS);
}
END_TEST

/* Who only sends is done when the peer ends its direction, or all: 1. */
START_TEST(test_tcp_send_run_heeds_peer)
{
	struct tcp_reader reader;
	uint64_t left;

	options.rate.mean = 800000;
	configure(0);
	stream.heeds_peer = true;
	if (_i == 1) {
		tcp_pair_reset(&pair);
		ck_assert(tcp_send_is_over(&stream));
		ck_assert_int_eq(finish(&left), TCP_FINISH_FAILED);
		/* ECONNRESET, but emulators give the host's number. */
		ck_assert_int_ne(errno, 0);
		return;
	}
	shutdown(pair.far, SHUT_WR);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	ck_assert(stream.peer_left);
	tcp_reader_start(&reader, &pair, NULL);
	/* The end of its direction is not the end of ours. */
	ck_assert_int_eq(finish(&left), TCP_FINISH_CLOSED);
	ck_assert_uint_eq(left, 0);
	tcp_reader_join(&reader);
	ck_assert_uint_eq(reader.bytes, tally.bytes);
}
END_TEST

/* What somebody else reads is left to him; the last acknowledgement ends. */
START_TEST(test_tcp_send_finish_is_read)
{
	char buf[4096];
	uint64_t left;

	options.amount_bytes = sizeof(buf);
	configure(0);
	stream.is_read = true;
	ck_assert_int_eq(send(pair.far, "theirs", 6, 0), 6);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	ck_assert_int_eq(finish(&left), TCP_FINISH_CLOSED);
	ck_assert_uint_eq(left, 0);
	ck_assert_int_eq(recv(pair.near, buf, sizeof(buf), 0), 6);
	ck_assert_int_eq(recv(pair.far, buf, sizeof(buf), MSG_WAITALL),
	    (ssize_t)sizeof(buf));
}
END_TEST

/* The peer has taken all, but keeps the connection. */
START_TEST(test_tcp_send_finish_open)
{
	char buf[4096];
	uint64_t left;

	options.amount_bytes = sizeof(buf);
	configure(0);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	ck_assert_int_eq(recv(pair.far, buf, sizeof(buf), MSG_WAITALL),
	    (ssize_t)sizeof(buf));
	ck_assert_int_eq(finish(&left), TCP_FINISH_OPEN);
}
END_TEST

START_TEST(test_tcp_send_finish_failed)
{
	uint64_t left;

	options.amount_bytes = 4096;
	configure(0);
	ck_assert_int_eq(tcp_send_run(&stream), 0);
	tcp_pair_reset(&pair);
	ck_assert_int_eq(finish(&left), TCP_FINISH_FAILED);
}
END_TEST

/* -F: the bytes of a file, once; with -n no more than that. */
static const struct {
	int64_t amount_bytes;
	uint64_t bytes;
} inputs[] = {
    {-1, 300001},
    {1000, 1000},
    {300001, 300001},
    {999999, 300001},
};

START_TEST(test_tcp_send_run_input)
{
	static const char text[] = "The quick brown fox.\n";
	FILE *file = tmpfile();
	size_t i;

	ck_assert_ptr_nonnull(file);
	for (i = 0; i < 300001; i++)
		putc(text[i % (sizeof(text) - 1)], file);
	rewind(file);
	strlcpy(options.input_path, "FILE", sizeof(options.input_path));
	options.amount_bytes = inputs[_i].amount_bytes;
	configure(0);
	stream.input_fd = fileno(file);
	ck_assert_uint_eq(run_to_reader(text), inputs[_i].bytes);
	fclose(file);
}
END_TEST

/* Input that does not come does not hold up the end either. */
START_TEST(test_tcp_send_run_silent_input)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	strlcpy(options.input_path, "-", sizeof(options.input_path));
	configure(30 * NS_PER_MS);
	stream.input_fd = fds[0];
	ck_assert_uint_eq(run_to_reader(NULL), 0);
	ck_assert_int_ge(clock_now_ns(), stream.deadline_ns);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* The reason is kept. */
START_TEST(test_tcp_send_run_bad_input)
{
	strlcpy(options.input_path, "/", sizeof(options.input_path));
	configure(0);
	stream.input_fd = open("/", O_RDONLY);
	ck_assert_int_ge(stream.input_fd, 0);
	ck_assert_int_eq(tcp_send_run(&stream), -1);
	ck_assert_int_eq(errno, EISDIR);
	close(stream.input_fd);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

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
tcp_send_suite(void)
{
	Suite *s = suite_create("tcp_send");
	TCase *tc;

	tc = add_case(s, "configure");
	tcase_add_loop_test(tc, test_tcp_send_configure_table, 0,
	    COUNT(configurations));

	tc = add_case(s, "run");
	tcase_add_loop_test(tc, test_tcp_send_run_exact_amount, 0,
	    COUNT(amounts));
	tcase_add_test(tc, test_tcp_send_run_adaptive);
	tcase_add_test(tc, test_tcp_send_run_blocks);
	tcase_add_test(tc, test_tcp_send_run_paced);
	tcase_add_test(tc, test_tcp_send_run_paced_amount);
	tcase_add_loop_test(tc, test_tcp_send_run_input, 0, COUNT(inputs));
	tcase_add_test(tc, test_tcp_send_run_silent_input);
	tcase_add_test(tc, test_tcp_send_run_bad_input);

	tc = add_case(s, "bad peers");
	tcase_add_loop_test(tc, test_tcp_send_run_stalled_reader, 0, 3);
	tcase_add_loop_test(tc, test_tcp_send_run_stopped, 0, 4);
	tcase_add_test(tc, test_tcp_send_run_reset);
	tcase_add_loop_test(tc, test_tcp_send_run_heeds_peer, 0, 2);
	tcase_add_test(tc, test_tcp_send_finish_is_read);
	tcase_add_test(tc, test_tcp_send_finish_open);
	tcase_add_test(tc, test_tcp_send_finish_failed);
	return s;
}

int
main(void)
{
	return run_suite(tcp_send_suite());
}
