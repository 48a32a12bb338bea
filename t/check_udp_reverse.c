/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "role/udp_reverse.h"
#include "role/udp_worker.h"
#include "run_suite.h"
#include "wire/client_header.h"

/*
 * What the end of the client's own flow means for the one that goes the other
 * way: t/check_udp_path.c has what may be sent meanwhile.
 */

static struct udp_worker worker;
static struct udp_reverse reverse;

/* How the client's flow ended, and whether ours goes on. */
static const struct {
	bool has_final;
	bool has_started;
	int64_t ago_ns; /* its start */
	int64_t duration_ns;
	int64_t amount_bytes;
	bool goes_on;
} ends[] = {
    /* Its time was up, or nearly so. */
    {true, true, 10 * NS_PER_S, 10 * NS_PER_S, -1, true},
    {true, true, 9 * NS_PER_S, 10 * NS_PER_S, -1, true},
    /* Interrupted. */
    {true, true, 2 * NS_PER_S, 10 * NS_PER_S, -1, false},
    {true, true, 0, 10 * NS_PER_S, -1, false},
    /* An amount may take any time, and so may a test that was short. */
    {true, true, 0, 10 * NS_PER_S, 1000, true},
    {true, true, 0, 100 * NS_PER_MS, -1, true},
    {true, false, 0, 10 * NS_PER_S, -1, true},
    /* It fell silent, or the server is to end. */
    {false, true, 20 * NS_PER_S, 10 * NS_PER_S, -1, false},
    {false, true, 20 * NS_PER_S, 10 * NS_PER_S, 1000, false},
    {false, false, 0, 10 * NS_PER_S, -1, false},
};

START_TEST(test_udp_reverse_received)
{
	memset(&worker, 0, sizeof(worker));
	memset(&reverse, 0, sizeof(reverse));
	reverse.worker = &worker;
	client_header_init(&worker.hello.header);
	worker.hello.header.duration_ns = ends[_i].duration_ns;
	worker.hello.header.amount_bytes = ends[_i].amount_bytes;
	worker.recv.has_final = ends[_i].has_final;
	worker.has_started = ends[_i].has_started;
	worker.start_ns = clock_now_ns() - ends[_i].ago_ns;
	udp_reverse_received(&reverse);
	ck_assert_int_eq(atomic_load(&reverse.path.cancelled),
	    !ends[_i].goes_on);
	/* In any case the client pays for no more. */
	ck_assert(atomic_load(&reverse.path.is_complete));
}
END_TEST

static Suite *
udp_reverse_suite(void)
{
	Suite *s = suite_create("udp_reverse");
	TCase *tc = tcase_create("received");

	tcase_add_loop_test(tc, test_udp_reverse_received, 0,
	    (int)(sizeof(ends) / sizeof(ends[0])));
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_reverse_suite());
}
