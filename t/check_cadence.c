/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pace/cadence.h"
#include "run_suite.h"

/* Where the injected clock begins; a real one does not begin at 0. */
#define ORIGIN_NS (INT64_C(1234567) * NS_PER_S + 891)
#define BATCH 64
#define LEAST 6

static const double gaps_ns[] = {1.7, 23.52, 2352, 11760, 117600.25,
    1.0 / 3 * 1e6, 11215209.96};
#define N_GAPS ((int)(sizeof(gaps_ns) / sizeof(gaps_ns[0])))

static struct cadence cadence;

/*
 * Runs a sender that wakes up late, by up to `late` gaps, until `total` have
 * left; returns the time then. Nothing may leave before its time.
 */
static int64_t
run(double gap_ns, uint64_t total, double late)
{
	unsigned short seed[3] = {4, 5, 6};
	int64_t now_ns = ORIGIN_NS;
	uint64_t sent = 0;
	unsigned n;

	cadence_init(&cadence, gap_ns, ORIGIN_NS, LEAST);
	while (sent < total) {
		now_ns = cadence_due_ns(&cadence) +
			 (int64_t)(late * gap_ns * erand48(seed));
		n = cadence_count(&cadence, now_ns, BATCH);
		if (n < 1 || n > BATCH)
			ck_abort_msg("%u are due", n);
		sent += n;
		if ((double)(now_ns - ORIGIN_NS) + 2 <
		    (double)(sent - 1) * gap_ns)
			ck_abort_msg("datagram %llu is early",
			    (unsigned long long)sent);
		if (cadence_sent(&cadence, n, now_ns) != 0)
			ck_abort_msg("gave up");
	}
	ck_assert_uint_eq(cadence.sent, sent);
	return now_ns;
}

START_TEST(test_cadence_due_ns_no_rounding)
{
	uint64_t i, n = 3000000;
	double exact_ns;

	cadence_init(&cadence, gaps_ns[_i], ORIGIN_NS, LEAST);
	for (i = 0; i < n; i++) {
		exact_ns = (double)i * gaps_ns[_i];
		/* Never held back by what left on time. */
		if (fabs((double)(cadence_due_ns(&cadence) - ORIGIN_NS) -
			 exact_ns) > 1.5)
			ck_abort_msg("datagram %llu", (unsigned long long)i);
		cadence_sent(&cadence, 1, cadence_due_ns(&cadence));
	}
}
END_TEST

/* Late wake-ups do not add up: the mean rate is the one asked for. */
START_TEST(test_cadence_count_mean_when_late)
{
	uint64_t n = 2000000;
	double gap_ns = gaps_ns[_i];
	double took_ns = (double)(run(gap_ns, n, 3) - ORIGIN_NS);

	ck_assert_double_le(fabs(took_ns - (double)n * gap_ns),
	    BATCH * gap_ns + 10);
}
END_TEST

START_TEST(test_cadence_count_one_when_on_time)
{
	double gap_ns = gaps_ns[_i];
	int64_t due_ns;
	int i;

	cadence_init(&cadence, gap_ns, ORIGIN_NS, LEAST);
	for (i = 0; i < 100; i++) {
		due_ns = cadence_due_ns(&cadence);
		ck_assert_uint_eq(cadence_count(&cadence, due_ns - 1, BATCH),
		    0);
		ck_assert_uint_eq(cadence_count(&cadence, due_ns, BATCH), 1);
		cadence_sent(&cadence, 1, due_ns);
	}
}
END_TEST

/*
 * After a pause of half a second the schedule is caught up with at twice the
 * rate: in any time since, at most a batch more than that.
 */
