/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "measure/sequence.h"
#include "measure/tally.h"
#include "run_suite.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define WALL_NS (INT64_C(1796067722) * NS_PER_S)
#define GAP_NS NS_PER_MS
#define RANGES 6

/* Ids from `first` to `last` in a row; the table ends with 0, 0. */
struct range {
	int64_t first;
	int64_t last;
};

struct vector {
	const char *name;
	bool is_64_bit;
	size_t bytes;
	struct range ranges[RANGES];
	uint64_t lost;
	uint64_t total;
	uint64_t late;
	uint64_t duplicates;
	uint64_t all_bytes;
	uint64_t delays;
};

/* V1 to V14 are runs with a raw sender, T1 to T5 others of the same kind. */
static const struct vector vectors[] = {
    {"V1", false, 100, {{1, 20}, {-21, -21}}, 0, 21, 0, 0, 2100, 21},
    {"V2", false, 100, {{1, 10}, {16, 20}, {-21, -21}}, 5, 21, 0, 0, 1600, 16},
    {"V3", false, 100, {{1, 3}, {5, 5}, {4, 4}, {6, 20}, {-21, -21}}, 0, 21, 1,
	0, 2100, 20},
    {"V4", false, 100, {{1, 3}, {3, 3}, {4, 20}, {-21, -21}}, 0, 21, 0, 1, 2200,
	21},
    {"V5", false, 100, {{1, 1}, {3, 20}, {2, 2}, {-21, -21}}, 0, 21, 1, 0, 2100,
	20},
    {"V6", false, 100, {{2, 20}, {-21, -21}}, 1, 21, 0, 0, 2000, 20},
    {"V7", false, 100, {{10, 30}, {-31, -31}}, 9, 31, 0, 0, 2200, 22},
    {"V8", false, 100, {{2147483642, 2147483646}, {-2147483647, -2147483647}},
	2147483641, 2147483647, 0, 0, 600, 6},
    {"V9", true, 100, {{4294967291, 4294967301}, {-4294967302, -4294967302}},
	4294967290, 4294967302, 0, 0, 1200, 12},
    {"V14", false, 2000, {{1, 20}, {-21, -21}}, 0, 21, 0, 0, 42000, 21},
    {"T1", true, 200, {{1, 2}, {5, 5}, {3, 4}, {6, 6}, {-7, -7}}, 0, 7, 2, 0,
	1400, 5},
    {"T2", true, 200, {{1, 2}, {2, 3}, {-4, -4}}, 0, 4, 0, 1, 1000, 4},
    /* Two were lost: a duplicate makes up for none. */
    {"T3", true, 200, {{1, 2}, {2, 2}, {5, 5}, {-6, -6}}, 2, 6, 0, 1, 1000, 4},
    {"T4", true, 200, {{1, 2}, {5, 5}, {-6, -6}}, 2, 6, 0, 0, 800, 4},
    {"T5", true, 200,
	{{1, 2}, {4294967297, 4294967297}, {-4294967298, -4294967298}},
	4294967294, 4294967298, 0, 0, 800, 4},
};

/* Adds one that took 10 us, a gap after the previous one. */
static int64_t
add(struct sequence *s, struct tally *t, int64_t wire_id)
{
	int64_t sent = WALL_NS + (int64_t)t->datagrams * GAP_NS;

	return sequence_add(s, t, wire_id, 100, sent, sent + 10 * NS_PER_US,
	    true);
}

START_TEST(test_sequence_vector)
{
	const struct vector *v = &vectors[_i];
	struct sequence s;
	struct tally t = {0};
	int64_t id = 0;

	sequence_init(&s, 1, v->is_64_bit);
	for (const struct range *r = v->ranges; r->first != 0; r++) {
		for (id = r->first; id <= r->last; id++) {
			ck_assert_int_eq(sequence_is_final(&s, id), id < 0);
			ck_assert_int_eq(sequence_add(&s, &t, id, v->bytes,
					     WALL_NS, WALL_NS, true),
			    llabs(id));
		}
	}
	ck_assert_msg(tally_lost(&t) == v->lost, "%s: lost %" PRIu64, v->name,
	    tally_lost(&t));
	ck_assert_uint_eq(t.advanced, v->total);
	ck_assert_uint_eq(t.late, v->late);
	ck_assert_uint_eq(t.duplicates, v->duplicates);
	ck_assert_uint_eq(t.bytes, v->all_bytes);
	ck_assert_uint_eq(t.delay.count, v->delays);
}
END_TEST

