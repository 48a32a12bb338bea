/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "measure/slot.h"
#include "net/datagrams.h"
#include "run_suite.h"
#include "stream/udp_recv.h"
#include "tally_same.h"
#include "wire/datagram.h"

#define WALL_NS (INT64_C(1700000000) * NS_PER_S)
#define BATCH_MOST 65
#define FLOW 20000
#define SOAK 10000000

/* Stands in for the receiver of the program: batches as the test has them. */
struct datagrams_in {
	struct datagram_in datagram[BATCH_MOST];
	uint8_t head[BATCH_MOST][DATAGRAM_BYTES];
};

const struct datagram_in *
datagrams_in_get(const struct datagrams_in *in, unsigned i)
{
	return &in->datagram[i];
}

static struct datagrams_in batch;
static struct udp_recv stream;
static struct slot slot;
static struct tally tally;
static atomic_bool stop;

/* Puts datagram i of a batch: an id, its size, when it arrived. */
static void
put(unsigned i, int64_t id, size_t bytes, int64_t at_ns)
{
	struct datagram_in *d = &batch.datagram[i];
	struct datagram head = {.id = id};

	/* Sent each 100 us, with a delay that varies with the arrival. */
	head.sent = stamp_from_ns(WALL_NS + llabs(id) * 100 * NS_PER_US);
	datagram_encode(&head, batch.head[i], DATAGRAM_BYTES);
	d->data = batch.head[i];
	d->bytes = bytes;
	d->stored = bytes < DATAGRAM_BYTES ? bytes : DATAGRAM_BYTES;
	d->wall_ns = WALL_NS + at_ns;
}

static void
start(int64_t first_id)
{
	memset(&stream, 0, sizeof(stream));
	tally = (struct tally){0};
	slot_init(&slot, &tally);
	stream.slot = &slot;
	stream.stop = &stop;
	stream.is_wide = true;
	udp_recv_init(&stream, first_id);
}

static void
set_up(void)
{
	start(1);
}

/* What a flow is made of, in order of arrival. */
struct arrival {
	int64_t id;
	size_t bytes;
	int64_t at_ns;
};

/* A flow with losses, duplicates, reordering and odd sizes, by seed. */
static unsigned
make_flow(struct arrival *a, uint32_t seed)
{
	unsigned short x[3] = {(unsigned short)seed, 7, 9};
	unsigned n = 0;
	int64_t id;

	for (id = 1; id <= FLOW; id++) {
		double u = erand48(x);

		if (u < 0.05)
			continue;
		a[n].id = id;
		a[n].bytes = u > 0.9 ? 100 + (size_t)id % 1000 : 1470;
		a[n].at_ns = id * 100 * NS_PER_US + (int64_t)(u * 50000);
		n++;
		if (u < 0.08) {
			a[n] = a[n - 1];
			n++;
		} else if (u < 0.12 && n > 10) {
			struct arrival late = a[n - 8];

			late.at_ns = a[n - 1].at_ns + 1000;
			memmove(&a[n - 8], &a[n - 7], 7 * sizeof(*a));
			a[n - 1] = late;
		}
	}
	a[n].id = -id;
	a[n].bytes = 33;
	a[n].at_ns = id * 100 * NS_PER_US;
	return n + 1;
}

/* Accounts for a flow in batches of `size`; the last one may be short. */
static void
account_flow(const struct arrival *a, unsigned n, unsigned size)
{
	unsigned i, j, take;

	for (i = 0; i < n; i += take) {
		take = n - i < size ? n - i : size;
		for (j = 0; j < take; j++)
			put(j, a[i + j].id, a[i + j].bytes, a[i + j].at_ns);
		ck_assert_uint_eq(udp_recv_account(&stream, &batch, take, 0),
		    take);
	}
}

static void
account_singly(const struct arrival *a, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		put(0, a[i].id, a[i].bytes, a[i].at_ns);
		udp_recv_account_one(&stream, &batch.datagram[0], 0);
	}
}

