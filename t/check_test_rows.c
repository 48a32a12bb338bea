/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "recorder.h"
#include "run_suite.h"
#include "test_fixture.h"

/*
 * Tests of both directions: which rows there are, over what time, and that
 * they add up. Times are in ms.
 */

/* Both directions of one stream. */
struct pair {
	struct flow *sent;
	struct flow *received;
};

static struct pair
start_pair(int id, int64_t sent_ms, int64_t received_ms)
{
	struct pair p;

	p.sent = test_fixture_start(id, ROW_TCP_SEND, sent_ms);
	p.received = test_fixture_start(id, ROW_TCP_RECV, received_ms);
	p.sent->connection.full_duplex = true;
	p.received->connection.full_duplex = true;
	p.received->is_second = true;
	return p;
}

static void
count(struct flow *f, uint64_t bytes)
{
	struct tally *t = slot_take(&f->slot);

	t->bytes += bytes;
	slot_give(&f->slot, t);
}

/* The n-th row of a kind of figures; id -1 of a sum. */
static const struct row_fact *
find_row(enum record_kind what, enum row_kind kind, int id, size_t n)
{
	const struct row_fact *row;
	size_t i;

	for (i = 0; i < recorder_rows(what, id); i++) {
		row = recorder_row(what, id, i);
		if (row->kind == kind && n-- == 0)
			return row;
	}
	ck_abort_msg("no such row of %d", id);
	return NULL;
}

static size_t
count_rows(enum record_kind what, enum row_kind kind, int id)
{
	size_t i, n = 0;

	for (i = 0; i < recorder_rows(what, id); i++)
		n += recorder_row(what, id, i)->kind == kind;
	return n;
}

static void
check_row(enum record_kind what, enum row_kind kind, int id, int64_t start_ms,
    int64_t end_ms, uint64_t bytes)
{
	const struct row_fact *row = find_row(what, kind, id, 0);

	ck_assert_int_eq(row->start_ns, start_ms * NS_PER_MS);
	ck_assert_int_eq(row->end_ns, end_ms * NS_PER_MS);
	ck_assert_uint_eq(row->tally->bytes, bytes);
}

static uint64_t
add_up(enum record_kind what, enum row_kind kind, int id)
{
	uint64_t bytes = 0;
	size_t i, n = count_rows(what, kind, id);

	for (i = 0; i < n; i++)
		bytes += find_row(what, kind, id, i)->tally->bytes;
	return bytes;
}

static void
check_intervals(enum row_kind kind, int id)
{
	if (count_rows(RECORD_TOTAL, kind, id) > 0)
		ck_assert_uint_eq(add_up(RECORD_INTERVAL, kind, id),
		    add_up(RECORD_TOTAL, kind, id));
}

/* Intervals make totals, streams make sums, directions make both. */
static void
check_sums(int streams)
{
	uint64_t sent = 0, received = 0;
	int id;

	for (id = 1; id <= streams; id++) {
		check_intervals(ROW_TCP_SEND, id);
		check_intervals(ROW_TCP_RECV, id);
		check_intervals(ROW_TCP_BOTH, id);
		sent += add_up(RECORD_TOTAL, ROW_TCP_SEND, id);
		received += add_up(RECORD_TOTAL, ROW_TCP_RECV, id);
	}
	check_intervals(ROW_TCP_SEND, -1);
	check_intervals(ROW_TCP_RECV, -1);
	check_intervals(ROW_TCP_BOTH, -1);
	if (count_rows(RECORD_TOTAL, ROW_TCP_SEND, -1) > 0)
		ck_assert_uint_eq(add_up(RECORD_TOTAL, ROW_TCP_SEND, -1), sent);
	if (count_rows(RECORD_TOTAL, ROW_TCP_RECV, -1) > 0)
		ck_assert_uint_eq(add_up(RECORD_TOTAL, ROW_TCP_RECV, -1),
		    received);
	if (count_rows(RECORD_TOTAL, ROW_TCP_BOTH, -1) > 0)
		ck_assert_uint_eq(add_up(RECORD_TOTAL, ROW_TCP_BOTH, -1),
		    sent + received);
}

