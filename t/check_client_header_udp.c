/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hex.h"
#include "run_suite.h"
#include "wire/bytes.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

#define RECORDED "udp-datagrams.hex"
#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

static int
form_of(const char *word)
{
	if (strcmp(word, "client") == 0)
		return HEADER_CLIENT;
	if (strcmp(word, "small") == 0)
		return HEADER_SMALL;
	return strcmp(word, "old") == 0 ? HEADER_OLD : HEADER_NONE;
}

/* The client's header of a recorded scenario. */
static int
decode(struct client_header *header, const char *name)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = hex_find(file, name, "c", NULL);
	int form = client_header_decode_udp(header, m->bytes, m->len);

	free(file);
	return form;
}

START_TEST(test_decode_udp_form)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct client_header header;

	ck_assert_int_eq(client_header_decode_udp(&header, m->bytes, m->len),
	    form_of(m->word[2]));
	free(file);
}
END_TEST

START_TEST(test_encode_udp_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	uint8_t again[CLIENT_HEADER_UDP_BYTES];
	struct client_header header;
	int used;

	/* Its own, unstable layout lies over the extension. */
	if (client_header_decode_udp(&header, m->bytes, m->len) !=
		HEADER_CLIENT ||
	    header.l4s) {
		free(file);
		return;
	}
	memcpy(again, m->bytes, DATAGRAM_BYTES);
	used = client_header_encode_udp(&header, again, m->len);
	if (header.has_old_extension) {
		ck_assert_int_eq(used, WIRE_INVALID);
	} else if (header.has_extension) {
		ck_assert_int_eq(used, (int)m->len);
		ck_assert_mem_eq(again, m->bytes, m->len);
	} else {
		/* 2.0.13 has filler in place of a window. */
		ck_assert_int_eq(used, 40);
		bytes_put_u32(again + 32, bytes_get_u32(m->bytes + 32));
		ck_assert_mem_eq(again, m->bytes, 40);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_udp_truncated)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct client_header header;

	for (size_t n = 0; n <= m->len; n++) {
		uint8_t *bytes = hex_exact(m->bytes, n);
		int form = client_header_decode_udp(&header, bytes, n);

		ck_assert(form == form_of(m->word[2]) || form == HEADER_NONE ||
			  form == WIRE_SHORT);
		if (n < 128)
			ck_assert(!header.has_start || form == HEADER_SMALL);
		free(bytes);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_udp_oversized)
{
	struct hex_file *file = hex_read(RECORDED);
	struct hex_message *m = &file->message[_i];
	struct client_header header;

	memset(m->bytes + m->len, 0xff, sizeof(m->bytes) - m->len);
	ck_assert_int_eq(client_header_decode_udp(&header, m->bytes,
			     sizeof(m->bytes)),
	    form_of(m->word[2]));
	free(file);
}
END_TEST

START_TEST(test_decode_udp_plain)
{
	struct client_header h;

	ck_assert_int_eq(decode(&h, "udp-plain.v2.2.1"), HEADER_CLIENT);
	ck_assert(h.seqno64 && h.has_extension && h.has_start);
	ck_assert(!h.trip_times && !h.has_txstart && !h.isochronous);
	ck_assert_int_eq(h.duration_ns, NS_PER_S);
	ck_assert_uint_eq(h.rate_bps, 1048576);
	ck_assert_uint_eq(h.listen_port, 5621);
	ck_assert_uint_eq(h.version.upper, 0x00020002);
}
END_TEST

START_TEST(test_decode_udp_options)
{
	struct client_header h;

	decode(&h, "udp-R.v2.1.8");
	ck_assert(h.reverse && !h.no_udp_fin);
	decode(&h, "udp-fullduplex.v2.2.1");
	ck_assert(h.full_duplex && h.no_udp_fin);
	decode(&h, "udp-d.v2.2.1");
	ck_assert(h.dual && h.run_now);
	decode(&h, "udp-sync.v2.2.1");
	ck_assert(h.has_transfer_id && !h.dual);
	decode(&h, "udp-l2.v2.1.8");
	ck_assert(h.l2_checks && !h.l2_ipv6);
	decode(&h, "udp-triptimes.v2.2.1");
	ck_assert(h.trip_times && h.start.s > 0);
	decode(&h, "udp-isoch-R.v2.1.8");
	ck_assert(h.isochronous && h.isochronous_settings && h.reverse);
	ck_assert_uint_eq(h.settings.frames_per_s, 10);
	ck_assert_uint_eq(h.settings.mean_bps, 400000);
	ck_assert_uint_eq(h.settings.gap_millionths, 5);
	decode(&h, "udp-l4s.v2.2.1");
	ck_assert(h.l4s && !h.periodic_burst);
	ck_assert_uint_eq(h.version.upper, 0);
	ck_assert_uint_eq(h.rate_bps, 2097152);
}
END_TEST

START_TEST(test_decode_udp_old)
{
	struct client_header h;

	ck_assert_int_eq(decode(&h, "legacy-udp-r.v2.0.6"), HEADER_OLD);
	ck_assert(h.dual && !h.run_now && !h.has_extension && !h.seqno64);
	ck_assert_uint_eq(h.num_threads, 1);
	ck_assert_uint_eq(h.listen_port, 5682);
	ck_assert_uint_eq(h.window_or_bps, 1048576);
	ck_assert_int_eq(h.duration_ns, NS_PER_S);

	decode(&h, "legacy-udp-d-b.c2.0.13.s2.2.1");
	ck_assert(h.has_old_extension && h.dual && h.run_now && h.seqno64);
	ck_assert_uint_eq(h.rate_bps, 2097152);
	ck_assert_uint_eq(h.window_or_bps, 0);
}
END_TEST

START_TEST(test_decode_udp_small)
{
	struct client_header h;

	ck_assert_int_eq(decode(&h, "udp-l18-triptimes.v2.1.8"), HEADER_SMALL);
	ck_assert(h.trip_times && !h.has_txstart && !h.seqno64);
	decode(&h, "udp-txstart-l64tt.v2.2.1");
	ck_assert(h.trip_times && h.has_txstart);
	ck_assert_uint_eq(h.start.s, 1796068179);

	/* 2.1.8 has filler where 2.2 has the start. */
	ck_assert_int_eq(decode(&h, "udp-txstart-l64tt.v2.1.8"), HEADER_SMALL);
	ck_assert(!h.has_txstart);
}
END_TEST

static const char *const small[] = {
    "udp-l100-triptimes.v2.2.1",
    "udp-l127-triptimes.v2.2.1",
    "udp-l92-triptimes.v2.2.1",
    "udp-txstart-l64tt.v2.2.1",
    "udp-l18-triptimes.v2.1.8",
};

START_TEST(test_encode_udp_small)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = hex_find(file, small[_i], "c", "small");
	uint8_t again[CLIENT_HEADER_UDP_BYTES];
	struct client_header header;
	int used;

	client_header_decode_udp(&header, m->bytes, m->len);
	memcpy(again, m->bytes, DATAGRAM_BYTES);
	used = client_header_encode_udp_small(&header, again, m->len);
	ck_assert_int_ge(used, 18);
	ck_assert_int_le(used, 28);
	ck_assert_mem_eq(again, m->bytes, (size_t)used);
	ck_assert_int_eq(client_header_encode_udp_small(&header, again, 17),
	    WIRE_NO_SPACE);
	free(file);
}
END_TEST

