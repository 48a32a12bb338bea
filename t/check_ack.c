/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "run_suite.h"
#include "wire/ack.h"
#include "wire/bytes.h"

#define RECORDED "tcp-acks.hex"

START_TEST(test_ack_decode_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	uint8_t again[ACK_MAX_BYTES];
	struct ack ack;

	ck_assert_int_eq(ack_decode(&ack, m->bytes, m->len), (int)m->len);
	ck_assert_int_eq(ack.has_times, m->len == ACK_TIMES_BYTES);
	ck_assert_int_eq(ack_encode(&ack, again, m->len), (int)m->len);
	ck_assert_mem_eq(again, m->bytes, m->len);
	free(file);
}
END_TEST

START_TEST(test_ack_decode_truncated)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct ack ack;

	for (size_t n = 0; n < m->len; n++) {
		uint8_t *bytes = hex_exact(m->bytes, n);

		ck_assert_int_gt(ack_size(bytes, n), (int)n);
		ck_assert_int_eq(ack_decode(&ack, bytes, n), WIRE_SHORT);
		free(bytes);
	}
	free(file);
}
END_TEST

START_TEST(test_ack_decode_oversized)
{
	struct hex_file *file = hex_read(RECORDED);
	struct hex_message *m = &file->message[_i];
	struct ack ack;

	memset(m->bytes + m->len, 0xff, sizeof(m->bytes) - m->len);
	ck_assert_int_eq(ack_decode(&ack, m->bytes, sizeof(m->bytes)),
	    (int)m->len);
	free(file);
}
END_TEST

START_TEST(test_ack_decode_members)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m =
	    hex_find(file, "tcp-X-triptimes.v2.2.1", NULL, NULL);
	struct ack ack;

	ck_assert_int_eq(ack_decode(&ack, m->bytes, m->len), ACK_TIMES_BYTES);
	ck_assert_uint_eq(ack.version.upper, 0x00020002);
	ck_assert_uint_eq(ack.version.lower, 0x00010001);
	ck_assert_uint_eq(ack.sent.s, 1796067562);
	ck_assert_uint_eq(ack.sent.us, 362012);
	ck_assert_uint_eq(ack.received.us, 360627);
	ck_assert_uint_eq(ack.answered.us, 362297);
	free(file);
}
END_TEST

static const struct {
	uint32_t type;
	uint32_t length;
	int size;
} prefixes[] = {
    {2, 28, 28},
    {2, 52, 52},
    {2, 60, 60}, /* a later program may append */
    {2, 255, 255},
    {2, 256, WIRE_INVALID},
    {2, 0xffffffff, WIRE_INVALID},
    {2, 27, WIRE_INVALID},
    {2, 0, WIRE_INVALID},
    {1, 28, WIRE_INVALID},
    {0x30313233, 0x34353637, WIRE_INVALID},
};

START_TEST(test_ack_size_table)
{
	uint8_t bytes[ACK_MAX_BYTES] = {0};
	struct ack ack;

	bytes_put_u32(bytes, prefixes[_i].type);
	bytes_put_u32(bytes + 4, prefixes[_i].length);
	ck_assert_int_eq(ack_size(bytes, ACK_PREFIX_BYTES), prefixes[_i].size);
	ck_assert_int_eq(ack_decode(&ack, bytes, sizeof(bytes)),
	    prefixes[_i].size);
}
END_TEST

START_TEST(test_ack_encode_no_space)
{
	struct ack ack = {.has_times = true};
	uint8_t bytes[ACK_TIMES_BYTES];

	ck_assert_int_eq(ack_encode(&ack, bytes, ACK_TIMES_BYTES - 1),
	    WIRE_NO_SPACE);
	ack.has_times = false;
	ck_assert_int_eq(ack_encode(&ack, bytes, ACK_BYTES - 1), WIRE_NO_SPACE);
	ck_assert_int_eq(ack_encode(&ack, bytes, ACK_BYTES), ACK_BYTES);
}
END_TEST

static Suite *
ack_suite(void)
{
	Suite *s = suite_create("ack");
	int n = hex_count(RECORDED);
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_ack_decode_recorded, 0, n);
	tcase_add_loop_test(tc, test_ack_decode_truncated, 0, n);
	tcase_add_loop_test(tc, test_ack_decode_oversized, 0, n);
	tcase_add_test(tc, test_ack_decode_members);
	suite_add_tcase(s, tc);

	tc = tcase_create("limits");
	tcase_add_loop_test(tc, test_ack_size_table, 0,
	    (int)(sizeof(prefixes) / sizeof(prefixes[0])));
	tcase_add_test(tc, test_ack_encode_no_space);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(ack_suite());
}
