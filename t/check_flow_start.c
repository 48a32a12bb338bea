/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "run_suite.h"
#include "wire/bytes.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"

#define RECORDED "udp-datagrams.hex"
#define FINALS "udp-ids.hex"
#define STRANGERS "udp-strangers.hex"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* When all of it was recorded, and when clocks show something else. */
#define NOW_S INT64_C(1796069000)
static const int64_t clocks_s[] = {
    NOW_S,
    NOW_S - 200 * 86400,
    NOW_S + 200 * 86400,
    INT64_C(86400),
    INT64_C(4102444800),
};

/* Each client that was recorded is let in, whatever the clocks say. */
START_TEST(test_flow_start_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	size_t i, n = 0;

	for (i = 0; i < file->messages; i++) {
		const struct hex_message *m = &file->message[i];

		if (m->word[1][0] != 'c')
			continue;
		n++;
		ck_assert_msg(flow_start_is_plausible(m->bytes, m->len,
				  clocks_s[_i]),
		    "%s", m->word[0]);
	}
	ck_assert_uint_gt(n, 80);
	free(file);
}
END_TEST

/* Whichever of its datagrams comes first, a client's header is believed. */
START_TEST(test_flow_start_header_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	struct client_header plain, h;
	size_t i;

	for (i = 0; i < file->messages; i++) {
		const struct hex_message *m = &file->message[i];

		if (m->word[1][0] != 'c')
			continue;
		ck_assert_msg(client_header_decode_udp(&plain, m->bytes,
				  m->len) ==
				  flow_start_header(&h, m->bytes, m->len),
		    "%s", m->word[0]);
	}
	free(file);
}
END_TEST

/* Bytes of a file, behind an id, that are taken for a header or not. */
START_TEST(test_flow_start_header_file)
{
	static const uint8_t bytes[] = {0xff, 'a', 'x', 0xc0, 0x40};
	struct datagram d = {.id = 2, .sent = {.s = (uint32_t)NOW_S}};
	struct client_header h;
	uint8_t buf[1470];

	memset(buf, bytes[_i], sizeof(buf));
	datagram_encode(&d, buf, DATAGRAM_BYTES);
	ck_assert_int_eq(flow_start_header(&h, buf, sizeof(buf)), HEADER_NONE);
	ck_assert(!h.reverse && !h.full_duplex && !h.dual && !h.no_udp_fin);
	/* The first of a flow has a header of its own. */
	d.id = 1;
	datagram_encode(&d, buf, DATAGRAM_BYTES);
	ck_assert_int_eq(flow_start_header(&h, buf, sizeof(buf)),
	    client_header_decode_udp(&h, buf, sizeof(buf)));
}
END_TEST

/* Cut to what small datagrams hold, after the first one was lost. */
START_TEST(test_flow_start_cut)
{
	struct hex_file *file = hex_read(RECORDED);
	size_t i, len;

	for (i = 0; i < file->messages; i++) {
		const struct hex_message *m = &file->message[i];

		if (m->word[1][0] != 'c')
			continue;
		for (len = DATAGRAM_BYTES; len <= m->len; len++) {
			uint8_t *bytes = hex_exact(m->bytes, len);

			ck_assert_msg(flow_start_is_plausible(bytes, len,
					  clocks_s[_i]),
			    "%s, %zu bytes", m->word[0], len);
			free(bytes);
		}
	}
	free(file);
}
END_TEST

START_TEST(test_flow_start_final)
{
	struct hex_file *file = hex_read(FINALS);
	size_t i, finals = 0;

	for (i = 0; i < file->messages; i++) {
		const struct hex_message *m = &file->message[i];
		bool is_final = m->word[2][0] == '-';

		finals += is_final;
		if (m->word[1][0] == 'c')
			ck_assert_int_eq(flow_start_is_plausible(m->bytes,
					     m->len, NOW_S),
			    !is_final);
	}
	ck_assert_uint_gt(finals, 50);
	free(file);
}
END_TEST