START_TEST(test_encode_udp_sizes)
{
	struct client_header header;

	client_header_init(&header);
	header.seqno64 = true;
	for (size_t n = 0; n <= 200; n++) {
		uint8_t zeros[200] = {0};
		uint8_t *bytes = hex_exact(zeros, n);
		int used = client_header_encode_udp(&header, bytes, n);

		if (n < CLIENT_HEADER_UDP_LEAST_BYTES)
			ck_assert_int_eq(used, WIRE_NO_SPACE);
		else
			ck_assert_int_eq(used, n < 160 ? (int)n : 160);
		free(bytes);
	}
}
END_TEST

/* The flags of a datagram without times must not announce them. */
START_TEST(test_decode_udp_cut_times)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m =
	    hex_find(file, "udp-triptimes.v2.2.1", "c", NULL);
	struct client_header header;

	ck_assert_int_eq(client_header_decode_udp(&header, m->bytes, 127),
	    HEADER_CLIENT);
	ck_assert(!header.trip_times && !header.has_start);
	ck_assert_int_eq(client_header_decode_udp(&header, m->bytes, 128),
	    HEADER_CLIENT);
	ck_assert(header.trip_times && header.has_start);
	free(file);
}
END_TEST

static Suite *
client_header_udp_suite(void)
{
	Suite *s = suite_create("client_header_udp");
	int n = hex_count(RECORDED);
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_decode_udp_form, 0, n);
	tcase_add_loop_test(tc, test_encode_udp_recorded, 0, n);
	tcase_add_loop_test(tc, test_decode_udp_truncated, 0, n);
	tcase_add_loop_test(tc, test_decode_udp_oversized, 0, n);
	suite_add_tcase(s, tc);

	tc = tcase_create("members");
	tcase_add_test(tc, test_decode_udp_plain);
	tcase_add_test(tc, test_decode_udp_options);
	tcase_add_test(tc, test_decode_udp_old);
	tcase_add_test(tc, test_decode_udp_small);
	tcase_add_test(tc, test_decode_udp_cut_times);
	suite_add_tcase(s, tc);

	tc = tcase_create("encode");
	tcase_add_loop_test(tc, test_encode_udp_small, 0, ROWS(small));
	tcase_add_test(tc, test_encode_udp_sizes);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(client_header_udp_suite());
}
