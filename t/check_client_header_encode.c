/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hex.h"
#include "run_suite.h"
#include "wire/bytes.h"
#include "wire/client_header.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

START_TEST(test_encode_tcp_plain)
{
	static const uint8_t expected[] = {
	    0x40, 0x01, 0x00, 0x80, /* EXTEND, 64 bytes */
	    0x00, 0x00, 0x00, 0x28, /* 40 streams */
	    0x00, 0x00, 0x13, 0x89, /* port 5001 */
	    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff,
	    0x38, /* 2 s */
	    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	    0x00, 0x00, 0x02, 0x00, 0x32, /* 2.50 */
	    0x00, 0x00, 0x00, 0x03,	  /* .0, released */
	    0xbe, 0xef, 0x00, 0x00,	  /* tag */
	};
	uint8_t bytes[64];
	uint8_t zeros[64 - sizeof(expected)] = {0};
	struct client_header header;

	client_header_init(&header);
	header.num_threads = 40;
	header.listen_port = 5001;
	header.duration_ns = 2 * NS_PER_S;
	header.test_tag = 0xbeef;
	ck_assert_int_eq(client_header_encode_tcp(&header, bytes,
			     sizeof(bytes)),
	    64);
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
	ck_assert_mem_eq(bytes + sizeof(expected), zeros, sizeof(zeros));
}
END_TEST

static const struct {
	int64_t duration_ns;
	int64_t amount_bytes;
	uint32_t word;
} amounts[] = {
    {NS_PER_S, -1, 0xffffff9c},
    {NS_PER_S / 2, -1, 0xffffffce},
    {NS_PER_MS, -1, 0xffffffff},
    {0, -1, 0xffffffff},
    {CLIENT_HEADER_DURATION_MAX_NS, -1, 0x80000000},
    {CLIENT_HEADER_DURATION_MAX_NS - 1, -1, 0x80000001},
    {INT64_MAX, -1, 0x80000000},
    {-1, 131072, 0x00020000},
    {-1, INT32_MAX, 0x7fffffff},
    {-1, INT64_C(3) << 30, 0x7fffffff},
    {-1, 0, 0},
    {-1, -1, 0},
};

START_TEST(test_encode_tcp_amounts)
{
	uint8_t bytes[64];
	struct client_header header;

	client_header_init(&header);
	header.duration_ns = amounts[_i].duration_ns;
	header.amount_bytes = amounts[_i].amount_bytes;
	client_header_encode_tcp(&header, bytes, sizeof(bytes));
	ck_assert_uint_eq(bytes_get_u32(bytes + 20), amounts[_i].word);

	ck_assert_int_eq(client_header_decode_tcp(&header, bytes,
			     sizeof(bytes)),
	    64);
	ck_assert((header.duration_ns == -1) != (header.amount_bytes == -1));
	client_header_encode_tcp(&header, bytes, sizeof(bytes));
	ck_assert_uint_eq(bytes_get_u32(bytes + 20), amounts[_i].word);
}
END_TEST

/* VERSION1, which 2.2 sets, starts a second test at servers before it. */
START_TEST(test_encode_tcp_transfer_id)
{
	struct client_header header, again;
	uint8_t bytes[CLIENT_HEADER_MAX_BYTES];
	int length;

	client_header_init(&header);
	header.num_threads = 2;
	header.has_transfer_id = true;
	header.transfer_id = 2;
	length = client_header_encode_tcp(&header, bytes, sizeof(bytes));
	ck_assert_uint_eq(bytes_get_u32(bytes), 0x40010080);
	/* As recorded of 2.2.1. */
	ck_assert_uint_eq(bytes_get_u32(bytes + 4), 0x80200002);
	ck_assert_int_eq(client_header_decode_tcp(&again, bytes,
			     (size_t)length),
	    length);
	ck_assert(again.has_transfer_id && !again.dual);
	ck_assert_uint_eq(again.transfer_id, 2);
	ck_assert_uint_eq(again.num_threads, 2);
}
END_TEST

