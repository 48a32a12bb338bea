/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "base/clock.h"
#include "pace/backlog.h"
#include "run_suite.h"

#define ORIGIN_NS (INT64_C(777) * NS_PER_S)

/* Rates of a path, and the limit that must follow from them. */
static const struct {
	int64_t bytes_per_s;
	int64_t limit_bytes;
} paths[] = {
    {1250, BACKLOG_MIN_BYTES},
    {125000, BACKLOG_MIN_BYTES}, /* 1 Mbit/s */
    {1250000, 125000},		 /* 10 Mbit/s: a tenth of a second */
    {125000000, 12500000},
    {INT64_C(5000000000), 500000000},
    {INT64_C(40000000000), BACKLOG_MAX_BYTES},
};

/* Lets a path take data for so long, in pieces of 2 ms. */
static int64_t
run_path(struct backlog *b, int64_t bytes_per_s, int64_t now_ns,
    int64_t length_ns)
{
	int64_t end_ns = now_ns + length_ns;

	while (now_ns < end_ns) {
		now_ns += 2 * NS_PER_MS;
		backlog_note(b, (size_t)(bytes_per_s / 500), now_ns);
	}
	return now_ns;
}

/* Whether the limit suits the path, within the factor that is let pass. */
static void
check_limit(const struct backlog *b, int64_t want_bytes)
{
	ck_assert_int_ge(b->limit_bytes, BACKLOG_MIN_BYTES);
	ck_assert_int_le(b->limit_bytes, BACKLOG_MAX_BYTES);
	ck_assert_int_lt(b->limit_bytes, 2 * want_bytes + 1);
	ck_assert_int_gt(b->limit_bytes, want_bytes / 2 - 1);
}

START_TEST(test_backlog_note_follows_path)
{
	struct backlog b;

	backlog_init(&b, ORIGIN_NS);
	ck_assert_int_eq(b.limit_bytes, BACKLOG_START_BYTES);
	run_path(&b, paths[_i].bytes_per_s, ORIGIN_NS, NS_PER_S);
	check_limit(&b, paths[_i].limit_bytes);
}
END_TEST

/* A path that changes is followed down and up again. */
START_TEST(test_backlog_note_follows_change)
{
	struct backlog b;
	int64_t now_ns;

	backlog_init(&b, ORIGIN_NS);
	now_ns = run_path(&b, 125000000, ORIGIN_NS, NS_PER_S);
	check_limit(&b, 12500000);
	now_ns = run_path(&b, 1250000, now_ns, NS_PER_S);
	check_limit(&b, 125000);
	run_path(&b, 125000000, now_ns, NS_PER_S);
	check_limit(&b, 12500000);
}
END_TEST

/* What is returned is the limit in force, and at a steady rate nothing. */
START_TEST(test_backlog_note_returns)
{
	struct backlog b;
	int64_t now_ns = ORIGIN_NS, limit, last = 0;
	int i, changes = 0, wrong = 0;

	backlog_init(&b, ORIGIN_NS);
	for (i = 0; i < 1000; i++) {
		now_ns += NS_PER_MS;
		limit = backlog_note(&b, 125000, now_ns);
		if (limit > 0) {
			changes++;
			wrong += limit != b.limit_bytes;
			last = now_ns;
		}
	}
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_ge(changes, 1);
	ck_assert_int_lt(last, ORIGIN_NS + NS_PER_S / 2);
}
END_TEST

/* A stall takes the limit down to the least, not below. */
START_TEST(test_backlog_note_stall)
{
	struct backlog b;

	backlog_init(&b, ORIGIN_NS);
	backlog_note(&b, 1, ORIGIN_NS + 3600 * NS_PER_S);
	ck_assert_int_eq(b.limit_bytes, BACKLOG_MIN_BYTES);
}
END_TEST

static Suite *
backlog_suite(void)
{
	Suite *s = suite_create("backlog");
	TCase *tc;

	tc = tcase_create("note");
	tcase_add_loop_test(tc, test_backlog_note_follows_path, 0,
	    (int)(sizeof(paths) / sizeof(paths[0])));
	tcase_add_test(tc, test_backlog_note_follows_change);
	tcase_add_test(tc, test_backlog_note_returns);
	tcase_add_test(tc, test_backlog_note_stall);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(backlog_suite());
}