/* One stream of both directions: a row for each, then one of both. */
START_TEST(test_rows_pair)
{
	struct pair p = start_pair(1, 0, 4);

	count(p.sent, 10);
	count(p.received, 3);
	test_fixture_tick(1000);
	count(p.sent, 20);
	count(p.received, 4);
	test_fixture_end(p.sent, 1500);
	test_fixture_end(p.received, 1504);
	test_finish(test, &test_out);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 1), 3);
	check_row(RECORD_TOTAL, ROW_TCP_RECV, 1, 0, 1500, 7);
	check_row(RECORD_TOTAL, ROW_TCP_SEND, 1, 0, 1500, 30);
	check_row(RECORD_TOTAL, ROW_TCP_BOTH, 1, 0, 1504, 37);
	check_row(RECORD_INTERVAL, ROW_TCP_BOTH, 1, 0, 1000, 13);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, -1), 0);
	check_sums(1);
	/* The receiver first, and both last. */
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, 1, 0)->kind, ROW_TCP_RECV);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, 1, 2)->kind, ROW_TCP_BOTH);
}
END_TEST

/* Several: a sum for each direction, marked, and one for all. */
START_TEST(test_rows_pairs)
{
	struct pair p = start_pair(1, 0, 0), q = start_pair(2, 1, 2);
	const struct row_fact *all;

	count(p.sent, 10);
	count(p.received, 200);
	count(q.sent, 3000);
	count(q.received, 40000);
	test_fixture_tick(1000);
	test_fixture_end(p.sent, 1400);
	test_fixture_end(p.received, 1500);
	test_fixture_end(q.sent, 1600);
	test_fixture_end(q.received, 1700);
	test_finish(test, &test_out);
	check_row(RECORD_TOTAL, ROW_TCP_SEND, -1, 0, 1600, 3010);
	check_row(RECORD_TOTAL, ROW_TCP_RECV, -1, 0, 1700, 40200);
	check_row(RECORD_TOTAL, ROW_TCP_BOTH, -1, 0, 1700, 43210);
	all = find_row(RECORD_TOTAL, ROW_TCP_BOTH, -1, 0);
	ck_assert_int_eq(all->streams, 2);
	ck_assert(all->two_way && all->sum);
	ck_assert(find_row(RECORD_TOTAL, ROW_TCP_SEND, -1, 0)->two_way);
	/* Scripts that take the last row get that of all. */
	ck_assert_ptr_eq(recorder_row(RECORD_TOTAL, -1, 2), all);
	check_sums(2);
}
END_TEST

/* -d: streams of their own, of which some have a direction to themselves. */
START_TEST(test_rows_dual)
{
	struct flow *sent = test_fixture_start(1, ROW_TCP_SEND, 0);
	struct flow *back = test_fixture_start(2, ROW_TCP_RECV, 30);

	count(sent, 5);
	count(back, 6);
	test_fixture_end(sent, 500);
	test_fixture_end(back, 530);
	test_finish(test, &test_out);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 1), 1);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, 2), 1);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, -1), 1);
	check_row(RECORD_TOTAL, ROW_TCP_BOTH, -1, 0, 530, 11);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, -1, 0)->streams, 2);
}
END_TEST

