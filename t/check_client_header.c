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

#define RECORDED "tcp-headers.hex"
#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Places that tests damage. */
#define UPPERS_AT 32
#define LOWERS_AT 34
#define CONGESTION_AT 112

/* The header of a recorded scenario; the client's n-th stream. */
static void
decode(struct client_header *header, const char *name, int nth)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = hex_find(file, name, NULL, "client");

	m += nth;
	ck_assert_str_eq(m->word[0], name);
	ck_assert_int_eq(client_header_decode_tcp(header, m->bytes, m->len),
	    (int)m->len);
	free(file);
}

static int
form_of(const char *word)
{
	if (strcmp(word, "client") == 0)
		return HEADER_CLIENT;
	return strcmp(word, "bounceback") == 0 ? HEADER_BOUNCEBACK
					       : HEADER_NONE;
}

START_TEST(test_tcp_form_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	int form = form_of(m->word[2]);
	size_t coded;

	ck_assert_int_eq(client_header_tcp_form(bytes_get_u32(m->bytes),
			     &coded),
	    form);
	ck_assert_int_eq(coded > 0, form == HEADER_CLIENT);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, m->len),
	    form == HEADER_CLIENT ? (int)m->len : 0);
	free(file);
}
END_TEST

START_TEST(test_decode_tcp_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct client_header header;
	uint8_t again[HEX_BYTES];
	int used = client_header_decode_tcp(&header, m->bytes, m->len);

	if (form_of(m->word[2]) != HEADER_CLIENT) {
		ck_assert_int_eq(used, WIRE_INVALID);
		free(file);
		return;
	}
	ck_assert_int_eq(used, (int)m->len);
	used = client_header_encode_tcp(&header, again, sizeof(again));
	if (header.has_old_extension) {
		ck_assert_int_eq(used, WIRE_INVALID);
	} else {
		ck_assert_int_eq(used, (int)m->len);
		ck_assert_mem_eq(again, m->bytes, m->len);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_tcp_truncated)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct client_header header;
	bool client = form_of(m->word[2]) == HEADER_CLIENT;

	for (size_t n = 0; n < m->len; n++) {
		uint8_t *bytes = hex_exact(m->bytes, n);
		int size = client_header_tcp_size(bytes, n);
		int used = client_header_decode_tcp(&header, bytes, n);

		if (client || n < 4) {
			ck_assert_int_gt(size, (int)n);
			ck_assert_int_eq(used, WIRE_SHORT);
		} else {
			ck_assert_int_eq(size, 0);
			ck_assert_int_eq(used, WIRE_INVALID);
		}
		free(bytes);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_tcp_oversized)
{
	struct hex_file *file = hex_read(RECORDED);
	struct hex_message *m = &file->message[_i];
	struct client_header header;
	int alone = client_header_decode_tcp(&header, m->bytes, m->len);

	memset(m->bytes + m->len, 0xff, sizeof(m->bytes) - m->len);
	ck_assert_int_eq(client_header_decode_tcp(&header, m->bytes,
			     sizeof(m->bytes)),
	    alone);
	free(file);
}
END_TEST

START_TEST(test_decode_tcp_plain)
{
	struct client_header h;

	decode(&h, "tcp-plain.v2.2.1", 0);
	ck_assert(h.has_extension);
	ck_assert_uint_eq(h.num_threads, 1);
	ck_assert_uint_eq(h.listen_port, 5613);
	ck_assert_uint_eq(h.length_bytes, 0);
	ck_assert_int_eq(h.amount_bytes, 262144);
	ck_assert_int_eq(h.duration_ns, -1);
	ck_assert_uint_eq(h.version.upper, 0x00020002);
	ck_assert_uint_eq(h.version.lower, 0x00010001);
	ck_assert_uint_eq(h.test_tag, 0);
	ck_assert_uint_eq(h.rate_bps, 0);
	ck_assert(!h.dual && !h.reverse && !h.full_duplex && !h.peer_detect);
	ck_assert(!h.has_start && !h.has_barrier && !h.has_fq_rate);
	ck_assert_uint_eq(h.settings_bytes, 0);
	ck_assert_str_eq(h.congestion, "");
	ck_assert_str_eq(h.permit_key, "");
}
END_TEST

START_TEST(test_decode_tcp_directions)
{
	struct client_header h;

	decode(&h, "tcp-R-t.v2.2.1", 0);
	ck_assert(h.reverse && !h.full_duplex && !h.peer_detect && !h.dual);
	ck_assert_int_eq(h.duration_ns, NS_PER_S);
	ck_assert_int_eq(h.amount_bytes, -1);
	decode(&h, "tcp-fullduplex.v2.1.8", 0);
	ck_assert(!h.reverse && h.full_duplex);
	decode(&h, "tcp-X.v2.2.1", 0);
	ck_assert(h.peer_detect && !h.reverse);
	decode(&h, "tcp-X-R.v2.1.8", 0);
	ck_assert(h.peer_detect && h.reverse);
	decode(&h, "tcp-d-P2.v2.2.1", 1);
	ck_assert(h.dual && h.run_now);
	ck_assert_uint_eq(h.num_threads, 2);
	ck_assert_uint_eq(h.listen_port, 5681);
	decode(&h, "tcp-r.v2.1.8", 0);
	ck_assert(h.dual && !h.run_now);
}
END_TEST

START_TEST(test_decode_tcp_settings)
{
	struct client_header h;

	/* -b 10G is 10 * 2^30 and needs the upper word. */
	decode(&h, "tcp-rate.v2.2.1", 0);
	ck_assert_uint_eq(h.rate_bps, UINT64_C(10737418240));
	decode(&h, "tcp-tos.v2.1.8", 0);
	ck_assert_uint_eq(h.tos, 0xb8);
	decode(&h, "tcp-fqrate.v2.2.1", 0);
	ck_assert(h.has_fq_rate);
	ck_assert_uint_eq(h.fq_rate_Bps, 100000000);
	decode(&h, "tcp-quickack.v2.2.1", 0);
	ck_assert(h.quickack);
	decode(&h, "tcp-prefetch-R.v2.2.1", 0);
	ck_assert(h.has_write_prefetch && h.reverse);
	ck_assert_uint_eq(h.write_prefetch_bytes, 262144);
	decode(&h, "tcp-l64.v2.1.8", 0);
	ck_assert_uint_eq(h.length_bytes, 64);
	decode(&h, "tcp-P2.v2.2.1", 0);
	ck_assert(h.has_barrier);
	ck_assert_uint_eq(h.barrier_us, 3059);
	decode(&h, "tcp-P2.v2.2.1", 1);
	ck_assert(!h.has_barrier);
}
END_TEST

/* 2.2 borrows the flag of dual tests for this. */
START_TEST(test_decode_tcp_transfer_id)
{
	struct client_header h;

	decode(&h, "tcp-sync.v2.2.1", 0);
	ck_assert(h.has_transfer_id && !h.dual && !h.run_now);
	ck_assert_uint_eq(h.num_threads, 2);
	ck_assert_uint_ge(h.transfer_id, 1);
	ck_assert_uint_le(h.transfer_id, 2);
}
END_TEST

START_TEST(test_decode_tcp_times)
{
	struct client_header h;

	decode(&h, "tcp-triptimes.v2.1.8", 0);
	ck_assert(h.trip_times && h.has_start && !h.has_txstart);
	ck_assert_uint_eq(h.start.s, 1796067544);
	ck_assert_uint_eq(h.start.us, 499544);
	decode(&h, "tcp-txstart-R.v2.2.1", 0);
	ck_assert(h.has_txstart && !h.trip_times && h.reverse);
}
END_TEST

START_TEST(test_decode_tcp_shaped)
{
	struct client_header h;

	decode(&h, "tcp-isoch-R.v2.2.1", 0);
	ck_assert(h.isochronous && !h.periodic_burst);
	ck_assert_uint_eq(h.settings_bytes, CLIENT_HEADER_SETTINGS_BYTES);
	ck_assert_uint_eq(h.settings.frames_per_s, 10);
	ck_assert_uint_eq(h.settings.mean_bps, 400000);

	/* Cut by the sender, in the middle of the block. */
	decode(&h, "tcp-burst.v2.1.8", 0);
	ck_assert(h.periodic_burst && !h.isochronous);
	ck_assert_uint_eq(h.settings_bytes, 12);
	ck_assert_uint_eq(h.settings.frames_per_s, 4);
	ck_assert_uint_eq(h.settings.mean_bps, 16384);
	ck_assert_uint_eq(h.settings.gap_ms, 0);
}
END_TEST

START_TEST(test_decode_tcp_texts)
{
	struct client_header h;

	decode(&h, "tcp-cca.v2.2.1", 0);
	ck_assert_str_eq(h.congestion, "reno");
	ck_assert_str_eq(h.permit_key, "");
	decode(&h, "tcp-permitkey.v2.1.8", 0);
	ck_assert_str_eq(h.permit_key, "mytestkey0123");
	ck_assert_str_eq(h.congestion, "");
	decode(&h, "tcp-permitkey-cca.v2.2.1", 0);
	ck_assert_str_eq(h.congestion, "reno");
	ck_assert_str_eq(h.permit_key, "mytestkey0123");
}
END_TEST

START_TEST(test_decode_tcp_old)
{
	struct client_header h;

	/* 2.0.13 -X leaves filler in the base block. */
	decode(&h, "legacy-tcp-X.v2.0.13", 0);
	ck_assert(h.has_old_extension && h.seqno64 && !h.dual);
	ck_assert_uint_eq(h.num_threads, 0);
	ck_assert_uint_eq(h.listen_port, 0);
	ck_assert_uint_eq(h.length_bytes, 0);
	ck_assert_int_eq(h.amount_bytes, -1);
	ck_assert_uint_eq(h.rate_bps, 0);
	ck_assert_uint_eq(h.version.lower, 0x000d0003);

	decode(&h, "legacy-tcp-d-b.v2.0.13", 0);
	ck_assert(h.has_old_extension && h.dual && h.run_now);
	ck_assert_uint_eq(h.listen_port, 5682);
	ck_assert_uint_eq(h.window_or_bps, 0);
	ck_assert_uint_eq(h.rate_bps, 104857600);
	ck_assert(!h.rate_is_pps);
	ck_assert_int_eq(h.amount_bytes, 131072);

	decode(&h, "legacy-tcp-r.c2.0.6.s2.2.1", 0);
	ck_assert(!h.has_extension && h.dual && !h.run_now);
	ck_assert_uint_eq(h.listen_port, 5682);
	ck_assert_uint_eq(h.version.upper, 0);
}
END_TEST

static const struct {
	uint32_t flags;
	int form;
	size_t coded_bytes;
} words[] = {
    {0x00000000, HEADER_NONE, 0}, /* 2.0.5, plain */
    {0x08000000, HEADER_NONE, 0}, /* 2.0.13, plain */
    {0x30313233, HEADER_NONE, 0}, /* filler */
    {0x00800000, HEADER_BOUNCEBACK, 0},
    {0x20202020, HEADER_NONE, 0},    /* text from a file */
    {0x80000000, HEADER_CLIENT, 24}, /* 2.0.5 -r */
    {0x88000001, HEADER_CLIENT, 24}, /* 2.0.13 -d */
    {0x48000000, HEADER_CLIENT, 60}, /* 2.0.13 -X */
    {0xc8000001, HEADER_CLIENT, 60}, {0x40010078, HEADER_CLIENT, 60},
    {0x40010080, HEADER_CLIENT, 64}, {0x400101fe, HEADER_CLIENT, 255},
    {0x5001007c, HEADER_CLIENT, 62}, {0x80010030, HEADER_CLIENT, 24},
    {0x40010076, WIRE_INVALID, 0}, /* 59: cuts the extension */
    {0x40010000, WIRE_INVALID, 0},
    {0x8001002e, WIRE_INVALID, 0}, /* 23: cuts the base block */
    {0x50010078, WIRE_INVALID, 0}, /* no room for a key */
    {0x50000000, WIRE_INVALID, 0}, /* a key nobody could send */
    {0x90010080, WIRE_INVALID, 0},
    {0x36373839, WIRE_INVALID, 0}, /* VERSION2 without EXTEND */
    {0x7f454c46, WIRE_INVALID, 0}, /* a program from a file */
};

START_TEST(test_tcp_form_table)
{
	uint8_t bytes[4];
	size_t coded;
	int form = client_header_tcp_form(words[_i].flags, &coded);

	ck_assert_int_eq(form, words[_i].form);
	ck_assert_uint_eq(coded, words[_i].coded_bytes);
	bytes_put_u32(bytes, words[_i].flags);
	ck_assert_int_eq(client_header_tcp_size(bytes, sizeof(bytes)),
	    form == WIRE_INVALID ? form : (int)coded);
}
END_TEST

START_TEST(test_tcp_size_steps)
{
	struct hex_file *file = hex_read(RECORDED);
	struct hex_message *m = &file->message[0];

	while (strcmp(m->word[0], "tcp-permitkey.v2.2.1") != 0)
		m++;
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 0), 4);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 4), 66);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 65), 66);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 66), 79);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 79), 79);

	bytes_put_u16(m->bytes + 64, CLIENT_HEADER_KEY_MIN - 1);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 66), WIRE_INVALID);
	bytes_put_u16(m->bytes + 64, CLIENT_HEADER_KEY_MAX + 1);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 66), WIRE_INVALID);
	bytes_put_u16(m->bytes + 64, CLIENT_HEADER_KEY_MAX);
	ck_assert_int_eq(client_header_tcp_size(m->bytes, 66),
	    66 + CLIENT_HEADER_KEY_MAX);
	free(file);
}
END_TEST