/* 2.0.x starts with 0. */
START_TEST(test_sequence_first_id_0)
{
	struct sequence s;
	struct tally t = {0};

	sequence_init(&s, 0, false);
	ck_assert(sequence_is_final(&s, -91));
	for (int64_t id = 0; id < 91; id++)
		ck_assert_int_eq(add(&s, &t, id), id);
	ck_assert_int_eq(add(&s, &t, -91), 91);
	ck_assert_uint_eq(t.advanced, 92);
	ck_assert_uint_eq(t.gaps, 0);
	ck_assert_uint_eq(t.datagrams, 92);
}
END_TEST

/* An id below the first was never missing. */
START_TEST(test_sequence_before_first)
{
	struct sequence s;
	struct tally t = {0};

	sequence_init(&s, 1, true);
	add(&s, &t, 3);
	add(&s, &t, 0);
	ck_assert_uint_eq(t.duplicates, 1);
	ck_assert_uint_eq(tally_lost(&t), 2);
}
END_TEST

static const struct {
	int64_t from;
	int64_t lost; /* the one that is left out, or 0 */
} wraps[] = {
    {(INT64_C(1) << 31) - 500, 0},
    {(INT64_C(1) << 31) - 500, INT64_C(1) << 31},
    {(INT64_C(1) << 31) - 500, (INT64_C(1) << 31) + 1},
    {(INT64_C(1) << 32) - 500, 0},
    {(INT64_C(1) << 32) - 500, INT64_C(1) << 32},
    {(INT64_C(1) << 32) - 500, (INT64_C(1) << 32) - 1},
    {(INT64_C(3) << 31) - 500, 0},
    {(INT64_C(5) << 32) - 500, 0},
};

static int64_t
narrow(int64_t id)
{
	return (int32_t)(uint32_t)(uint64_t)id;
}

START_TEST(test_sequence_wrap)
{
	struct sequence s;
	struct tally t = {0};
	int64_t id;

	sequence_init(&s, wraps[_i].from, false);
	for (id = wraps[_i].from; id < wraps[_i].from + 1000; id++) {
		if (id == wraps[_i].lost)
			continue;
		ck_assert(!sequence_is_final(&s, narrow(id)));
		ck_assert_int_eq(add(&s, &t, narrow(id)), id);
	}
	ck_assert(sequence_is_final(&s, narrow(-id)));
	ck_assert_int_eq(add(&s, &t, narrow(-id)), id);
	ck_assert_uint_eq(t.advanced, 1001);
	ck_assert_uint_eq(tally_lost(&t), wraps[_i].lost != 0 ? 1 : 0);
	ck_assert_uint_eq(t.late + t.duplicates, 0);

	/* Behind the wrap: seen; the lost one: late. */
	add(&s, &t, narrow(wraps[_i].from + 10));
	ck_assert_uint_eq(t.duplicates, 1);
	if (wraps[_i].lost != 0) {
		ck_assert_int_eq(add(&s, &t, narrow(wraps[_i].lost)),
		    wraps[_i].lost);
		ck_assert_uint_eq(t.late, 1);
	}
}
END_TEST

START_TEST(test_sequence_window)
{
	struct sequence s;
	struct tally t = {0};

	sequence_init(&s, 1, true);
	add(&s, &t, 1);
	add(&s, &t, 1 + SEQUENCE_WINDOW);
	ck_assert_uint_eq(t.gaps, SEQUENCE_WINDOW - 1);
	add(&s, &t, 2); /* the oldest in the window */
	add(&s, &t, 2);
	ck_assert_uint_eq(t.late, 1);
	ck_assert_uint_eq(t.duplicates, 1);
	add(&s, &t, SEQUENCE_WINDOW);
	add(&s, &t, SEQUENCE_WINDOW);
	ck_assert_uint_eq(t.late, 2);
	ck_assert_uint_eq(t.duplicates, 2);

	/* What left the window is late as long as any id is missing. */
	add(&s, &t, 3 * SEQUENCE_WINDOW);
	add(&s, &t, 2);
	ck_assert_uint_eq(t.late, 3);
}
END_TEST

START_TEST(test_sequence_window_none_missing)
{
	struct sequence s;
	struct tally t = {0};

	sequence_init(&s, 1, true);
	for (int64_t id = 1; id <= 2 * SEQUENCE_WINDOW; id++)
		add(&s, &t, id);
	add(&s, &t, 5);
	ck_assert_uint_eq(t.late, 0);
	ck_assert_uint_eq(t.duplicates, 1);
	ck_assert_uint_eq(t.gaps, 0);
}
END_TEST

static const int64_t hostile[] = {
    INT64_MIN,
    INT64_MIN + 1,
    INT64_MAX,
    INT32_MIN,
    INT32_MAX,
    -1,
    0,
    1,
    SEQUENCE_ID_MAX,
    SEQUENCE_ID_MAX - 1,
    SEQUENCE_ID_MAX + 1,
    -SEQUENCE_ID_MAX - 1,
};