/* One direction ends early: the other's rows go on, and so do sums. */
START_TEST(test_rows_one_ends_early)
{
	struct pair p = start_pair(1, 0, 0), q = start_pair(2, 0, 0);

	count(p.sent, 1);
	count(p.received, 2);
	count(q.sent, 3);
	count(q.received, 4);
	test_fixture_end(p.sent, 300);
	test_fixture_end(q.sent, 400);
	test_fixture_tick(1000);
	count(p.received, 50);
	count(q.received, 60);
	test_fixture_tick(2000);
	test_fixture_end(p.received, 2500);
	test_fixture_end(q.received, 2500);
	test_finish(test, &test_out);
	ck_assert_uint_eq(count_rows(RECORD_INTERVAL, ROW_TCP_SEND, 1), 1);
	ck_assert_uint_eq(count_rows(RECORD_INTERVAL, ROW_TCP_RECV, 1), 2);
	ck_assert_uint_eq(count_rows(RECORD_INTERVAL, ROW_TCP_SEND, -1), 1);
	check_row(RECORD_INTERVAL, ROW_TCP_SEND, -1, 0, 400, 4);
	check_row(RECORD_TOTAL, ROW_TCP_SEND, -1, 0, 400, 4);
	check_row(RECORD_TOTAL, ROW_TCP_RECV, -1, 0, 2500, 116);
	check_row(RECORD_TOTAL, ROW_TCP_BOTH, -1, 0, 2500, 120);
	check_sums(2);
}
END_TEST

/* 0: nothing asked for, 1: -e, 2: --sum-only. */
START_TEST(test_rows_sum_of_one)
{
	static const size_t sums[] = {0, 1, 3};
	struct pair p = start_pair(1, 0, 0);

	test_options.enhanced = _i == 1;
	test_options.sum_only = _i == 2;
	count(p.sent, 1);
	test_fixture_end(p.sent, 500);
	test_fixture_end(p.received, 500);
	test_finish(test, &test_out);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, -1), sums[_i]);
}
END_TEST

/* A test of one direction has the one sum it always had, without a mark. */
START_TEST(test_rows_one_way)
{
	enum row_kind kind = _i == 0 ? ROW_TCP_SEND : ROW_TCP_RECV;
	struct flow *a = test_fixture_start(1, kind, 0),
		    *b = test_fixture_start(2, kind, 0);

	test_options.enhanced = true;
	a->connection.reverse = true;
	b->connection.reverse = true;
	test_fixture_end(a, 500);
	test_fixture_end(b, 500);
	test_finish(test, &test_out);
	ck_assert_uint_eq(recorder_rows(RECORD_TOTAL, -1), 1);
	ck_assert(!recorder_row(RECORD_TOTAL, -1, 0)->two_way);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, -1, 0)->kind, kind);
}
END_TEST

/* Whose rows have a star. */
static const struct {
	bool is_server;
	bool reverse;
	bool full_duplex;
	bool is_back;
	enum row_kind kind;
	bool star;
} stars[] = {
    {false, false, false, false, ROW_TCP_SEND, false},
    {true, false, false, false, ROW_TCP_RECV, false},
    {false, true, false, false, ROW_TCP_RECV, true},
    {true, true, false, false, ROW_TCP_SEND, false},
    {false, false, true, false, ROW_TCP_SEND, false},
    {false, false, true, false, ROW_TCP_RECV, true},
    {true, false, true, false, ROW_TCP_RECV, false},
    {true, false, true, false, ROW_TCP_SEND, true},
    {false, true, false, true, ROW_TCP_SEND, true},
};

START_TEST(test_rows_star)
{
	struct flow *f = test_fixture_start(1, stars[_i].kind, 0);

	f->connection.is_server = stars[_i].is_server;
	f->connection.reverse = stars[_i].reverse;
	f->connection.full_duplex = stars[_i].full_duplex;
	f->connection.is_back = stars[_i].is_back;
	test_fixture_end(f, 500);
	test_finish(test, &test_out);
	ck_assert_int_eq(recorder_row(RECORD_TOTAL, 1, 0)->reversed,
	    stars[_i].star);
}
END_TEST