START_TEST(test_cadence_count_catches_up)
{
	double gap_ns = 10000;
	int64_t wake_ns = ORIGIN_NS + 500 * NS_PER_MS, now_ns = wake_ns;
	uint64_t sent = 1;
	unsigned n;

	cadence_init(&cadence, gap_ns, ORIGIN_NS, LEAST);
	cadence_sent(&cadence, 1, ORIGIN_NS);
	while ((double)sent * gap_ns < (double)(now_ns - ORIGIN_NS)) {
		n = cadence_count(&cadence, now_ns, BATCH);
		ck_assert_uint_ge(n, 1);
		ck_assert_uint_le(n, BATCH);
		ck_assert_int_eq(cadence_sent(&cadence, n, now_ns), 0);
		sent += n;
		ck_assert_double_le((double)sent,
		    2 * (double)(now_ns - wake_ns) / gap_ns + BATCH + 1);
		now_ns = cadence_due_ns(&cadence);
	}
	/* As much again as it was behind, for half goes to what is new. */
	ck_assert_int_ge(now_ns, wake_ns + 490 * NS_PER_MS);
	ck_assert_int_le(now_ns, wake_ns + 510 * NS_PER_MS);
	ck_assert_uint_eq(cadence_count(&cadence, now_ns, BATCH), 1);
}
END_TEST

/* A wait that took too long is made up for one by one, at twice the rate. */
START_TEST(test_cadence_overslept_no_burst)
{
	double gap_ns = 10000;
	int64_t wake_ns = ORIGIN_NS + NS_PER_MS, now_ns = wake_ns;
	unsigned n;

	cadence_init(&cadence, gap_ns, ORIGIN_NS, LEAST);
	cadence_sent(&cadence, 1, ORIGIN_NS);
	cadence_overslept(&cadence, wake_ns);
	for (n = 0; cadence_lag_ns(&cadence, now_ns) > 0; n++) {
		ck_assert_int_eq(now_ns, wake_ns + n * (int64_t)gap_ns / 2);
		ck_assert_uint_eq(cadence_count(&cadence, now_ns, BATCH), 1);
		cadence_sent(&cadence, 1, now_ns);
		now_ns = cadence_due_ns(&cadence);
	}
	ck_assert_uint_ge(n, 195);
	ck_assert_uint_le(n, 205);
}
END_TEST

/* What a call of n datagrams takes, and how many may leave with others. */
static const struct {
	double gap_ns;
	double call_ns;	   /* of one */
	double more_ns;	   /* for each further one */
	unsigned together; /* least batch */
	double coalesced_least;
	double coalesced_most;
} calls[] = {
    {117600, 3000, 400, LEAST, 0, 0},
    {3000, 2999, 400, LEAST, 0, 0},
    {2352, 2500, 400, LEAST, 0.05, 0.2},
    {2352, 2900, 400, LEAST, 0.2, 0.4},
    {2352, 4000, 400, LEAST, 0.4, 0.6},
    {2352, 4000, 400, 1, 0.9, 1},
    {588, 2900, 200, LEAST, 0.9, 1},
    {235, 2900, 150, LEAST, 0.99, 1},
};

/* Small batches, but no smaller and no more than keeps the schedule. */
START_TEST(test_cadence_count_slow_calls)
{
	double gap_ns = calls[_i].gap_ns, total = 3e5, sent, coalesced = 0;
	int64_t now_ns = ORIGIN_NS;
	unsigned n;

	cadence_init(&cadence, gap_ns, ORIGIN_NS, calls[_i].together);
	for (sent = 0; sent < total; sent += n) {
		if (now_ns < cadence_due_ns(&cadence))
			now_ns = cadence_due_ns(&cadence);
		n = cadence_count(&cadence, now_ns, BATCH);
		if (n != 1 && n < calls[_i].together)
			ck_abort_msg("a batch of %u", n);
		if (n > 1)
			coalesced += n;
		if (cadence_sent(&cadence, n, now_ns) != 0)
			ck_abort_msg("gave up");
		now_ns +=
		    (int64_t)(calls[_i].call_ns + (n - 1) * calls[_i].more_ns);
	}
	ck_assert_double_le((double)(now_ns - ORIGIN_NS),
	    (total + 2 * BATCH) * gap_ns);
	ck_assert_double_ge(coalesced / sent, calls[_i].coalesced_least);
	ck_assert_double_le(coalesced / sent, calls[_i].coalesced_most);
}
END_TEST