/* A recorded header with one 16-bit word changed to a lie. */
static const struct {
	const char *name;
	size_t at;
	uint16_t value;
} lies[] = {
    {"tcp-plain.v2.2.1", UPPERS_AT, 0x0010},
    {"tcp-plain.v2.2.1", UPPERS_AT, 0x1000},
    {"tcp-plain.v2.2.1", UPPERS_AT, 0x0200},
    {"tcp-plain.v2.1.8", LOWERS_AT, 0x4000},
    {"tcp-plain.v2.2.1", LOWERS_AT, 0x8000},
    {"tcp-isoch-R.v2.2.1", LOWERS_AT, 0x8000},
    {"tcp-cca.v2.2.1", CONGESTION_AT, 5},
    {"tcp-cca.v2.2.1", CONGESTION_AT, 0xffff},
    {"tcp-permitkey-cca.v2.2.1", CONGESTION_AT, 5},
    {"tcp-cca.v2.2.1", CONGESTION_AT + 2, 0x7200}, /* NUL in the name */
    {"tcp-permitkey-cca.v2.2.1", 120, 0x6d00},	   /* NUL in the key */
};

START_TEST(test_decode_tcp_lies)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = hex_find(file, lies[_i].name, NULL, NULL);
	uint8_t *bytes = hex_exact(m->bytes, m->len);
	struct client_header header;

	bytes_put_u16(bytes + lies[_i].at, lies[_i].value);
	ck_assert_int_eq(client_header_decode_tcp(&header, bytes, m->len),
	    WIRE_INVALID);
	free(bytes);
	free(file);
}
END_TEST

