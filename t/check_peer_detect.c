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
#include "pair.h"
#include "role/peer_detect.h"
#include "run_suite.h"
#include "stream/late_answer.h"
#include "wire/bytes.h"
#include "wire/client_header.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define SHORT_NS (10 * NS_PER_MS)
#define PAYLOAD "0123456789"

static struct ack ack;
static struct late_answer late;

static int
read_answer(void)
{
	return peer_detect_read(pair[0], clock_now_ns() + 5 * NS_PER_S, &ack,
	    &late);
}

START_TEST(test_peer_detect_read_recorded)
{
	struct hex_file *file = hex_read("tcp-acks.hex");
	const struct hex_message *m = &file->message[_i];

	pair_send(m->bytes, m->len);
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), 0);
	ck_assert_int_eq(ack.has_times, m->len == ACK_TIMES_BYTES);
	ck_assert_uint_eq(ack.version.upper, bytes_get_u32(m->bytes + 12));
	ck_assert_uint_eq(ack.version.lower, bytes_get_u32(m->bytes + 16));
	pair_check_left(PAYLOAD);
	free(file);
}
END_TEST

/* A later version may say more. */
START_TEST(test_peer_detect_read_longer)
{
	uint8_t bytes[ACK_MAX_BYTES] = {0, 0, 0, 2};

	bytes_put_u32(bytes + 4, ACK_MAX_BYTES);
	bytes_put_u32(bytes + 12, 0x30000);
	pair_send(bytes, sizeof(bytes));
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), 0);
	ck_assert_uint_eq(ack.version.upper, 0x30000);
	pair_check_left(PAYLOAD);
}
END_TEST

/* How much of an answer comes before the server falls silent, or goes. */
static const size_t parts[] = {0, 1, 7, 8, 27};

START_TEST(test_peer_detect_read_silent)
{
	static const uint8_t bytes[ACK_BYTES] = {0, 0, 0, 2, 0, 0, 0, 28};
	int64_t deadline_ns = clock_now_ns() + SHORT_NS;

	pair_send(bytes, parts[_i]);
	ck_assert_int_eq(peer_detect_read(pair[0], deadline_ns, &ack, &late),
	    -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	/* None of it is lost. */
	ck_assert_uint_eq(late.got, parts[_i]);
	ck_assert_mem_eq(late.buf, bytes, parts[_i]);
	ck_assert_int_ge(clock_now_ns(), deadline_ns - NS_PER_MS);
}
END_TEST

START_TEST(test_peer_detect_read_closed)
{
	static const uint8_t bytes[ACK_BYTES] = {0, 0, 0, 2, 0, 0, 0, 28};

	pair_send(bytes, parts[_i]);
	shutdown(pair[1], SHUT_WR);
	ck_assert_int_eq(read_answer(), -1);
	ck_assert_int_eq(errno, ECONNRESET);
}
END_TEST

START_TEST(test_peer_detect_read_payload)
{
	pair_send(PAYLOAD, sizeof(PAYLOAD) - 1);
	ck_assert_int_eq(read_answer(), -1);
	ck_assert_int_eq(errno, EPROTO);
	pair_check_left(PAYLOAD);
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
	pair_send(senseless[_i], sizeof(senseless[_i]));
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

	tcase_add_checked_fixture(tc, pair_open, pair_close);
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