/* Any ids in any order: no overflow, and late never exceeds the gaps. */
START_TEST(test_sequence_hostile)
{
	struct sequence s;
	struct tally t = {0};
	int64_t id;

	sequence_init(&s, _i & 1, (_i & 2) != 0);
	for (int i = 0; i < ROWS(hostile) * ROWS(hostile); i++) {
		id = add(&s, &t, hostile[i / ROWS(hostile)]);
		ck_assert_int_ge(id, 0);
		id = add(&s, &t, hostile[i % ROWS(hostile)]);
		ck_assert_int_ge(id, 0);
		ck_assert_int_le(id, SEQUENCE_ID_MAX);
		ck_assert_int_le(s.highest, SEQUENCE_ID_MAX);
		ck_assert_uint_le(t.late, t.gaps);
	}
	ck_assert_uint_eq(t.datagrams,
	    t.advanced - t.gaps + t.late + t.duplicates);
}
END_TEST

/* Jumps of all sizes, many of them, must cost next to nothing. */
START_TEST(test_sequence_jumps)
{
	struct sequence s;
	struct tally t = {0};
	int64_t id = 0;

	sequence_init(&s, 1, true);
	for (int i = 0; i < 20000; i++) {
		id += i % 3 == 0 ? SEQUENCE_WINDOW - 1 : INT64_C(1) << i % 42;
		add(&s, &t, id);
	}
	ck_assert_uint_eq(t.advanced, (uint64_t)id);
	ck_assert_uint_eq(t.gaps, (uint64_t)id - 20000);
}
END_TEST

/* V10: clocks that are an hour apart. */
START_TEST(test_sequence_jitter_offset)
{
	struct sequence s, offset;
	struct tally t = {0};
	struct tally t_offset = {0};
	int64_t sent, took;

	sequence_init(&s, 1, true);
	sequence_init(&offset, 1, true);
	for (int64_t id = 1; id <= 21; id++) {
		sent = WALL_NS + id * GAP_NS;
		took = (10 + id % 3) * NS_PER_US;
		sequence_add(&s, &t, id, 100, sent, sent + took, true);
		sequence_add(&offset, &t_offset, id, 100,
		    sent - 3600 * NS_PER_S, sent + took, true);
	}
	ck_assert(t.has_jitter);
	ck_assert_double_gt(t.jitter_ns, 0);
	ck_assert_double_lt(t.jitter_ns, NS_PER_MS);
	ck_assert_double_eq(t_offset.jitter_ns, t.jitter_ns);
	ck_assert_double_eq_tol(t_offset.delay.mean - t.delay.mean, 3.6e12, 1);
}
END_TEST

/*
 * Clocks that are 30 years apart: a double knows 128 ns there. The jitter does
 * not care, mean and deviation are good to microseconds.
 */
START_TEST(test_sequence_delay_decades)
{
	const int64_t apart_ns = INT64_C(30) * 31557600 * NS_PER_S;
	unsigned short x[3] = {1, 2, 3};
	struct sequence s, offset;
	struct tally t = {0};
	struct tally t_offset = {0};
	int64_t sent, came;

	sequence_init(&s, 1, true);
	sequence_init(&offset, 1, true);
	for (int64_t id = 1; id <= 100000; id++) {
		sent = WALL_NS + id * GAP_NS;
		came = sent + nrand48(x) % 100000;
		sequence_add(&s, &t, id, 100, sent, came, true);
		sequence_add(&offset, &t_offset, id, 100, sent - apart_ns, came,
		    true);
	}
	ck_assert_double_eq(t_offset.jitter_ns, t.jitter_ns);
	ck_assert_double_eq_tol(t_offset.delay.mean - (double)apart_ns,
	    t.delay.mean, 2000);
	ck_assert_double_eq_tol(moments_stddev(&t_offset.delay),
	    moments_stddev(&t.delay), 1000);
}
END_TEST

/* V11: a step of 5 s at datagram 11 decays by 1/16 with each that follows. */
START_TEST(test_sequence_jitter_step)
{
	struct sequence s;
	struct tally t = {0};
	double expected_ns = 5e9 / 16;
	int64_t step;

	sequence_init(&s, 1, true);
	for (int64_t id = 1; id <= 20; id++) {
		step = id >= 11 ? 5 * NS_PER_S : 0;
		sequence_add(&s, &t, id, 100, WALL_NS + step, WALL_NS, true);
		if (id > 11)
			expected_ns *= 15.0 / 16;
	}
	/* The final has a delay only. */
	sequence_add(&s, &t, -21, 100, WALL_NS, WALL_NS, true);
	ck_assert_uint_eq(t.delay.count, 21);
	ck_assert_double_eq_tol(t.jitter_ns, expected_ns, 1);
	ck_assert_double_eq_tol(t.jitter_ns / NS_PER_MS, 174.8, 0.05);
}
END_TEST