/* Whatever happens when, every byte is in one row of each level. */
START_TEST(test_rows_random)
{
	unsigned short seed[3] = {(unsigned short)_i, 7, 9};
	struct flow *flows[8];
	struct pair p;
	int64_t ms;
	int i, n = 8;

	test->plan.duration_ns = (nrand48(seed) % 5000 + 1) * NS_PER_MS;
	for (i = 0; i < 4; i++) {
		p = start_pair(i + 1, nrand48(seed) % 20, nrand48(seed) % 20);
		flows[2 * i] = p.sent;
		flows[2 * i + 1] = p.received;
	}
	for (ms = 20; n > 0; ms += nrand48(seed) % 90 + 1) {
		i = (int)(nrand48(seed) % 8);
		if (!flows[i]->ended) {
			count(flows[i], (uint64_t)nrand48(seed));
			if (nrand48(seed) % 9 == 0) {
				test_fixture_end(flows[i], ms);
				n--;
			}
		}
		if (n > 0 && AT(ms) >= test_deadline_ns(test))
			test_fixture_tick(ms);
	}
	test_finish(test, &test_out);
	check_sums(4);
}
END_TEST

/*
 * Which ends of a sum have no port of their own: that which connected, and one
 * where two streams use several.
 */
static const struct {
	bool is_server;
	enum row_kind kind;
	in_port_t local[2];
	in_port_t peer[2];
	bool source;
	bool destination;
} ports[] = {
    {false, ROW_TCP_SEND, {40001, 40002}, {5001, 5001}, true, false},
    {true, ROW_TCP_RECV, {5001, 5001}, {40001, 40002}, true, false},
    /* -R */
    {false, ROW_TCP_RECV, {40001, 40002}, {5001, 5001}, false, true},
    {true, ROW_TCP_SEND, {5001, 5001}, {40001, 40002}, false, true},
    /* connections back */
    {true, ROW_UDP_RECV, {5001, 5001}, {40001, 40002}, true, false},
    {false, ROW_TCP_SEND, {40001, 40002}, {5001, 5001}, true, false},
    /* a range of ports */
    {false, ROW_TCP_SEND, {40001, 40002}, {5001, 5002}, true, true},
    {true, ROW_TCP_RECV, {5001, 5002}, {40001, 40002}, true, true},
    {false, ROW_TCP_RECV, {40001, 40002}, {5001, 5002}, true, true},
    /* one port of the client, to two servers */
    {false, ROW_TCP_SEND, {40001, 40001}, {5001, 5001}, true, false},
};

static struct sockaddr_storage
at_port(in_port_t port)
{
	struct sockaddr_storage ss = {.ss_family = AF_INET};

	((struct sockaddr_in *)&ss)->sin_port = htons(port);
	return ss;
}

START_TEST(test_rows_ports)
{
	const struct row_fact *row;
	int i;

	for (i = 0; i < 2; i++) {
		struct flow *f = test_fixture_start(i + 1, ports[_i].kind, 0);

		f->connection.is_server = ports[_i].is_server;
		f->connection.local = at_port(ports[_i].local[i]);
		f->connection.peer = at_port(ports[_i].peer[i]);
		test_fixture_end(f, 500);
	}
	test_finish(test, &test_out);
	row = recorder_row(RECORD_TOTAL, -1, 0);
	ck_assert_int_eq(row->source_varies, ports[_i].source);
	ck_assert_int_eq(row->destination_varies, ports[_i].destination);
}
END_TEST

static Suite *
test_rows_suite(void)
{
	Suite *s = suite_create("test_rows");
	TCase *tc = tcase_create("both directions");

	tcase_add_checked_fixture(tc, test_fixture_set_up,
	    test_fixture_tear_down);
	tcase_add_test(tc, test_rows_pair);
	tcase_add_test(tc, test_rows_pairs);
	tcase_add_test(tc, test_rows_dual);
	tcase_add_test(tc, test_rows_one_ends_early);
	tcase_add_loop_test(tc, test_rows_sum_of_one, 0, 3);
	tcase_add_loop_test(tc, test_rows_one_way, 0, 2);
	tcase_add_loop_test(tc, test_rows_ports, 0,
	    (int)(sizeof(ports) / sizeof(ports[0])));
	tcase_add_loop_test(tc, test_rows_star, 0,
	    (int)(sizeof(stars) / sizeof(stars[0])));
	tcase_add_loop_test(tc, test_rows_random, 0, 40);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(test_rows_suite());
}
