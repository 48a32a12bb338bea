/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hex.h"
#include "run_suite.h"
#include "wire/bytes.h"
#include "wire/datagram.h"

#define RECORDED "udp-ids.hex"

static bool
is_wide(const struct hex_message *m)
{
	return m->word[1][0] == 'c'
		   ? datagram_from_client_is_wide(m->bytes, m->len)
		   : datagram_from_server_is_wide(m->bytes, m->len);
}

START_TEST(test_datagram_decode_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	long long id = strtoll(m->word[2], NULL, 10);
	bool wide = is_wide(m);
	uint8_t again[DATAGRAM_BYTES];
	struct datagram datagram;

	ck_assert_int_eq(datagram_decode(&datagram, m->bytes, m->len, wide),
	    WIRE_OK);
	ck_assert_int_eq(datagram.id, id);
	ck_assert_int_eq(datagram_encode(&datagram, again, sizeof(again)),
	    WIRE_OK);
	ck_assert_mem_eq(again, m->bytes,
	    wide ? DATAGRAM_BYTES : DATAGRAM_NARROW_BYTES);
	free(file);
}
END_TEST

START_TEST(test_datagram_decode_truncated)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct datagram datagram;

	for (size_t n = 0; n <= m->len; n++) {
		uint8_t *bytes = hex_exact(m->bytes, n);

		datagram_from_client_is_wide(bytes, n);
		datagram_from_server_is_wide(bytes, n);
		ck_assert_int_eq(datagram_decode(&datagram, bytes, n, true),
		    n < DATAGRAM_BYTES ? WIRE_SHORT : WIRE_OK);
		ck_assert_int_eq(datagram_decode(&datagram, bytes, n, false),
		    n < DATAGRAM_NARROW_BYTES ? WIRE_SHORT : WIRE_OK);
		free(bytes);
	}
	free(file);
}
END_TEST

static const int64_t ids[] = {
    0,
    1,
    -1,
    INT32_MAX,
    INT32_MIN,
    (INT64_C(1) << 32) + 1,
    -(INT64_C(1) << 32) - 2,
    INT64_MAX,
    INT64_MIN,
};

START_TEST(test_datagram_encode_ids)
{
	struct datagram out = {ids[_i], {1796067722, 389053}};
	struct datagram in;
	uint8_t bytes[DATAGRAM_BYTES];

	ck_assert_int_eq(datagram_encode(&out, bytes, sizeof(bytes)), WIRE_OK);
	ck_assert_int_eq(datagram_decode(&in, bytes, sizeof(bytes), true),
	    WIRE_OK);
	ck_assert_int_eq(in.id, out.id);
	ck_assert_uint_eq(in.sent.s, out.sent.s);
	ck_assert_uint_eq(in.sent.us, out.sent.us);

	datagram_decode(&in, bytes, sizeof(bytes), false);
	ck_assert_int_eq(in.id, (int32_t)(uint32_t)(uint64_t)out.id);
}
END_TEST

START_TEST(test_datagram_encode_no_space)
{
	struct datagram datagram = {1, {0, 0}};
	uint8_t bytes[DATAGRAM_BYTES];

	ck_assert_int_eq(datagram_encode(&datagram, bytes, DATAGRAM_BYTES - 1),
	    WIRE_NO_SPACE);
}
END_TEST

/* Filler where the upper half belongs must not become a huge id. */
START_TEST(test_datagram_from_client_is_wide_filler)
{
	uint8_t bytes[20] = {0};

	bytes_put_u32(bytes + 16, 0x48010080);
	ck_assert(datagram_from_client_is_wide(bytes, sizeof(bytes)));
	bytes_put_u32(bytes + 12, 0xffffffff);
	ck_assert(datagram_from_client_is_wide(bytes, sizeof(bytes)));
	bytes_put_u32(bytes + 12, 0x32333435);
	ck_assert(!datagram_from_client_is_wide(bytes, sizeof(bytes)));
	ck_assert(!datagram_from_server_is_wide(bytes, sizeof(bytes)));
	/* A flow that is seen when it has passed 2^32. */
	bytes_put_u32(bytes + 12, 1);
	ck_assert(datagram_from_client_is_wide(bytes, sizeof(bytes)));
	ck_assert(!datagram_from_client_is_wide(bytes, 19));
	bytes_put_u32(bytes + 12, 0);
	bytes_put_u32(bytes + 16, 0x00020000);
	ck_assert(!datagram_from_client_is_wide(bytes, sizeof(bytes)));
}
END_TEST

START_TEST(test_stamp_ns)
{
	struct stamp most = {UINT32_MAX, UINT32_MAX};
	struct stamp stamp = stamp_from_ns(
	    INT64_C(1796067722) * NS_PER_S + 389053 * NS_PER_US + 999);

	ck_assert_uint_eq(stamp.s, 1796067722);
	ck_assert_uint_eq(stamp.us, 389053);
	ck_assert_int_eq(stamp_to_ns(stamp), INT64_C(1796067722389053000));
	ck_assert_int_eq(stamp_to_ns(most), INT64_C(4294971589967295000));
}
END_TEST

static Suite *
datagram_suite(void)
{
	Suite *s = suite_create("datagram");
	int n = hex_count(RECORDED);
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_datagram_decode_recorded, 0, n);
	tcase_add_loop_test(tc, test_datagram_decode_truncated, 0, n);
	suite_add_tcase(s, tc);

	tc = tcase_create("ids");
	tcase_add_loop_test(tc, test_datagram_encode_ids, 0,
	    (int)(sizeof(ids) / sizeof(ids[0])));
	tcase_add_test(tc, test_datagram_encode_no_space);
	tcase_add_test(tc, test_datagram_from_client_is_wide_filler);
	suite_add_tcase(s, tc);

	tc = tcase_create("stamp");
	tcase_add_test(tc, test_stamp_ns);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(datagram_suite());
}
