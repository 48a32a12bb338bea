/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "run_suite.h"
#include "wire/aside.h"
#include "wire/client_header_udp.h"
#include "wire/flow_start.h"
#include "wire/udp_report.h"

static const uint64_t token = UINT64_C(0x8123456789abcdef);
static const enum aside_kind kinds[] = {ASIDE_CHALLENGE, ASIDE_PROOF,
    ASIDE_PAUSE};

START_TEST(test_aside_round_trip)
{
	uint8_t buf[ASIDE_BYTES];
	uint64_t got = 0;

	ck_assert_int_eq(aside_encode(kinds[_i], token, buf, sizeof(buf)),
	    WIRE_OK);
	ck_assert_int_eq(aside_decode(buf, sizeof(buf), &got), kinds[_i]);
	ck_assert_uint_eq(got, token);
	ck_assert_int_eq(aside_encode(kinds[_i], token, buf, sizeof(buf) - 1),
	    WIRE_NO_SPACE);
}
END_TEST

START_TEST(test_aside_nothing_else)
{
	uint8_t buf[ASIDE_BYTES + 1] = {0};
	struct client_header h;
	struct udp_report r;
	uint64_t got = 7;
	size_t i;

	aside_encode(ASIDE_PROOF, token, buf, sizeof(buf));
	ck_assert(!flow_start_is_plausible(buf, ASIDE_BYTES, 0));
	ck_assert_int_eq(client_header_decode_udp(&h, buf, ASIDE_BYTES),
	    HEADER_NONE);
	ck_assert_int_eq(udp_report_decode(&r, buf, ASIDE_BYTES, 0),
	    UDP_REPLY_OTHER);
	ck_assert_int_eq(aside_decode(buf, sizeof(buf), &got), ASIDE_NONE);
	for (i = 0; i < 24; i++) {
		buf[i] ^= 0x40;
		ck_assert_int_eq(aside_decode(buf, ASIDE_BYTES, &got),
		    ASIDE_NONE);
		buf[i] ^= 0x40;
	}
	ck_assert_uint_eq(got, 7);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("aside");
	TCase *tc = tcase_create("aside");

	tcase_add_loop_test(tc, test_aside_round_trip, 0, 3);
	tcase_add_test(tc, test_aside_nothing_else);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
