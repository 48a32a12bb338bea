/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "role/penalty.h"
#include "run_suite.h"

static struct address
address(const char *text)
{
	struct address a;
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	struct sockaddr_in v4 = {.sin_family = AF_INET};

	memset(&a, 0, sizeof(a));
	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
		memcpy(&a.ss, &v4, sizeof(v4));
		a.len = sizeof(v4);
	} else {
		ck_assert_int_eq(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
		memcpy(&a.ss, &v6, sizeof(v6));
		a.len = sizeof(v6);
	}
	return a;
}

#define MINUTE_NS (60 * NS_PER_S)

START_TEST(test_penalty_second_failure)
{
	struct penalties p;
	struct address a = address("192.0.2.1");

	penalties_init(&p);
	ck_assert(!penalties_bar(&p, &a, NS_PER_S));
	penalties_add(&p, &a, NS_PER_S);
	ck_assert(!penalties_bar(&p, &a, NS_PER_S));
	penalties_add(&p, &a, 61 * NS_PER_S);
	ck_assert(penalties_bar(&p, &a, 61 * NS_PER_S));
	ck_assert(penalties_bar(&p, &a, 121 * NS_PER_S));
	ck_assert(!penalties_bar(&p, &a, 121 * NS_PER_S + 1));
	penalties_fini(&p);
}
END_TEST

/* Each further failure bars for longer, as long as none is forgotten. */
START_TEST(test_penalty_doubles)
{
	static const int minutes[] = {0, 1, 2, 4, 8, 16, 32, 64, 64, 64};
	struct penalties p;
	struct address a = address("192.0.2.1");
	int64_t now_ns = NS_PER_S;
	size_t i;

	penalties_init(&p);
	for (i = 0; i < sizeof(minutes) / sizeof(minutes[0]); i++) {
		penalties_add(&p, &a, now_ns);
		now_ns += minutes[i] * MINUTE_NS;
		ck_assert_int_eq(penalties_bar(&p, &a, now_ns), i > 0);
		ck_assert(!penalties_bar(&p, &a, now_ns + 1));
		now_ns += 10 * MINUTE_NS;
	}
	penalties_add(&p, &a, now_ns + 1);
	ck_assert(!penalties_bar(&p, &a, now_ns + 1));
	penalties_fini(&p);
}
END_TEST

/* Single failures of many do not wash away who is barred. */
START_TEST(test_penalty_flood)
{
	struct penalties p;
	struct address a = address("192.0.2.0");
	unsigned i;

	penalties_init(&p);
	penalties_add(&p, &a, 1);
	penalties_add(&p, &a, 1);
	for (i = 0; i < 2 * PENALTY_ADDRESSES; i++) {
		address_add(&a, 1);
		penalties_add(&p, &a, 2 + i);
	}
	a = address("192.0.2.0");
	ck_assert(penalties_bar(&p, &a, MINUTE_NS));
	penalties_fini(&p);
}
END_TEST

/* Which addresses count as one. */
static const struct {
	const char *failed, *other;
	bool is_barred;
} pairs[] = {
    {"192.0.2.1", "192.0.2.2", false},
    {"192.0.2.1", "::ffff:192.0.2.1", true},
    {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
    {"2001:db8::1", "2001:db8::2", true},
    {"2001:db8::1", "2001:db8:0:1::1", false},
};

START_TEST(test_penalty_same)
{
	struct penalties p;
	struct address a = address(pairs[_i].failed);
	struct address b = address(pairs[_i].other);

	penalties_init(&p);
	penalties_add(&p, &a, 1);
	penalties_add(&p, &a, 1);
	ck_assert(penalties_bar(&p, &a, 1));
	ck_assert_int_eq(penalties_bar(&p, &b, 1), pairs[_i].is_barred);
	penalties_fini(&p);
}
END_TEST

START_TEST(test_penalty_full)
{
	struct penalties p;
	struct address a = address("192.0.2.0");
	int64_t now_ns = NS_PER_S;
	unsigned i;

	penalties_init(&p);
	for (i = 0; i <= PENALTY_ADDRESSES; i++) {
		penalties_add(&p, &a, now_ns);
		penalties_add(&p, &a, now_ns);
		address_add(&a, 1);
		now_ns++;
	}
	a = address("192.0.2.0");
	ck_assert(!penalties_bar(&p, &a, now_ns));
	for (i = 1; i <= PENALTY_ADDRESSES; i++) {
		address_add(&a, 1);
		ck_assert(penalties_bar(&p, &a, now_ns));
	}
	penalties_fini(&p);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("penalty");
	TCase *tc = tcase_create("penalty");

	tcase_add_test(tc, test_penalty_second_failure);
	tcase_add_test(tc, test_penalty_doubles);
	tcase_add_test(tc, test_penalty_flood);
	tcase_add_loop_test(tc, test_penalty_same, 0,
	    (int)(sizeof(pairs) / sizeof(pairs[0])));
	tcase_add_test(tc, test_penalty_full);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