START_TEST(test_decode_tcp_appended)
{
	uint8_t bytes[CLIENT_HEADER_CODED_MAX];
	struct client_header header, again;
	uint8_t other[CLIENT_HEADER_CODED_MAX];

	client_header_init(&header);
	client_header_encode_tcp(&header, bytes, sizeof(bytes));
	memset(bytes + 64, 0, sizeof(bytes) - 64);
	memset(bytes + 150, 0xff, sizeof(bytes) - 150);
	bytes_put_u32(bytes, 0x400101fe);
	ck_assert_int_eq(client_header_decode_tcp(&again, bytes, sizeof(bytes)),
	    CLIENT_HEADER_CODED_MAX);
	ck_assert_uint_eq(again.settings_bytes, CLIENT_HEADER_SETTINGS_BYTES);
	ck_assert_int_eq(client_header_encode_tcp(&again, other, sizeof(other)),
	    112);
}
END_TEST

START_TEST(test_decode_tcp_long_congestion)
{
	uint8_t bytes[CLIENT_HEADER_CODED_MAX] = {0};
	struct client_header header;

	bytes_put_u32(bytes, 0x400101fe);
	bytes_put_u16(bytes + LOWERS_AT, 0x8000);
	bytes_put_u16(bytes + CONGESTION_AT, 100);
	memset(bytes + CONGESTION_AT + 2, 'x', 100);
	ck_assert_int_eq(client_header_decode_tcp(&header, bytes,
			     sizeof(bytes)),
	    CLIENT_HEADER_CODED_MAX);
	ck_assert_uint_eq(strlen(header.congestion),
	    CLIENT_HEADER_CONGESTION_MAX);
}
END_TEST