/* No report may open a flow at the other end. */
START_TEST(test_flow_start_report)
{
	struct hex_file *file = hex_read("udp-reports.hex");
	size_t i;

	for (i = 0; i < file->messages; i++)
		ck_assert_msg(!flow_start_is_plausible(file->message[i].bytes,
				  file->message[i].len, NOW_S),
		    "%s", file->message[i].word[0]);
	ck_assert_uint_gt(i, 10);
	free(file);
}
END_TEST

START_TEST(test_flow_start_stranger)
{
	struct hex_file *file = hex_read(STRANGERS);
	const struct hex_message *m = &file->message[_i];
	size_t len;

	for (len = 0; len <= m->len; len++) {
		uint8_t *bytes = hex_exact(m->bytes, len);

		ck_assert_msg(!flow_start_is_plausible(bytes, len, NOW_S),
		    "%s, %zu bytes", m->word[0], len);
		free(bytes);
	}
	free(file);
}
END_TEST

/* Of random bytes next to none come through. */
START_TEST(test_flow_start_random)
{
	unsigned short x[3] = {1, 2, 3};
	uint8_t bytes[160];
	int i, n = 0;
	size_t j;

	for (i = 0; i < 1000000; i++) {
		for (j = 0; j < 48; j += 4)
			bytes_put_u32(bytes + j, (uint32_t)jrand48(x));
		n += flow_start_is_plausible(bytes, 48, NOW_S);
	}
	ck_assert_int_le(n, 10);
}
END_TEST

/* What a client without header sends: id, time, upper half, flags. */
static const struct {
	uint32_t word[5];
	bool is_start;
} plain[] = {
    {{1, NOW_S, 999999, 0, 0}, true},
    {{1, NOW_S, 1000000, 0, 0}, false},
    {{0x7ffffffa, NOW_S, 5, 0, 0}, true},
    {{0x80000000, NOW_S, 5, 0, 0}, false},
    {{0x80000000, NOW_S, 5, 0, 0x08000000}, true},
    {{1, NOW_S, 5, 7, 0x08000000}, true},
    {{0, NOW_S, 0, 0, 0}, true},
    {{0, 0, 0, 0, 0}, false},
    {{1, 0, 0, 0, 0}, true},
    {{65535, 0, 0, 0, 0}, true},
    {{65536, 0, 0, 0, 0}, false},
    {{1, 100, 0, 0x30313233, 0x34353637}, true},
    {{1, 100, 0, 0x80000001, 1}, true},
    {{1, 100, 0, 0x00010000, 0}, false},
};

START_TEST(test_flow_start_plain)
{
	uint8_t bytes[20];
	int i;

	for (i = 0; i < 5; i++)
		bytes_put_u32(bytes + 4 * i, plain[_i].word[i]);
	ck_assert_int_eq(flow_start_is_plausible(bytes, sizeof(bytes), NOW_S),
	    plain[_i].is_start);
}
END_TEST

static Suite *
flow_start_suite(void)
{
	Suite *s = suite_create("flow_start");
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_flow_start_recorded, 0, ROWS(clocks_s));
	tcase_add_test(tc, test_flow_start_header_recorded);
	tcase_add_loop_test(tc, test_flow_start_header_file, 0, 5);
	tcase_add_loop_test(tc, test_flow_start_cut, 0, ROWS(clocks_s));
	tcase_add_test(tc, test_flow_start_final);
	tcase_add_test(tc, test_flow_start_report);
	tcase_add_loop_test(tc, test_flow_start_plain, 0, ROWS(plain));
	suite_add_tcase(s, tc);

	tc = tcase_create("strangers");
	tcase_add_loop_test(tc, test_flow_start_stranger, 0,
	    hex_count(STRANGERS));
	tcase_add_test(tc, test_flow_start_random);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(flow_start_suite());
}
