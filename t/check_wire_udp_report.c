/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hex.h"
#include "run_suite.h"
#include "wire/ack.h"
#include "wire/bytes.h"
#include "wire/udp_report.h"

#define RECORDED "udp-reports.hex"
#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define OWN_FLAGS UINT32_C(0x480100a0)
#define TEXT_BYTES 96

static bool
is_report(const struct hex_message *m)
{
	return m->word[1][0] >= '0' && m->word[1][0] <= '9';
}

static enum udp_reply
decode(struct udp_report *report, const struct hex_message *m)
{
	return udp_report_decode(report, m->bytes, m->len, OWN_FLAGS);
}

static enum udp_reply
decode_named(struct udp_report *report, const char *name)
{
	struct hex_file *file = hex_read(RECORDED);
	enum udp_reply reply = decode(report, hex_find(file, name, NULL, NULL));

	free(file);
	return reply;
}

/* What the programs printed, in their format. */
START_TEST(test_decode_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct udp_report r;
	char text[TEXT_BYTES];

	if (is_report(m)) {
		ck_assert_int_eq(decode(&r, m), UDP_REPLY_REPORT);
		snprintf(text, sizeof(text), "%llu,%.6f,%.3f,%llu,%llu,%llu",
		    (unsigned long long)r.bytes,
		    (double)(r.duration_ns / NS_PER_US) / 1e6,
		    (double)r.jitter_ns / NS_PER_MS, (unsigned long long)r.lost,
		    (unsigned long long)r.datagrams,
		    (unsigned long long)r.late);
		ck_assert_str_eq(text, m->word[1]);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_delays_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct udp_report r;
	char text[TEXT_BYTES];

	if (is_report(m) && m->word[2][0] != '-') {
		decode(&r, m);
		ck_assert(r.has_delays);
		ck_assert_double_ge(r.delay_m2_us2, 0);
		snprintf(text, sizeof(text), "%.3f,%.3f,%.3f,%.3f,%llu,%u",
		    (double)r.delay_sum_ns / (double)r.delay_count / NS_PER_MS,
		    (double)r.delay_min_ns / NS_PER_MS,
		    (double)r.delay_max_ns / NS_PER_MS,
		    sqrt(r.delay_m2_us2 / (double)(r.delay_count - 1)) / 1e3,
		    (unsigned long long)r.delay_count, r.pps);
		ck_assert_str_eq(text, m->word[2]);
	}
	free(file);
}
END_TEST

/* The present layout comes out as it was, but for the last difference. */
START_TEST(test_encode_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	struct hex_message *m = &file->message[_i];
	uint8_t again[UDP_REPORT_BYTES];
	struct udp_report r;

	if (is_report(m) && strncmp(m->word[0], "udp-", 4) == 0) {
		decode(&r, m);
		ck_assert_int_eq(udp_report_encode(&r, again, sizeof(again)),
		    UDP_REPORT_BYTES);
		memset(m->bytes + 96, 0, 8);
		ck_assert_mem_eq(again, m->bytes, UDP_REPORT_BYTES);
	}
	free(file);
}
END_TEST

/* A shorter one lacks what was cut, and is no report below ten words. */
START_TEST(test_decode_truncated)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	size_t least = strstr(m->word[0], "v2.0.6") != NULL ? 52 : 56;
	struct udp_report r;

	for (size_t n = 0; n < m->len; n++) {
		uint8_t *bytes = hex_exact(m->bytes, n);
		enum udp_reply reply =
		    udp_report_decode(&r, bytes, n, OWN_FLAGS);

		ck_assert_int_eq(reply == UDP_REPLY_REPORT,
		    is_report(m) && n >= least);
		ck_assert(!r.has_delays);
		free(bytes);
	}
	free(file);
}
END_TEST

START_TEST(test_decode_oversized)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	uint8_t bytes[HEX_BYTES + 1];
	struct udp_report r, longer;

	memset(bytes, '5', sizeof(bytes));
	memcpy(bytes, m->bytes, m->len);
	if (is_report(m) && m->len == UDP_REPORT_BYTES) {
		decode(&r, m);
		ck_assert_int_eq(udp_report_decode(&longer, bytes,
				     sizeof(bytes), OWN_FLAGS),
		    UDP_REPLY_REPORT);
		ck_assert_mem_eq(&longer, &r, sizeof(r));
	}
	free(file);
}
END_TEST

