/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "hex.h"
#include "pair.h"
#include "role/handshake.h"
#include "run_suite.h"
#include "wire/ack.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define SHORT_NS (10 * NS_PER_MS)
#define PAYLOAD "PAYLOAD!"

static struct hex_file *file; /* what real programs sent */
static struct hello hello;

static void
read_file(void)
{
	file = hex_read("tcp-headers.hex");
}

static void
free_file(void)
{
	free(file);
}

static void
read_hello(void)
{
	handshake_read(&hello, pair[0], INT64_MAX);
}

/* The bytes of a recorded header; 0 if the message has none. */
static size_t
header_bytes(const struct hex_message *m)
{
	int size = client_header_tcp_size(m->bytes, m->len);

	if (size <= 0 || (size_t)size > m->len)
		return 0;
	return (size_t)size;
}

static void
check_client(const struct hex_message *m)
{
	size_t len = header_bytes(m);
	struct client_header expected;

	ck_assert_int_eq(client_header_decode_tcp(&expected, m->bytes, len),
	    (int)len);
	pair_send(m->bytes, len);
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	read_hello();
	ck_assert_uint_eq(hello.bytes, len);
	ck_assert_int_eq(hello.kind, HELLO_CLIENT);
	ck_assert_str_eq(hello.header.permit_key, expected.permit_key);
	ck_assert_uint_eq(hello.header.num_threads, expected.num_threads);
	ck_assert_int_eq(hello.header.duration_ns, expected.duration_ns);
	ck_assert_int_eq(hello.header.amount_bytes, expected.amount_bytes);
	ck_assert_uint_eq(hello.header.version.upper, expected.version.upper);
	pair_check_left(PAYLOAD);
}

/* What follows the first word of payload stays in the socket. */
static void
check_plain(const struct hex_message *m)
{
	pair_send(m->bytes, 4);
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	read_hello();
	ck_assert_int_eq(hello.kind, HELLO_PLAIN);
	ck_assert_ptr_null(hello.why);
	ck_assert_uint_eq(hello.bytes, 4);
	pair_check_left(PAYLOAD);
}

static void
check_refused(const struct hex_message *m)
{
	pair_send(m->bytes, m->len);
	read_hello();
	ck_assert_int_eq(hello.kind, HELLO_REFUSED);
	ck_assert_ptr_nonnull(hello.why);
}

START_TEST(test_handshake_read_recorded)
{
	const struct hex_message *m = &file->message[_i];

	if (header_bytes(m) > 0)
		check_client(m);
	else if (strcmp(m->word[2], "none") == 0)
		check_plain(m);
	else if (strcmp(m->word[2], "bounceback") == 0)
		check_refused(m);
}
END_TEST

/* The stream ends within the header: its bytes are all the payload. */
START_TEST(test_handshake_read_truncated)
{
	const struct hex_message *m =
	    hex_find(file, "tcp-plain.v2.2.1", "c", "client");
	size_t len = header_bytes(m);

	ck_assert_uint_gt(len, 0);
	for (size_t n = 0; n < len; n++) {
		if (n > 0) {
			pair_close();
			pair_open();
		}
		pair_send(m->bytes, n);
		shutdown(pair[1], SHUT_WR);
		read_hello();
		ck_assert_int_eq(hello.kind, HELLO_PLAIN);
		ck_assert_uint_eq(hello.bytes, n);
	}
}
END_TEST

/* How much of a header comes before the client falls silent. */
static const size_t silences[] = {0, 1, 4, 27, 59};

START_TEST(test_handshake_read_silent)
{
	const struct hex_message *m =
	    hex_find(file, "tcp-plain.v2.2.1", "c", "client");
	int64_t deadline_ns = clock_now_ns() + SHORT_NS;

	pair_send(m->bytes, silences[_i]);
	handshake_read(&hello, pair[0], deadline_ns);
	ck_assert_int_eq(hello.kind, HELLO_SILENT);
	ck_assert_uint_eq(hello.bytes, silences[_i]);
	ck_assert_ptr_nonnull(hello.why);
	ck_assert_int_ge(clock_now_ns(), deadline_ns - NS_PER_MS);
}
END_TEST