START_TEST(test_wire_strerror_all)
{
	ck_assert_str_eq(wire_strerror(WIRE_OK), "no error");
	ck_assert_str_ne(wire_strerror(WIRE_SHORT), "unknown error");
	ck_assert_str_ne(wire_strerror(WIRE_INVALID), "unknown error");
	ck_assert_str_ne(wire_strerror(WIRE_NO_SPACE), "unknown error");
	ck_assert_str_eq(wire_strerror(-100), "unknown error");
}
END_TEST

static Suite *
client_header_suite(void)
{
	Suite *s = suite_create("client_header");
	int n = hex_count(RECORDED);
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_tcp_form_recorded, 0, n);
	tcase_add_loop_test(tc, test_decode_tcp_recorded, 0, n);
	tcase_add_loop_test(tc, test_decode_tcp_truncated, 0, n);
	tcase_add_loop_test(tc, test_decode_tcp_oversized, 0, n);
	suite_add_tcase(s, tc);

	tc = tcase_create("members");
	tcase_add_test(tc, test_decode_tcp_plain);
	tcase_add_test(tc, test_decode_tcp_directions);
	tcase_add_test(tc, test_decode_tcp_settings);
	tcase_add_test(tc, test_decode_tcp_transfer_id);
	tcase_add_test(tc, test_decode_tcp_times);
	tcase_add_test(tc, test_decode_tcp_shaped);
	tcase_add_test(tc, test_decode_tcp_texts);
	tcase_add_test(tc, test_decode_tcp_old);
	suite_add_tcase(s, tc);

	tc = tcase_create("hostile");
	tcase_add_loop_test(tc, test_tcp_form_table, 0, ROWS(words));
	tcase_add_test(tc, test_tcp_size_steps);
	tcase_add_loop_test(tc, test_decode_tcp_lies, 0, ROWS(lies));
	tcase_add_test(tc, test_decode_tcp_appended);
	tcase_add_test(tc, test_decode_tcp_long_congestion);
	suite_add_tcase(s, tc);

	tc = tcase_create("errors");
	tcase_add_test(tc, test_wire_strerror_all);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(client_header_suite());
}