START_TEST(test_sequence_jitter_first)
{
	struct sequence s;
	struct tally t = {0};

	sequence_init(&s, 1, true);
	add(&s, &t, 1);
	ck_assert(!t.has_jitter);
	ck_assert_uint_eq(t.delay.count, 1);
	add(&s, &t, 2);
	ck_assert(t.has_jitter);
	ck_assert_double_eq(t.jitter_ns, 0);
}
END_TEST

/* One that took a detour, a duplicate and a bad stamp are left out. */
START_TEST(test_sequence_jitter_skips)
{
	struct sequence s;
	struct tally t = {0};
	const int64_t late_ns = WALL_NS + NS_PER_S;

	sequence_init(&s, 1, true);
	sequence_add(&s, &t, 1, 100, WALL_NS, WALL_NS + 10, true);
	sequence_add(&s, &t, 3, 100, WALL_NS, WALL_NS + 10, true);
	sequence_add(&s, &t, 2, 100, WALL_NS, late_ns, true);
	sequence_add(&s, &t, 3, 100, WALL_NS, late_ns, true);
	sequence_add(&s, &t, 4, 100, 0, late_ns, false);
	sequence_add(&s, &t, 5, 100, WALL_NS, WALL_NS + 26, true);
	ck_assert_double_eq(t.jitter_ns, 1);
	ck_assert_uint_eq(t.delay.count, 3);
	ck_assert_double_eq(t.delay.max, 26);
}
END_TEST

/* The widest times that a datagram can carry. */
START_TEST(test_sequence_jitter_extremes)
{
	struct sequence s;
	struct tally t = {0};
	const int64_t most = (INT64_C(1) << 62) - 1;

	sequence_init(&s, 1, true);
	sequence_add(&s, &t, 1, 100, 0, most, true);
	sequence_add(&s, &t, 2, 100, most, 0, true);
	ck_assert_double_eq_tol(t.jitter_ns, 2.0 * (double)most / 16, 1e6);
}
END_TEST

START_TEST(test_sequence_histograms)
{
	static const struct histogram_shape shape = {1000, 10, 5, 95};
	struct sequence s;
	struct tally t = {0};

	t.delay_bins = histogram_new(&shape);
	t.jitter_bins = histogram_new(&shape);
	sequence_init(&s, 1, true);
	sequence_add(&s, &t, 1, 100, WALL_NS, WALL_NS + 5500, true);
	sequence_add(&s, &t, 2, 100, WALL_NS, WALL_NS + 3000, true);
	ck_assert_uint_eq(t.delay_bins->count, 2);
	ck_assert_uint_eq(t.delay_bins->bin[5], 1);
	ck_assert_uint_eq(t.delay_bins->bin[3], 1);
	ck_assert_int_eq(t.delay_bins->max_wall_ns, WALL_NS + 5500);
	ck_assert_uint_eq(t.jitter_bins->count, 1);
	ck_assert_uint_eq(t.jitter_bins->bin[2], 1);
	free(t.delay_bins);
	free(t.jitter_bins);
}
END_TEST

static Suite *
sequence_suite(void)
{
	Suite *s = suite_create("sequence");
	TCase *tc;

	tc = tcase_create("vectors");
	tcase_add_loop_test(tc, test_sequence_vector, 0, ROWS(vectors));
	tcase_add_test(tc, test_sequence_first_id_0);
	tcase_add_test(tc, test_sequence_before_first);
	suite_add_tcase(s, tc);

	tc = tcase_create("ids");
	tcase_add_loop_test(tc, test_sequence_wrap, 0, ROWS(wraps));
	tcase_add_test(tc, test_sequence_window);
	tcase_add_test(tc, test_sequence_window_none_missing);
	tcase_add_loop_test(tc, test_sequence_hostile, 0, 4);
	tcase_add_test(tc, test_sequence_jumps);
	suite_add_tcase(s, tc);

	tc = tcase_create("jitter");
	tcase_add_test(tc, test_sequence_jitter_offset);
	tcase_add_test(tc, test_sequence_delay_decades);
	tcase_add_test(tc, test_sequence_jitter_step);
	tcase_add_test(tc, test_sequence_jitter_first);
	tcase_add_test(tc, test_sequence_jitter_skips);
	tcase_add_test(tc, test_sequence_jitter_extremes);
	tcase_add_test(tc, test_sequence_histograms);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(sequence_suite());
}