START_TEST(test_decode_other_recorded)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m = &file->message[_i];
	struct udp_report r;
	uint32_t own = bytes_get_u32(m->bytes + 16);

	if (strcmp(m->word[1], "echo") == 0) {
		ck_assert_int_eq(udp_report_decode(&r, m->bytes, m->len, own),
		    UDP_REPLY_ECHO);
		ck_assert_int_eq(udp_report_decode(&r, m->bytes, m->len,
				     own ^ 2),
		    UDP_REPLY_OTHER);
	}
	if (strcmp(m->word[1], "ack") == 0)
		ck_assert_int_eq(decode(&r, m), UDP_REPLY_ACK);
	free(file);
}
END_TEST

START_TEST(test_decode_acks)
{
	struct ack ack = {0};
	struct udp_report r;
	uint8_t bytes[ACK_TIMES_BYTES + 1] = {0};
	int n = ack_encode(&ack, bytes, sizeof(bytes));

	ck_assert_int_eq(udp_report_decode(&r, bytes, (size_t)n, OWN_FLAGS),
	    UDP_REPLY_ACK);
	ck_assert_int_eq(udp_report_decode(&r, bytes, (size_t)n - 1, OWN_FLAGS),
	    UDP_REPLY_OTHER);
	ack.has_times = true;
	n = ack_encode(&ack, bytes, sizeof(bytes));
	ck_assert_int_eq(udp_report_decode(&r, bytes, (size_t)n, OWN_FLAGS),
	    UDP_REPLY_ACK);
	ck_assert_int_eq(udp_report_decode(&r, bytes, (size_t)n + 1, OWN_FLAGS),
	    UDP_REPLY_OTHER);
}
END_TEST

/* With datagrams of 16 bytes an echo has all of the report. */
START_TEST(test_decode_echo_behind_report)
{
	struct hex_file *file = hex_read(RECORDED);
	const struct hex_message *m =
	    hex_find(file, "udp-l16.v2.2.1", NULL, NULL);
	uint8_t bytes[UDP_REPORT_BYTES];
	struct udp_report r, echoed;

	decode(&r, m);
	memcpy(bytes, m->bytes, sizeof(bytes));
	bytes_put_u32(bytes, 0xffffff00);
	bytes_put_u32(bytes + 12, 0xffffffff);
	ck_assert_int_eq(udp_report_decode(&echoed, bytes, sizeof(bytes),
			     OWN_FLAGS),
	    UDP_REPLY_REPORT);
	ck_assert_uint_eq(echoed.bytes, r.bytes);
	ck_assert_uint_eq(echoed.datagrams, r.datagrams);
	free(file);
}
END_TEST

/* The id of a final beyond 2^31 is negative only as a whole. */
START_TEST(test_decode_echo_of_large_id)
{
	uint8_t bytes[UDP_REPORT_BYTES] = {0};
	struct udp_report r;

	bytes_put_u32(bytes, 0x7ffffffb);
	bytes_put_u32(bytes + 12, 0xffffffff);
	bytes_put_u32(bytes + 16, OWN_FLAGS);
	ck_assert_int_eq(udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS),
	    UDP_REPLY_ECHO);
	bytes_put_u32(bytes + 12, 0);
	ck_assert_int_eq(udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS),
	    UDP_REPLY_OTHER);
}
END_TEST

/* 2.0.x leaves filler behind its words; it is no delay and no count. */
START_TEST(test_decode_legacy)
{
	struct udp_report r;

	decode_named(&r, "legacy-udp-plain.v2.0.13");
	ck_assert(!r.has_delays && !r.is_enhanced);
	ck_assert_uint_eq(r.datagrams, 90);
	ck_assert_uint_eq(r.pps, 0);
	decode_named(&r, "legacy-udp-plain.v2.0.6");
	ck_assert(!r.has_delays && !r.is_enhanced);
	ck_assert_uint_eq(r.datagrams, 91);
}
END_TEST