/* How late, and whether the schedule is given up. */
static const struct {
	int64_t late_ns;
	bool is_forgiven;
} lags[] = {
    {0, false},
    {NS_PER_MS, false},
    {CADENCE_MAX_LAG_NS, false},
    {CADENCE_MAX_LAG_NS + 1, true},
    {3600 * NS_PER_S, true},
};

START_TEST(test_cadence_sent_forgives)
{
	int64_t gap_ns = 1000000, now_ns, forgiven_ns;

	/* Late for the datagram after the one that is sent. */
	now_ns = ORIGIN_NS + gap_ns + lags[_i].late_ns;
	cadence_init(&cadence, (double)gap_ns, ORIGIN_NS, LEAST);
	forgiven_ns = cadence_sent(&cadence, 1, now_ns);
	if (lags[_i].is_forgiven) {
		ck_assert_int_eq(forgiven_ns, lags[_i].late_ns);
		ck_assert_int_ge(cadence_due_ns(&cadence), now_ns);
		ck_assert_int_le(cadence_due_ns(&cadence), now_ns + gap_ns);
	} else {
		ck_assert_int_eq(forgiven_ns, 0);
		ck_assert_uint_eq(cadence_count(&cadence, now_ns + gap_ns / 2,
				      1000000),
		    1);
	}
}
END_TEST

START_TEST(test_cadence_set_gap_goes_on)
{
	int64_t due_ns;

	cadence_init(&cadence, 1000, ORIGIN_NS, LEAST);
	cadence_sent(&cadence, 10, ORIGIN_NS + 9000);
	due_ns = ORIGIN_NS + 10000;
	cadence_set_gap(&cadence, 50);
	cadence_sent(&cadence, 1, due_ns);
	ck_assert_int_eq(cadence_due_ns(&cadence), due_ns + 50);
	cadence_set_gap(&cadence, 3000000);
	cadence_sent(&cadence, 1, due_ns + 50);
	ck_assert_int_eq(cadence_due_ns(&cadence), due_ns + 50 + 3000000);
}
END_TEST

/* A change each millisecond, as -b mean,stddev makes them. */
START_TEST(test_cadence_set_gap_often)
{
	int64_t now_ns = ORIGIN_NS;
	double exact_ns = 0, gap_ns;
	int i;

	cadence_init(&cadence, 1000, ORIGIN_NS, LEAST);
	for (i = 0; i < 100000; i++) {
		gap_ns = 1000 + i % 7 * 100;
		cadence_set_gap(&cadence, gap_ns);
		now_ns = cadence_due_ns(&cadence);
		cadence_sent(&cadence, 1, now_ns);
		exact_ns += gap_ns;
	}
	ck_assert_double_eq_tol((double)(cadence_due_ns(&cadence) - ORIGIN_NS),
	    exact_ns, i);
}
END_TEST

static Suite *
cadence_suite(void)
{
	Suite *s = suite_create("cadence");
	TCase *tc;

	tc = tcase_create("schedule");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_cadence_due_ns_no_rounding, 0, N_GAPS);
	tcase_add_loop_test(tc, test_cadence_count_mean_when_late, 0, N_GAPS);
	tcase_add_loop_test(tc, test_cadence_count_one_when_on_time, 2, N_GAPS);
	suite_add_tcase(s, tc);

	tc = tcase_create("lag");
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_cadence_count_catches_up);
	tcase_add_test(tc, test_cadence_overslept_no_burst);
	tcase_add_loop_test(tc, test_cadence_count_slow_calls, 0,
	    (int)(sizeof(calls) / sizeof(calls[0])));
	tcase_add_loop_test(tc, test_cadence_sent_forgives, 0,
	    (int)(sizeof(lags) / sizeof(lags[0])));
	suite_add_tcase(s, tc);

	tc = tcase_create("changes");
	tcase_add_test(tc, test_cadence_set_gap_goes_on);
	tcase_add_test(tc, test_cadence_set_gap_often);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(cadence_suite());
}
