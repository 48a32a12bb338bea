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
#include "base/options.h"
#include "hex.h"
#include "role/peer_detect.h"
#include "run_suite.h"
#include "wire/bytes.h"
#include "wire/client_header.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define SHORT_NS (10 * NS_PER_MS)
#define PAYLOAD "0123456789"

static int pair[2]; /* the client's end, the server's end */
static struct ack ack;

static void
set_up(void)
{
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

static void
tear_down(void)
{
	close(pair[0]);
	close(pair[1]);
}

static void
server_sends(const void *bytes, size_t len)
{
	ck_assert_int_eq(send(pair[1], bytes, len, 0), (ssize_t)len);
}

static int
read_answer(void)
{
	return peer_detect_read(pair[0], clock_now_ns() + 5 * NS_PER_S, &ack);
}

/* Nothing of what follows the answer, or is none, has been taken. */
static void
check_payload_left(void)
{
	char left[sizeof(PAYLOAD)] = "";

	ck_assert_int_eq(recv(pair[0], left, sizeof(PAYLOAD) - 1, MSG_DONTWAIT),
	    (ssize_t)sizeof(PAYLOAD) - 1);
	ck_assert_str_eq(left, PAYLOAD);
}

START_TEST(test_peer_detect_read_recorded)
{
	struct hex_file *file = hex_read("tcp-acks.hex");
	const struct hex_message *m = &file->message[_i];

	server_sends(m->bytes, m->len);
	server_sends(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), 0);
	ck_assert_int_eq(ack.has_times, m->len == ACK_TIMES_BYTES);
	ck_assert_uint_eq(ack.version.upper, bytes_get_u32(m->bytes + 12));
	ck_assert_uint_eq(ack.version.lower, bytes_get_u32(m->bytes + 16));
	check_payload_left();
	free(file);
}
END_TEST

/* A later version may say more. */
START_TEST(test_peer_detect_read_longer)
{
	uint8_t bytes[ACK_MAX_BYTES] = {0, 0, 0, 2};

	bytes_put_u32(bytes + 4, ACK_MAX_BYTES);
	bytes_put_u32(bytes + 12, 0x30000);
	server_sends(bytes, sizeof(bytes));
	server_sends(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), 0);
	ck_assert_uint_eq(ack.version.upper, 0x30000);
	check_payload_left();
}
END_TEST

/* How much of an answer comes before the server falls silent, or goes. */
static const size_t parts[] = {0, 1, 7, 8, 27};

START_TEST(test_peer_detect_read_silent)
{
	static const uint8_t bytes[ACK_BYTES] = {0, 0, 0, 2, 0, 0, 0, 28};
	int64_t deadline_ns = clock_now_ns() + SHORT_NS;

	server_sends(bytes, parts[_i]);
	ck_assert_int_eq(peer_detect_read(pair[0], deadline_ns, &ack), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_int_ge(clock_now_ns(), deadline_ns - NS_PER_MS);
}
END_TEST

START_TEST(test_peer_detect_read_closed)
{
	static const uint8_t bytes[ACK_BYTES] = {0, 0, 0, 2, 0, 0, 0, 28};

	server_sends(bytes, parts[_i]);
	shutdown(pair[1], SHUT_WR);
	ck_assert_int_eq(read_answer(), -1);
	ck_assert_int_eq(errno, ECONNRESET);
}
END_TEST

START_TEST(test_peer_detect_read_payload)
{
	server_sends(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), -1);
	ck_assert_int_eq(errno, EPROTO);
	check_payload_left();
}
END_TEST

static const uint8_t senseless[][ACK_PREFIX_BYTES] = {
    {0, 0, 0, 2, 0, 0, 0, 27},
    {0, 0, 0, 2, 0, 0, 1, 0},
    {0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff},
    {0, 0, 0, 1, 0, 0, 0, 28},
    {0, 0, 0, 0, 0, 0, 0, 0},
};

START_TEST(test_peer_detect_read_senseless)
{
	server_sends(senseless[_i], sizeof(senseless[_i]));
	ck_assert_int_eq(read_answer(), -1);
	ck_assert_int_eq(errno, EBADMSG);
}
END_TEST

/* Whether the header asks for the answer. */
static const struct {
	bool wanted;
	bool dual;
	bool asked;
} requests[] = {
    {false, false, false},
    {true, false, true},
    {true, true, false},
};

START_TEST(test_peer_detect_ask_table)
{
	struct options o = {.peer_detect = requests[_i].wanted};
	struct client_header h;

	client_header_init(&h);
	h.dual = requests[_i].dual;
	peer_detect_ask(&o, &h);
	ck_assert_int_eq(h.peer_detect, requests[_i].asked);
	ck_assert_int_eq(peer_detect_is_wanted(&o), requests[_i].wanted);
}
END_TEST

static Suite *
peer_detect_suite(void)
{
	Suite *s = suite_create("peer_detect");
	TCase *tc = tcase_create("peer_detect");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_peer_detect_read_recorded, 0,
	    hex_count("tcp-acks.hex"));
	tcase_add_test(tc, test_peer_detect_read_longer);
	tcase_add_loop_test(tc, test_peer_detect_read_silent, 0, ROWS(parts));
	tcase_add_loop_test(tc, test_peer_detect_read_closed, 0, ROWS(parts));
	tcase_add_test(tc, test_peer_detect_read_payload);
	tcase_add_loop_test(tc, test_peer_detect_read_senseless, 0,
	    ROWS(senseless));
	tcase_add_loop_test(tc, test_peer_detect_ask_table, 0, ROWS(requests));
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(peer_detect_suite());
}