/* Every block and text at its largest. */
static void
fill(struct client_header *header)
{
	client_header_init(header);
	header->num_threads = CLIENT_HEADER_TRANSFER_THREADS_MAX;
	header->has_transfer_id = true;
	header->transfer_id = CLIENT_HEADER_TRANSFER_ID_MAX;
	header->listen_port = UINT16_MAX;
	header->length_bytes = UINT32_MAX;
	header->amount_bytes = INT32_MAX;
	header->reverse = true;
	header->peer_detect = true;
	header->trip_times = true;
	header->quickack = true;
	header->isochronous = true;
	header->test_tag = UINT16_MAX;
	header->tos = UINT8_MAX;
	header->rate_bps = CLIENT_HEADER_RATE_MAX_BPS;
	header->has_write_prefetch = true;
	header->write_prefetch_bytes = UINT32_MAX;
	header->has_barrier = true;
	header->barrier_us = UINT32_MAX;
	header->start = (struct stamp){UINT32_MAX, UINT32_MAX};
	header->has_fq_rate = true;
	header->fq_rate_Bps = UINT64_MAX;
	header->settings_bytes = CLIENT_HEADER_SETTINGS_BYTES;
	header->settings.gap_millionths = 5;
	memset(header->congestion, 'c', CLIENT_HEADER_CONGESTION_MAX);
	memset(header->permit_key, 'k', CLIENT_HEADER_KEY_MAX);
}

START_TEST(test_encode_tcp_everything)
{
	struct client_header header, again;
	uint8_t bytes[CLIENT_HEADER_MAX_BYTES], other[sizeof(bytes)];
	int length;

	fill(&header);
	length = client_header_encode_tcp(&header, bytes, sizeof(bytes));
	ck_assert_int_eq(length, 112 + 2 + 31 + 2 + 128);
	ck_assert_int_eq(client_header_decode_tcp(&again, bytes,
			     (size_t)length),
	    length);
	ck_assert_uint_eq(again.num_threads, header.num_threads);
	ck_assert_uint_eq(again.transfer_id, header.transfer_id);
	ck_assert_uint_eq(again.rate_bps, header.rate_bps);
	ck_assert_uint_eq(again.fq_rate_Bps, header.fq_rate_Bps);
	ck_assert_uint_eq(again.test_tag, header.test_tag);
	ck_assert_uint_eq(again.barrier_us, header.barrier_us);
	ck_assert_uint_eq(again.settings.gap_millionths, 5);
	ck_assert_str_eq(again.congestion, header.congestion);
	ck_assert_str_eq(again.permit_key, header.permit_key);
	ck_assert_int_eq(client_header_encode_tcp(&again, other, sizeof(other)),
	    length);
	ck_assert_mem_eq(other, bytes, (size_t)length);

	for (size_t n = 0; n < (size_t)length; n++) {
		uint8_t *exact = hex_exact(bytes, n);

		ck_assert_int_eq(client_header_encode_tcp(&header, exact, n),
		    WIRE_NO_SPACE);
		free(exact);
	}
}
END_TEST

START_TEST(test_encode_tcp_invalid)
{
	struct client_header good, bad;
	uint8_t bytes[CLIENT_HEADER_MAX_BYTES];

	fill(&good);
#define REJECTS(change)                                                \
	do {                                                           \
		bad = good;                                            \
		change;                                                \
		ck_assert_int_eq(client_header_encode_tcp(&bad, bytes, \
				     sizeof(bytes)),                   \
		    WIRE_INVALID);                                     \
	} while (0)
	REJECTS(bad.num_threads++);
	REJECTS(bad.transfer_id++);
	REJECTS((bad.marks_transfer_id = true, bad.has_transfer_id = false));
	REJECTS(bad.rate_bps++);
	REJECTS(bad.settings_bytes = 30);
	REJECTS(bad.settings_bytes = 36);
	REJECTS(bad.permit_key[CLIENT_HEADER_KEY_MIN - 1] = '\0');
	REJECTS(bad.has_extension = false);
	REJECTS(bad.has_old_extension = true);
	REJECTS(bad.dual = true);
	REJECTS(bad.l4s = true);
#undef REJECTS
}
END_TEST

static Suite *
client_header_encode_suite(void)
{
	Suite *s = suite_create("client_header_encode");
	TCase *tc;

	tc = tcase_create("encode");
	tcase_add_test(tc, test_encode_tcp_plain);
	tcase_add_loop_test(tc, test_encode_tcp_amounts, 0, ROWS(amounts));
	tcase_add_test(tc, test_encode_tcp_transfer_id);
	tcase_add_test(tc, test_encode_tcp_everything);
	tcase_add_test(tc, test_encode_tcp_invalid);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(client_header_encode_suite());
}