/* A peer that closes with data unread resets the connection. */
START_TEST(test_handshake_read_reset)
{
	pair_send("\x40\x01", 2);
	ck_assert_int_eq(send(pair[0], "x", 1, 0), 1);
	close(pair[1]);
	pair[1] = -1;
	read_hello();
	ck_assert_int_eq(hello.kind, HELLO_FAILED);
	ck_assert_str_eq(hello.why, strerror(ECONNRESET));
}
END_TEST

/* First words that only seem to begin a header. */
static const uint8_t malformed[][4] = {
    {0x04, 0x00, 0x00, 0x00}, /* version 2 without the extension */
    {0x50, 0x00, 0x00, 0x00}, /* a permit key without a length */
    {0x40, 0x01, 0x00, 0x00}, /* a length of nothing */
    {0x40, 0x01, 0x00, 0x10}, /* a length that ends in the first block */
};

START_TEST(test_handshake_read_malformed)
{
	pair_send(malformed[_i], 4);
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	read_hello();
	ck_assert_int_eq(hello.kind, HELLO_PLAIN);
	ck_assert_ptr_nonnull(hello.why);
	ck_assert_uint_eq(hello.bytes, 4);
	pair_check_left(PAYLOAD);
}
END_TEST

/* The length leaves no room for the name that a flag announces. */
START_TEST(test_handshake_read_lying_blocks)
{
	uint8_t bytes[60] = {0x44, 0x01, 0x00, 60 << 1};

	bytes[34] = 0x80; /* lower flags: congestion control */
	pair_send(bytes, sizeof(bytes));
	read_hello();
	ck_assert_int_eq(hello.kind, HELLO_PLAIN);
	ck_assert_uint_eq(hello.bytes, sizeof(bytes));
	ck_assert_ptr_nonnull(hello.why);
}
END_TEST

/* A cookie is random: its first letters may look like any of our flags. */
static const char *const cookies[] = {
    "2abcdefghijklmnopqrstuvwxyz234567abc",
    "5abcdefghijklmnopqrstuvwxyz234567abc",
    "7777777777777777777777777777777777aa",
    "abcdefghijklmnopqrstuvwxyz234567abcd",
    "bacdefghijklmnopqrstuvwxyz234567abcd",
    "dddddddddddddddddddddddddddddddddddd",
    "pqrstuvwxyz234567abcdefghijklmnopqrs",
    "qz2k3n4vzqz2k3n4vzqz2k3n4vzqz2k3n4vz",
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
};

START_TEST(test_handshake_read_iperf3)
{
	ck_assert_uint_eq(strlen(cookies[_i]), 36);
	pair_send(cookies[_i], 37);
	handshake_read(&hello, pair[0], clock_now_ns() + NS_PER_S);
	ck_assert_int_eq(hello.kind, HELLO_REFUSED);
	ck_assert_ptr_nonnull(hello.why);
	ck_assert_ptr_nonnull(strstr(hello.why, "iperf 3"));
}
END_TEST

/* Whom handshake_answer() answers. */
static const struct {
	enum hello_kind kind;
	bool has_extension;
	bool peer_detect;
	bool reverse;
	bool answered;
} answers[] = {
    {HELLO_CLIENT, true, true, false, true},
    {HELLO_CLIENT, true, false, false, true},
    {HELLO_CLIENT, true, false, true, false},
    {HELLO_CLIENT, true, true, true, true},
    {HELLO_CLIENT, false, false, false, false},
    {HELLO_PLAIN, true, true, false, false},
    {HELLO_SILENT, true, true, false, false},
    {HELLO_FAILED, true, true, false, false},
};

