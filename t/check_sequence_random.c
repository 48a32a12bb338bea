/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/sequence.h"
#include "measure/tally.h"
#include "run_suite.h"
#include "tally_same.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define WALL_NS (INT64_C(1796067722) * NS_PER_S)
#define GAP_NS NS_PER_MS

/*
 * Random streams. A datagram is lost, or arrives once or more, each copy up
 * to some places later than it was sent; the truth is counted apart.
 */

#define STREAM_IDS 5000
#define STREAM_COPIES (2 * STREAM_IDS)
#define STREAM_SEEDS 40

struct arrival {
	uint64_t place;
	int64_t id;
};

struct stream {
	struct arrival arrival[STREAM_COPIES];
	size_t arrivals;
	uint64_t lost;
	uint64_t late;
	uint64_t duplicates;
};

/* xorshift: the same everywhere. */
static uint64_t
draw(uint64_t *state, uint64_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state % below;
}

static int
compare_arrivals(const void *a, const void *b)
{
	const struct arrival *x = a;
	const struct arrival *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void
count_truth(struct stream *st)
{
	bool seen[STREAM_IDS + 1] = {false};
	int64_t highest = 0;

	for (size_t i = 0; i < st->arrivals; i++) {
		int64_t id = st->arrival[i].id;

		if (seen[id])
			st->duplicates++;
		else if (id < highest)
			st->late++;
		seen[id] = true;
		highest = id > highest ? id : highest;
	}
	for (int64_t id = 1; id <= STREAM_IDS; id++)
		st->lost += !seen[id];
}

static struct stream *
make_stream(uint64_t seed, bool keeps_tail)
{
	struct stream *st = calloc(1, sizeof(*st));
	uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t loss_percent = draw(&state, 40);
	uint64_t copy_percent = draw(&state, 30);
	uint64_t detour = 1 + draw(&state, 300);

	ck_assert_ptr_nonnull(st);
	for (int64_t id = 1; id < STREAM_IDS; id++) {
		if (draw(&state, 100) < loss_percent &&
		    !(keeps_tail && id == STREAM_IDS - 1))
			continue;
		do {
			st->arrival[st->arrivals].id = id;
			st->arrival[st->arrivals++].place =
			    (uint64_t)id + draw(&state, detour);
		} while (draw(&state, 100) < copy_percent &&
			 st->arrivals < STREAM_COPIES - 1);
	}
	st->arrival[st->arrivals].id = STREAM_IDS;
	st->arrival[st->arrivals++].place = UINT64_MAX;
	qsort(st->arrival, st->arrivals, sizeof(st->arrival[0]),
	    compare_arrivals);
	count_truth(st);
	return st;
}

static int64_t
narrow(int64_t id)
{
	return (int32_t)(uint32_t)(uint64_t)id;
}

/* The bases: an ordinary flow, and ones that cross both wraps. */
static const struct {
	int64_t base;
	bool is_64_bit;
} flows[] = {
    {0, true},
    {0, false},
    {(INT64_C(1) << 31) - STREAM_IDS / 2, true},
    {(INT64_C(1) << 32) - STREAM_IDS / 2, true},
    {(INT64_C(1) << 32) - STREAM_IDS / 2, false},
    {SEQUENCE_ID_MAX - STREAM_IDS, true},
};

START_TEST(test_sequence_random)
{
	uint64_t state = (uint64_t)_i + 1;
	bool wide = flows[_i % ROWS(flows)].is_64_bit;
	int64_t base = flows[_i % ROWS(flows)].base;
	/* Near a wrap only the final that is due is one. */
	struct stream *st = make_stream((uint64_t)_i, !wide && base > 0);
	struct sequence s, cut;
	struct tally whole = {0}, interval = {0}, total = {0};

	sequence_init(&s, base + 1, wide);
	sequence_init(&cut, base + 1, wide);
	for (size_t i = 0; i < st->arrivals; i++) {
		bool final = st->arrival[i].id == STREAM_IDS;
		int64_t id = base + st->arrival[i].id;
		int64_t wire_id = final ? -id : id;
		int64_t sent = WALL_NS + st->arrival[i].id * GAP_NS;
		int64_t received =
		    sent + (int64_t)draw(&state, (uint64_t)NS_PER_MS);

		if (!wide)
			wire_id = narrow(wire_id);
		ck_assert_int_eq(sequence_is_final(&s, wire_id), final);
		ck_assert_int_eq(sequence_add(&s, &whole, wire_id, i, sent,
				     received, true),
		    id);
		sequence_add(&cut, &interval, wire_id, i, sent, received, true);
		if (draw(&state, 50) == 0) {
			tally_merge(&total, &interval);
			tally_zero(&interval);
		}
	}
	tally_merge(&total, &interval);
	ck_assert_uint_eq(whole.advanced, STREAM_IDS);
	ck_assert_uint_eq(tally_lost(&whole), st->lost);
	ck_assert_uint_eq(whole.late, st->late);
	ck_assert_uint_eq(whole.duplicates, st->duplicates);
	ck_assert_uint_eq(whole.datagrams, st->arrivals);
	tally_check_same(&total, &whole);
	free(st);
}
END_TEST

static Suite *
sequence_random_suite(void)
{
	Suite *s = suite_create("sequence_random");
	TCase *tc = tcase_create("random");

	tcase_add_loop_test(tc, test_sequence_random, 0, STREAM_SEEDS);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(sequence_random_suite());
}
