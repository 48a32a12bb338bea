/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "measure/moments.h"
#include "tally_same.h"

void
tally_check_same(const struct tally *a, const struct tally *b)
{
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_uint_eq(a->datagrams, b->datagrams);
	ck_assert_uint_eq(a->advanced, b->advanced);
	ck_assert_uint_eq(a->gaps, b->gaps);
	ck_assert_uint_eq(a->late, b->late);
	ck_assert_uint_eq(a->duplicates, b->duplicates);
	ck_assert_uint_eq(a->odd_sizes, b->odd_sizes);
	ck_assert_uint_eq(a->queue_drops, b->queue_drops);
	ck_assert_int_eq(a->has_jitter, b->has_jitter);
	ck_assert_double_eq(a->jitter_ns, b->jitter_ns);
	ck_assert_uint_eq(a->delay.count, b->delay.count);
	ck_assert_double_eq(a->delay.min, b->delay.min);
	ck_assert_double_eq(a->delay.max, b->delay.max);
	ck_assert_double_eq_tol(a->delay.mean, b->delay.mean,
	    1e-9 * a->delay.mean + 1e-3);
	ck_assert_double_eq_tol(moments_stddev(&a->delay),
	    moments_stddev(&b->delay), 1e-3);
}