START_TEST(test_handshake_answer_table)
{
	struct version ours = version_ours();
	uint8_t buf[ACK_MAX_BYTES];
	struct ack ack;
	ssize_t n;

	memset(&hello, 0, sizeof(hello));
	hello.kind = answers[_i].kind;
	hello.header.has_extension = answers[_i].has_extension;
	hello.header.peer_detect = answers[_i].peer_detect;
	hello.header.reverse = answers[_i].reverse;
	ck_assert_int_eq(handshake_answer(&hello, pair[0]), 0);
	n = recv(pair[1], buf, sizeof(buf), MSG_DONTWAIT);
	if (!answers[_i].answered) {
		ck_assert_int_eq(n, -1);
		return;
	}
	ck_assert_int_eq(n, ACK_BYTES);
	ck_assert_int_eq(ack_decode(&ack, buf, (size_t)n), ACK_BYTES);
	ck_assert_uint_eq(ack.version.upper, ours.upper);
	ck_assert_uint_eq(ack.version.lower, ours.lower);
}
END_TEST

/* A client that compares clocks is told the times of all steps. */
START_TEST(test_handshake_answer_times)
{
	uint8_t buf[ACK_MAX_BYTES];
	struct ack ack;
	ssize_t n;

	memset(&hello, 0, sizeof(hello));
	hello.kind = HELLO_CLIENT;
	hello.header.has_extension = true;
	hello.header.peer_detect = true;
	hello.header.trip_times = true;
	hello.header.start = stamp_from_ns(5 * NS_PER_S);
	hello.wall_ns = 7 * NS_PER_S;
	ck_assert_int_eq(handshake_answer(&hello, pair[0]), 0);
	n = recv(pair[1], buf, sizeof(buf), MSG_DONTWAIT);
	ck_assert_int_eq(n, ACK_TIMES_BYTES);
	ck_assert_int_eq(ack_decode(&ack, buf, (size_t)n), (int)n);
	ck_assert(ack.has_times);
	ck_assert_uint_eq(ack.sent.s, 5);
	ck_assert_uint_eq(ack.received.s, 7);
	ck_assert_uint_gt(ack.answered.s, 7);
}
END_TEST

START_TEST(test_handshake_answer_gone)
{
	memset(&hello, 0, sizeof(hello));
	hello.kind = HELLO_CLIENT;
	hello.header.peer_detect = true;
	close(pair[1]);
	pair[1] = -1;
	ck_assert_int_eq(handshake_answer(&hello, pair[0]), -1);
	ck_assert_int_eq(errno, EPIPE);
}
END_TEST

static TCase *
add_case(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_unchecked_fixture(tc, read_file, free_file);
	tcase_add_checked_fixture(tc, pair_open, pair_close);
	suite_add_tcase(s, tc);
	return tc;
}

static Suite *
handshake_suite(void)
{
	Suite *s = suite_create("handshake");
	TCase *tc;
	int n;

	read_file();
	n = (int)file->messages;
	free_file();

	tc = add_case(s, "recorded");
	tcase_add_loop_test(tc, test_handshake_read_recorded, 0, n);

	tc = add_case(s, "bad peers");
	tcase_add_test(tc, test_handshake_read_truncated);
	tcase_add_loop_test(tc, test_handshake_read_silent, 0, COUNT(silences));
	tcase_add_test(tc, test_handshake_read_reset);
	tcase_add_loop_test(tc, test_handshake_read_malformed, 0,
	    COUNT(malformed));
	tcase_add_test(tc, test_handshake_read_lying_blocks);
	tcase_add_loop_test(tc, test_handshake_read_iperf3, 0, COUNT(cookies));

	tc = add_case(s, "answer");
	tcase_add_loop_test(tc, test_handshake_answer_table, 0, COUNT(answers));
	tcase_add_test(tc, test_handshake_answer_times);
	tcase_add_test(tc, test_handshake_answer_gone);
	return s;
}

int
main(void)
{
	return run_suite(handshake_suite());
}