static const unsigned batches[] = {1, 2, 3, 7, 63, 64, 65};

START_TEST(test_udp_recv_account_any_batch)
{
	static struct arrival flow[2 * FLOW];
	struct tally alone;
	unsigned n;
	uint32_t seed;

	for (seed = 1; seed <= 5; seed++) {
		n = make_flow(flow, seed);
		start(1);
		stream.expected_bytes = 1470;
		account_singly(flow, n);
		ck_assert(stream.has_final);
		alone = stream.total;
		ck_assert_uint_gt(alone.gaps, alone.late);
		ck_assert_uint_gt(alone.late, 0);
		ck_assert_uint_gt(alone.duplicates, 0);
		ck_assert_uint_gt(alone.odd_sizes, 0);
		ck_assert_uint_eq(alone.advanced, FLOW + 1);

		start(1);
		stream.expected_bytes = 1470;
		account_flow(flow, n, batches[_i]);
		ck_assert(stream.has_final);
		tally_check_same(&alone, &stream.total);
		tally_check_same(&alone, &tally);
		ck_assert_uint_eq(tally.calls,
		    (n + batches[_i] - 1) / batches[_i]);
	}
}
END_TEST

START_TEST(test_udp_recv_account_ends_at_final)
{
	put(0, 1, 1470, 1000);
	put(1, 2, 1470, 2000);
	put(2, -3, 700, 3000);
	put(3, 4, 1470, 4000);
	put(4, -3, 700, 5000);
	ck_assert_uint_eq(udp_recv_account(&stream, &batch, 5, 0), 3);
	ck_assert(stream.has_final);
	ck_assert_uint_eq(tally.datagrams, 3);
	ck_assert_uint_eq(tally.bytes, 3640);
	ck_assert_uint_eq(tally.advanced, 3);
	ck_assert_int_eq(stream.first_rt_ns, WALL_NS + 1000);
	ck_assert_int_eq(stream.last_rt_ns, WALL_NS + 3000);
	ck_assert_uint_eq(udp_recv_account(&stream, &batch, 5, 0), 0);
	ck_assert_uint_eq(tally.datagrams, 3);
}
END_TEST

/*
 * Arrivals stay where they were on the monotonic clock, when the wall clock is
 * set by so much after the first, in both ways of accounting.
 */
static const int64_t steps_ns[] = {0, 3600 * NS_PER_S, -3600 * NS_PER_S};

START_TEST(test_udp_recv_account_clock_set)
{
	int64_t from_ns = clock_now_ns(), at_ns = clock_wall_ns() - WALL_NS;
	int64_t age_ns = 5 * NS_PER_MS;

	put(0, 1, 1470, at_ns - age_ns);
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert_int_ge(stream.first_ns, from_ns - age_ns - NS_PER_MS);
	ck_assert_int_le(stream.first_ns, clock_now_ns() - age_ns + NS_PER_MS);
	from_ns = clock_now_ns();
	put(0, 2, 1470, clock_wall_ns() - WALL_NS + steps_ns[_i % 3]);
	if (_i < 3)
		udp_recv_account(&stream, &batch, 1, 0);
	else
		udp_recv_account_one(&stream, &batch.datagram[0], 0);
	ck_assert_int_ge(stream.last_ns, from_ns - NS_PER_MS);
	ck_assert_int_le(stream.last_ns, clock_now_ns());
	ck_assert_int_lt(stream.first_ns, stream.last_ns);
}
END_TEST

/* A straggler does not undo the end. */
START_TEST(test_udp_recv_account_one_after_final)
{
	put(0, 1, 1470, 1000);
	put(1, -3, 1470, 2000);
	put(2, 2, 1470, 3000);
	udp_recv_account(&stream, &batch, 2, 0);
	udp_recv_account_one(&stream, &batch.datagram[2], 0);
	ck_assert(stream.has_final);
	ck_assert_uint_eq(tally.late, 1);
	ck_assert_uint_eq(tally_lost(&tally), 0);
}
END_TEST