static void
put_pair(uint8_t *p, int32_t first, int32_t second)
{
	bytes_put_u32(p, (uint32_t)first);
	bytes_put_u32(p + 4, (uint32_t)second);
}

START_TEST(test_decode_negative)
{
	struct hex_file *file = hex_read(RECORDED);
	uint8_t bytes[UDP_REPORT_BYTES];
	struct udp_report r;

	memcpy(bytes, hex_find(file, "udp-triptimes.v2.2.1", NULL, NULL)->bytes,
	    sizeof(bytes));
	put_pair(bytes + 56, -3, -499957);
	put_pair(bytes + 64, 0, -12);
	put_pair(bytes + 72, INT32_MIN, INT32_MIN);
	put_pair(bytes + 80, -1, 0);
	udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS);
	ck_assert_int_eq(r.delay_min_ns, INT64_C(-3499957000));
	ck_assert_int_eq(r.delay_max_ns, -12000);
	ck_assert_int_eq(r.delay_sum_ns, INT64_C(-2147485795483648000));
	ck_assert_int_eq(r.delay_mean_ns, INT64_C(-1000000000));
	free(file);
}
END_TEST

static const struct {
	int32_t whole;
	int32_t millionths;
	double m2_us2;
} squares[] = {
    /* Three delays: 0, 10 and 1000 us. */
    {660066, 0, 660066},
    {660066, 666667, 660066.666667},
    {-1, 0, -1},
    {INT32_MIN, 0, -1},
    {660066, -1, -1},
    {660066, 1000000, -1},
    {400000, 0, -1}, /* less than the extremes alone */
    {800000, 0, -1}, /* more than three can have */
    {0, 0, -1},
};

START_TEST(test_decode_m2)
{
	struct udp_report r = {.has_delays = true};
	uint8_t bytes[UDP_REPORT_BYTES];

	r.delay_count = 3;
	r.delay_max_ns = 1000 * NS_PER_US;
	udp_report_encode(&r, bytes, sizeof(bytes));
	put_pair(bytes + 88, squares[_i].whole, squares[_i].millionths);
	ck_assert_int_eq(udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS),
	    UDP_REPLY_REPORT);
	ck_assert_double_eq(r.delay_m2_us2, squares[_i].m2_us2);
}
END_TEST

/* No count of delays: whatever else it says, there are none. */
START_TEST(test_decode_no_delays)
{
	struct udp_report r = {.has_delays = true, .delay_mean_ns = 5000};
	uint8_t bytes[UDP_REPORT_BYTES];

	udp_report_encode(&r, bytes, sizeof(bytes));
	bytes_put_u32(bytes + 104, UINT32_MAX);
	udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS);
	ck_assert(!r.has_delays);
	ck_assert_int_eq(r.delay_mean_ns, 0);
}
END_TEST

static const struct udp_report reports[] = {
    {0},
    {.is_enhanced = true,
	.bytes = UINT64_MAX,
	.lost = UINT64_MAX,
	.late = UINT64_C(1) << 32,
	.datagrams = INT64_MAX,
	.pps = UINT32_MAX},
    {.duration_ns = INT64_C(-3499957000), .jitter_ns = -1000},
    {.has_delays = true,
	.delay_min_ns = -2000,
	.delay_max_ns = 2000,
	.delay_sum_ns = INT64_C(1000000000) * INT32_MAX,
	.delay_mean_ns = -1000,
	.delay_m2_us2 = 8.25,
	.delay_count = 2},
    {.has_delays = true, .delay_m2_us2 = -1, .delay_count = INT32_MAX},
    {.datagrams = UINT64_C(4294967302), .lost = UINT64_C(4294967290)},
};

START_TEST(test_encode_decode)
{
	uint8_t bytes[UDP_REPORT_BYTES];
	struct udp_report r;

	ck_assert_int_eq(udp_report_encode(&reports[_i], bytes, sizeof(bytes)),
	    UDP_REPORT_BYTES);
	ck_assert_int_eq(udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS),
	    UDP_REPLY_REPORT);
	ck_assert_mem_eq(&r, &reports[_i], sizeof(r));
}
END_TEST

