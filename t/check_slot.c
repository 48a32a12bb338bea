/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <pthread.h>

#include "measure/slot.h"
#include "measure/tally.h"
#include "run_suite.h"

#define WRITERS 4
#define UPDATES 200000
#define UPDATE_BYTES 3

struct writer {
	struct slot slot;
	struct tally tallies[2];
	struct tally *spare;
	struct tally total; /* of all that was collected */
	pthread_t thread;
};

static atomic_int running;

static void *
write_updates(void *arg)
{
	struct writer *w = arg;
	struct tally *t;
	int i;

	for (i = 0; i < UPDATES; i++) {
		t = slot_take(&w->slot);
		t->bytes += UPDATE_BYTES;
		t->calls++;
		t->read_bins[i % TALLY_READ_BINS]++;
		slot_give(&w->slot, t);
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static void
init_writer(struct writer *w)
{
	tally_zero(&w->tallies[0]);
	tally_zero(&w->tallies[1]);
	tally_zero(&w->total);
	w->spare = &w->tallies[1];
	slot_init(&w->slot, &w->tallies[0]);
}

/* Collects once, as the reporter does; no tally may be torn. */
static void
collect(struct writer *w)
{
	struct tally *full = slot_collect(&w->slot, w->spare);
	uint64_t reads = 0;
	size_t i;

	for (i = 0; i < TALLY_READ_BINS; i++)
		reads += full->read_bins[i];
	ck_assert_uint_eq(full->bytes, full->calls * UPDATE_BYTES);
	ck_assert_uint_eq(reads, full->calls);
	tally_merge(&w->total, full);
	tally_zero(full);
	w->spare = full;
}

START_TEST(test_slot_collect_nothing_lost)
{
	static struct writer writers[WRITERS];
	int i;

	atomic_store(&running, WRITERS);
	for (i = 0; i < WRITERS; i++) {
		init_writer(&writers[i]);
		ck_assert_int_eq(pthread_create(&writers[i].thread, NULL,
				     write_updates, &writers[i]),
		    0);
	}
	while (atomic_load(&running) > 0) {
		for (i = 0; i < WRITERS; i++)
			collect(&writers[i]);
	}
	for (i = 0; i < WRITERS; i++) {
		pthread_join(writers[i].thread, NULL);
		collect(&writers[i]);
		ck_assert_uint_eq(writers[i].total.calls, UPDATES);
		ck_assert_uint_eq(writers[i].total.bytes,
		    (uint64_t)UPDATES * UPDATE_BYTES);
		ck_assert_uint_eq(writers[i].total.read_bins[0],
		    UPDATES / TALLY_READ_BINS);
	}
}
END_TEST

START_TEST(test_slot_collect_exchanges)
{
	struct tally a = {.bytes = 1}, b = {.bytes = 0};
	struct slot s;

	slot_init(&s, &a);
	ck_assert_ptr_eq(slot_collect(&s, &b), &a);
	ck_assert_ptr_eq(slot_take(&s), &b);
	slot_give(&s, &b);
	ck_assert_ptr_eq(slot_collect(&s, &a), &b);
}
END_TEST

START_TEST(test_slot_take_empties)
{
	struct tally a = {.bytes = 1};
	struct slot s;

	slot_init(&s, &a);
	ck_assert_ptr_eq(slot_take(&s), &a);
	ck_assert_ptr_null(atomic_load(&s.tally));
	slot_give(&s, &a);
	ck_assert_ptr_eq(atomic_load(&s.tally), &a);
}
END_TEST

START_TEST(test_slot_alignment)
{
	ck_assert_uint_eq(alignof(struct slot), 128);
	ck_assert_uint_eq(sizeof(struct slot), 128);
}
END_TEST

static Suite *
slot_suite(void)
{
	Suite *s = suite_create("slot");
	TCase *tc;

	tc = tcase_create("alone");
	tcase_add_test(tc, test_slot_collect_exchanges);
	tcase_add_test(tc, test_slot_take_empties);
	tcase_add_test(tc, test_slot_alignment);
	suite_add_tcase(s, tc);

	tc = tcase_create("threads");
	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_slot_collect_nothing_lost);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(slot_suite());
}