/* Drops count as far as they are losses, wherever a gap shows up. */
START_TEST(test_udp_recv_account_drops)
{
	put(0, 1, 1470, 1000);
	put(1, 5, 1470, 2000);
	udp_recv_account(&stream, &batch, 2, 2);
	ck_assert_uint_eq(tally.queue_drops, 2);
	/* A copy: no loss but the one that is left to be explained. */
	udp_recv_account_one(&stream, &batch.datagram[1], 4);
	ck_assert_uint_eq(tally.queue_drops, 3);
	ck_assert_uint_eq(tally_lost(&tally), 3);
	put(0, 7, 1470, 3000);
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert_uint_eq(tally.queue_drops, 4);
	put(0, 9, 1470, 3000);
	udp_recv_account(&stream, &batch, 1, 0);
	udp_recv_add_drops(&stream, 0);
	ck_assert_uint_eq(tally.queue_drops, 5);
	put(0, 11, 1470, 3000);
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert_uint_eq(tally.queue_drops, 6);
	put(0, 13, 1470, 3000);
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert_uint_eq(tally.queue_drops, 6);
	ck_assert_uint_eq(tally_lost(&tally), 7);
	udp_recv_add_drops(&stream, 10);
	ck_assert_uint_eq(tally.queue_drops, 7);
	ck_assert_uint_eq(stream.total.queue_drops, 7);
}
END_TEST

/* What is too short for an id is no datagram of the test. */
START_TEST(test_udp_recv_account_short)
{
	unsigned i;

	for (i = 0; i < DATAGRAM_BYTES; i++) {
		put(0, 9, i, 1000);
		ck_assert_uint_eq(udp_recv_account(&stream, &batch, 1, 0), 1);
	}
	ck_assert_uint_eq(tally.datagrams, 0);
	ck_assert_int_eq(stream.first_rt_ns, 0);
	put(0, 1, DATAGRAM_BYTES, 1000);
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert_uint_eq(tally.datagrams, 1);
	ck_assert_uint_eq(tally.bytes, DATAGRAM_BYTES);
}
END_TEST

/* Clients up to 2.0.x count from 0, and have 32 bits. */
START_TEST(test_udp_recv_init_old)
{
	stream.is_wide = false;
	udp_recv_init(&stream, 0);
	put(0, 0, 1470, 1000);
	put(1, 1, 1470, 2000);
	put(2, -2, 1470, 3000);
	/* Filler where the upper half would be. */
	memset(batch.head[0] + 12, '4', 4);
	memset(batch.head[1] + 12, '4', 4);
	udp_recv_account(&stream, &batch, 3, 0);
	ck_assert_uint_eq(tally.advanced, 3);
	ck_assert_uint_eq(tally_lost(&tally), 0);
	ck_assert(stream.has_final);
}
END_TEST

/* Of the slot's tally, which the reporter exchanges between batches. */
START_TEST(test_udp_recv_account_histograms)
{
	struct histogram_shape shape = {.width_ns = 1000,
	    .bins = 1000,
	    .lower_percent = 5,
	    .upper_percent = 95};
	struct tally other = {0}, *full;

	tally.delay_bins = histogram_new(&shape);
	other.delay_bins = histogram_new(&shape);
	put(0, 1, 1470, 100 * NS_PER_US);
	put(1, 2, 1470, 200 * NS_PER_US);
	put(2, 3, 1470, 300 * NS_PER_US);
	udp_recv_account(&stream, &batch, 2, 0);
	full = slot_collect(&slot, &other);
	ck_assert_ptr_eq(full, &tally);
	ck_assert_uint_eq(tally.delay_bins->count, 2);
	udp_recv_account_one(&stream, &batch.datagram[2], 0);
	ck_assert_uint_eq(tally.delay_bins->count, 2);
	ck_assert_uint_eq(other.delay_bins->count, 1);
	ck_assert_uint_eq(other.datagrams, 1);
	ck_assert_ptr_null(stream.total.delay_bins);
	ck_assert_uint_eq(stream.total.datagrams, 3);
	free(tally.delay_bins);
	free(other.delay_bins);
}
END_TEST