/* What does not fit becomes the nearest, or unknown, and no other value. */
START_TEST(test_encode_limits)
{
	struct udp_report r = {.has_delays = true};
	uint8_t bytes[UDP_REPORT_BYTES];

	r.delay_max_ns = INT64_MAX;
	r.delay_sum_ns = INT64_MIN;
	r.delay_count = UINT64_MAX;
	r.delay_m2_us2 = 1e300;
	udp_report_encode(&r, bytes, sizeof(bytes));
	udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS);
	ck_assert_int_eq(r.delay_max_ns, INT64_C(2147483647000000000));
	ck_assert_int_eq(r.delay_sum_ns, INT64_C(-2147483647000000000));
	ck_assert_uint_eq(r.delay_count, INT32_MAX);
	ck_assert_double_eq(r.delay_m2_us2, -1);

	r.delay_m2_us2 = NAN;
	udp_report_encode(&r, bytes, sizeof(bytes));
	udp_report_decode(&r, bytes, sizeof(bytes), OWN_FLAGS);
	ck_assert_double_eq(r.delay_m2_us2, -1);
	ck_assert_int_eq(udp_report_encode(&r, bytes, 127), WIRE_NO_SPACE);
}
END_TEST

START_TEST(test_encode_old)
{
	struct udp_report r = {.bytes = UINT64_C(1) << 40,
	    .duration_ns = NS_PER_S + 5000,
	    .lost = 3,
	    .late = 2,
	    .datagrams = UINT64_C(1) << 33,
	    .jitter_ns = 8000,
	    .delay_count = 7};
	uint8_t *bytes = malloc(1470);
	struct udp_report again;

	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(udp_report_encode_old(&r, bytes, 51), WIRE_NO_SPACE);
	ck_assert_int_eq(udp_report_encode_old(&r, bytes, 52), 52);
	ck_assert_int_eq(udp_report_encode_old(&r, bytes, 1470), 1470);
	ck_assert_uint_eq(bytes_get_u32(bytes + 12), 0x80000000);
	ck_assert_int_eq(udp_report_decode(&again, bytes, 1470, OWN_FLAGS),
	    UDP_REPLY_REPORT);
	ck_assert_uint_eq(again.bytes, r.bytes);
	ck_assert_int_eq(again.duration_ns, r.duration_ns);
	ck_assert_uint_eq(again.lost, 3);
	ck_assert_uint_eq(again.late, 2);
	ck_assert_uint_eq(again.datagrams, INT32_MAX);
	ck_assert_int_eq(again.jitter_ns, 8000);
	ck_assert(!again.has_delays);
	free(bytes);
}
END_TEST

static Suite *
wire_udp_report_suite(void)
{
	Suite *s = suite_create("wire_udp_report");
	int n = hex_count(RECORDED);
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_loop_test(tc, test_decode_recorded, 0, n);
	tcase_add_loop_test(tc, test_decode_delays_recorded, 0, n);
	tcase_add_loop_test(tc, test_encode_recorded, 0, n);
	tcase_add_loop_test(tc, test_decode_truncated, 0, n);
	tcase_add_loop_test(tc, test_decode_oversized, 0, n);
	tcase_add_loop_test(tc, test_decode_other_recorded, 0, n);
	suite_add_tcase(s, tc);

	tc = tcase_create("recognition");
	tcase_add_test(tc, test_decode_acks);
	tcase_add_test(tc, test_decode_echo_behind_report);
	tcase_add_test(tc, test_decode_echo_of_large_id);
	tcase_add_test(tc, test_decode_legacy);
	suite_add_tcase(s, tc);

	tc = tcase_create("members");
	tcase_add_test(tc, test_decode_negative);
	tcase_add_loop_test(tc, test_decode_m2, 0, ROWS(squares));
	tcase_add_test(tc, test_decode_no_delays);
	suite_add_tcase(s, tc);

	tc = tcase_create("encode");
	tcase_add_loop_test(tc, test_encode_decode, 0, ROWS(reports));
	tcase_add_test(tc, test_encode_limits);
	tcase_add_test(tc, test_encode_old);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(wire_udp_report_suite());
}