/* Where a flow of ten million starts: at 1, and short of where ids wrap. */
static const struct {
	bool is_wide;
	int64_t first;
} soaks[] = {
    {true, 1},
    {false, (INT64_C(1) << 31) - SOAK / 2},
    {false, (INT64_C(1) << 32) - SOAK / 2},
};

/* Puts datagram i as it comes out of a header of 32 bits. */
static void
put_soak(unsigned i, int64_t id)
{
	put(i, id, 64, llabs(id) * 100 * NS_PER_US + llabs(id) % 7 * 1000);
	if (!stream.is_wide)
		memset(batch.head[i] + 12, 0, 4);
}

/*
 * Each 1000th is lost, each 777th comes twice, each 501st changes places with
 * the next; nothing is counted with a remainder.
 */
START_TEST(test_udp_recv_account_soak)
{
	uint64_t lost = 0, twice = 0, late = 0, n = 0;
	int64_t i, id, swapped = -1;
	unsigned fill = 0;

	start(soaks[_i].first);
	stream.is_wide = soaks[_i].is_wide;
	udp_recv_init(&stream, soaks[_i].first);
	for (i = 0; i < SOAK; i++) {
		id = soaks[_i].first + i;
		if (i % 1000 == 999) {
			lost++;
		} else if (i % 501 == 500 && swapped == -1 && i < SOAK - 9) {
			swapped = id;
		} else {
			put_soak(fill++, id);
			if (i % 777 == 776) {
				put_soak(fill++, id);
				twice++;
			}
			if (swapped != -1) {
				put_soak(fill++, swapped);
				late++;
				swapped = -1;
			}
		}
		if (fill >= BATCH_MOST - 3 || i == SOAK - 1) {
			ck_assert_uint_eq(udp_recv_account(&stream, &batch,
					      fill, 0),
			    fill);
			n += fill;
			fill = 0;
		}
	}
	put_soak(0, -(soaks[_i].first + SOAK));
	udp_recv_account(&stream, &batch, 1, 0);
	ck_assert(stream.has_final);
	ck_assert_uint_gt(lost * twice * late, 0);
	ck_assert_uint_eq(tally.datagrams, n + 1);
	ck_assert_uint_eq(tally.bytes, (n + 1) * 64);
	ck_assert_uint_eq(tally.advanced, SOAK + 1);
	ck_assert_uint_eq(tally_lost(&tally), lost);
	ck_assert_uint_eq(tally.late, late);
	ck_assert_uint_eq(tally.duplicates, twice);
	ck_assert_uint_eq(tally.delay.count, SOAK + 1 - lost - late);
	tally_check_same(&tally, &stream.total);
}
END_TEST

static Suite *
udp_recv_suite(void)
{
	Suite *s = suite_create("udp_recv");
	TCase *tc;

	tc = tcase_create("batches");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_loop_test(tc, test_udp_recv_account_any_batch, 0,
	    (int)(sizeof(batches) / sizeof(batches[0])));
	tcase_add_test(tc, test_udp_recv_account_ends_at_final);
	tcase_add_loop_test(tc, test_udp_recv_account_clock_set, 0, 6);
	tcase_add_test(tc, test_udp_recv_account_one_after_final);
	tcase_add_test(tc, test_udp_recv_account_drops);
	tcase_add_test(tc, test_udp_recv_account_short);
	suite_add_tcase(s, tc);

	tc = tcase_create("soak");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_udp_recv_account_soak, 0,
	    (int)(sizeof(soaks) / sizeof(soaks[0])));
	suite_add_tcase(s, tc);

	tc = tcase_create("flows");
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_udp_recv_init_old);
	tcase_add_test(tc, test_udp_recv_account_histograms);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_recv_suite());
}
