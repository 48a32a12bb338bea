/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "net_fixture.h"
#include "role/udp_peer.h"
#include "run_suite.h"

/* Enough for a thread to be run, and for nothing to be on time. */
#define SHORT_NS (20 * NS_PER_MS)
#define LONG_NS (5 * NS_PER_S)

/* No descriptor is used: all that counts is whether there is one. */
#define SOME_FD 1000000

static struct udp_peers peers;
static struct address ours;

static struct udp_peer *
add(const char *host, uint16_t port, int fd)
{
	struct udp_peer *p = xcalloc(1, sizeof(*p));

	p->address = net_fixture_address(host, port);
	p->local = ours;
	p->fd = fd;
	udp_peers_add(&peers, p);
	return p;
}

static bool
hand_text(const struct address *peer, const char *text)
{
	struct datagram_in in = {.bytes = strlen(text), .wall_ns = 1};
	char buf[64];

	/* The datagram is gone when somebody looks at its copy. */
	strlcpy(buf, text, sizeof(buf));
	in.data = (const uint8_t *)buf;
	in.stored = in.bytes;
	if (!udp_peers_hand(&peers, peer, &ours, &in))
		return false;
	memset(buf, 'x', sizeof(buf));
	return true;
}

/* The oldest datagram must have this text; NULL: there is none, for now. */
static void
expect(struct udp_peer *p, const char *text)
{
	struct udp_handed *h;
	uint64_t dropped;

	ck_assert(udp_peers_take(&peers, p, clock_now_ns(), &h, &dropped));
	ck_assert_uint_eq(dropped, 0);
	if (text == NULL) {
		ck_assert_ptr_null(h);
		return;
	}
	ck_assert_ptr_nonnull(h);
	ck_assert_uint_eq(h->in.stored, strlen(text));
	ck_assert_mem_eq(h->in.data, text, h->in.stored);
	free(h);
}

static void
expect_end(struct udp_peer *p)
{
	struct udp_handed *h;
	uint64_t dropped;

	ck_assert(
	    !udp_peers_take(&peers, p, clock_now_ns() + LONG_NS, &h, &dropped));
	ck_assert_ptr_null(h);
}

static void
set_up(void)
{
	udp_peers_init(&peers);
	ours = net_fixture_address("127.0.0.1", 5001);
}

static void
tear_down(void)
{
	ck_assert_int_eq(udp_peers_count(&peers), 0);
	ck_assert_int_eq(udp_peers_count_shared(&peers), 0);
	udp_peers_fini(&peers);
}

/* Who gets what a host sends to one of our addresses. */
static const struct {
	const char *host;
	uint16_t port;
	const char *to_host;
	uint16_t to_port;
	bool is_found;
} lookups[] = {
    {"192.0.2.1", 1000, "127.0.0.1", 5001, true},
    {"192.0.2.1", 1001, "127.0.0.1", 5001, false},
    {"192.0.2.1", 1000 + UDP_PEER_BUCKETS, "127.0.0.1", 5001, false},
    {"192.0.2.2", 1000, "127.0.0.1", 5001, false},
    {"192.0.2.1", 1000, "127.0.0.2", 5001, false},
    {"192.0.2.1", 1000, "127.0.0.1", 5002, false},
    {"2001:db8::1", 1000, "127.0.0.1", 5001, false},
};

START_TEST(test_udp_peers_hand_finds)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct address from, to;
	struct datagram_in in = {.data = (const uint8_t *)"", .wall_ns = 1};

	from = net_fixture_address(lookups[_i].host, lookups[_i].port);
	to = net_fixture_address(lookups[_i].to_host, lookups[_i].to_port);
	ck_assert_int_eq(udp_peers_hand(&peers, &from, &to, &in),
	    lookups[_i].is_found);
	expect(p, lookups[_i].is_found ? "" : NULL);
	udp_peers_remove(&peers, p);
	ck_assert(!udp_peers_hand(&peers, &from, &to, &in));
}
END_TEST

START_TEST(test_udp_peers_count_all_and_hosts)
{
	struct address one = net_fixture_address("192.0.2.1", 7);
	struct address two = net_fixture_address("192.0.2.2", 7);
	struct udp_peer *p[50];
	int i;

	/* Ports a bucket apart share one. */
	for (i = 0; i < 50; i++)
		p[i] = add(i < 30 ? "192.0.2.1" : "192.0.2.2",
		    (uint16_t)(i % 2 + i * UDP_PEER_BUCKETS),
		    i < 10 ? -1 : SOME_FD);
	ck_assert_int_eq(udp_peers_count(&peers), 50);
	ck_assert_int_eq(udp_peers_count_shared(&peers), 10);
	ck_assert_int_eq(udp_peers_count_host(&peers, &one), 30);
	ck_assert_int_eq(udp_peers_count_host(&peers, &two), 20);
	for (i = 0; i < 50; i += 2)
		udp_peers_remove(&peers, p[i]);
	ck_assert_int_eq(udp_peers_count(&peers), 25);
	ck_assert_int_eq(udp_peers_count_shared(&peers), 5);
	ck_assert_int_eq(udp_peers_count_host(&peers, &one), 15);
	for (i = 1; i < 50; i += 2) {
		ck_assert(hand_text(&p[i]->address, "still there"));
		udp_peers_remove(&peers, p[i]);
	}
}
END_TEST

/* Two of a host that may have three, one that lingers. */
START_TEST(test_udp_peers_room)
{
	struct address one = net_fixture_address("192.0.2.1", 7);
	struct address two = net_fixture_address("192.0.2.2", 7);
	struct udp_peer *p[UDP_PEERS_LINGERING + 3];
	int i, n = 0;

	p[n++] = add("192.0.2.1", 1, SOME_FD);
	p[n++] = add("192.0.2.1", 2, SOME_FD);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 3, 3), UDP_ROOM);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 2, 3), UDP_ROOM_NO_FLOW);
	ck_assert_int_eq(udp_peers_room(&peers, &two, 2, 3), UDP_ROOM_NO_FLOW);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 3, 2), UDP_ROOM_NO_HOST);
	ck_assert_int_eq(udp_peers_room(&peers, &two, 3, 2), UDP_ROOM);
	udp_peers_set_lingering(&peers, p[0], true);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 2, 2), UDP_ROOM);
	udp_peers_set_lingering(&peers, p[0], false);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 2, 2), UDP_ROOM_NO_FLOW);
	for (i = 0; i < 2; i++)
		udp_peers_set_lingering(&peers, p[i], true);
	/* But they are bounded, too. */
	for (; n < UDP_PEERS_LINGERING + 2; n++) {
		ck_assert_int_eq(udp_peers_room(&peers, &one, 2, 9), UDP_ROOM);
		p[n] = add("192.0.2.1", (uint16_t)(n + 1), SOME_FD);
		udp_peers_set_lingering(&peers, p[n], true);
	}
	ck_assert_int_eq(udp_peers_room(&peers, &one, 2, 9), UDP_ROOM_NO_FLOW);
	ck_assert_int_eq(udp_peers_room(&peers, &one, 9, 2), UDP_ROOM_NO_HOST);
	ck_assert_int_eq(udp_peers_room(&peers, &two, 9, 2), UDP_ROOM);
	while (n > 0)
		udp_peers_remove(&peers, p[--n]);
}
END_TEST

/* What comes after a flow that ended with id 9, sent at 1000. */
static const struct {
	const char *host;
	uint16_t port;
	int64_t id;
	int64_t sent_ns;
	bool is_leftover;
	int64_t resume_id;
} leftovers[] = {
    {"192.0.2.1", 1000, 5, 999, true, 10},
    {"192.0.2.1", 1000, 1, 999, true, 10},
    {"192.0.2.1", 1000, 5, 1000, true, 10},
    {"192.0.2.1", 1000, 1, 1000, false, 10},
    {"192.0.2.1", 1000, 0, 1000, false, 10},
    {"192.0.2.1", 1000, 12, 1001, false, 10},
    {"192.0.2.1", 1000 + UDP_PEERS_ENDED, 5, 999, false, 0},
    {"192.0.2.2", 1000, 5, 999, false, 0},
};

START_TEST(test_udp_peers_is_leftover)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct address from;
	int64_t resume_id;

	from = net_fixture_address(leftovers[_i].host, leftovers[_i].port);
	p->ended_sent_ns = 1000;
	p->resume_id = 10;
	udp_peers_remove(&peers, p);
	ck_assert_int_eq(udp_peers_is_leftover(&peers, &from, leftovers[_i].id,
			     leftovers[_i].sent_ns, &resume_id),
	    leftovers[_i].is_leftover);
	ck_assert_int_eq(resume_id, leftovers[_i].resume_id);
}
END_TEST

/* Nothing of a peer without a flow is left over. */
START_TEST(test_udp_peers_is_leftover_none)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct address from = p->address;
	int64_t resume_id;

	ck_assert(!udp_peers_is_leftover(&peers, &from, 5, 0, &resume_id));
	udp_peers_remove(&peers, p);
	ck_assert(!udp_peers_is_leftover(&peers, &from, 5, 0, &resume_id));
}
END_TEST

/* Losses in the listener's queue are a peer's if only one has to do with it. */
START_TEST(test_udp_peers_note_drops)
{
	struct udp_peer *one = add("192.0.2.1", 1000, SOME_FD);
	struct udp_peer *two;

	ck_assert(udp_peers_note_drops(&peers, 5));
	ck_assert(udp_peers_note_drops(&peers, 2));
	ck_assert_uint_eq(udp_peers_take_drops(&peers, one), 7);
	ck_assert_uint_eq(udp_peers_take_drops(&peers, one), 0);
	two = add("192.0.2.1", 1001, -1);
	ck_assert_int_eq(udp_peers_count_waiting(&peers), 2);
	ck_assert(!udp_peers_note_drops(&peers, 5));
	udp_peers_hand_over(&peers);
	udp_peers_hand_over(&peers);
	ck_assert_int_eq(udp_peers_count_waiting(&peers), 1);
	ck_assert(udp_peers_note_drops(&peers, 3));
	ck_assert_uint_eq(udp_peers_take_drops(&peers, one), 0);
	ck_assert_uint_eq(udp_peers_take_drops(&peers, two), 3);
	udp_peers_remove(&peers, two);
	ck_assert(!udp_peers_note_drops(&peers, 5));
	udp_peers_remove(&peers, one);
}
END_TEST

START_TEST(test_udp_peers_put_back)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct udp_handed *h;
	uint64_t dropped;
	int i;

	ck_assert(hand_text(&p->address, "one"));
	for (i = 0; i < 2; i++) {
		udp_peers_take(&peers, p, 0, &h, &dropped);
		udp_peers_put_back(&peers, p, h);
		ck_assert(hand_text(&p->address, i == 0 ? "two" : "three"));
	}
	expect(p, "one");
	expect(p, "two");
	expect(p, "three");
	expect(p, NULL);
	udp_peers_remove(&peers, p);
}
END_TEST

START_TEST(test_udp_peers_take_in_order)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct udp_peer *other = add("192.0.2.1", 2000, SOME_FD);

	expect(p, NULL);
	ck_assert(hand_text(&p->address, "one"));
	ck_assert(hand_text(&other->address, "other"));
	ck_assert(hand_text(&p->address, "two"));
	expect(p, "one");
	ck_assert(hand_text(&p->address, "three"));
	expect(p, "two");
	expect(p, "three");
	expect(p, NULL);
	expect(other, "other");
	udp_peers_remove(&peers, p);
	/* With a queue: a leak would be noticed. */
	ck_assert(hand_text(&other->address, "left"));
	udp_peers_remove(&peers, other);
}
END_TEST

START_TEST(test_udp_peers_hand_is_bounded)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct udp_handed *h;
	uint64_t dropped;
	int i;

	for (i = 0; i < UDP_PEER_QUEUE_MAX + 5; i++)
		ck_assert(hand_text(&p->address, "x"));
	ck_assert_uint_eq(p->queued, UDP_PEER_QUEUE_MAX);
	ck_assert(udp_peers_take(&peers, p, 0, &h, &dropped));
	ck_assert_uint_eq(dropped, 5);
	free(h);
	ck_assert(hand_text(&p->address, "fits again"));
	ck_assert(udp_peers_take(&peers, p, 0, &h, &dropped));
	ck_assert_uint_eq(dropped, 0);
	free(h);
	udp_peers_remove(&peers, p);
}
END_TEST

START_TEST(test_udp_peers_take_waits)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	int64_t before_ns = clock_now_ns();
	struct udp_handed *h;
	uint64_t dropped;

	ck_assert(
	    udp_peers_take(&peers, p, before_ns + SHORT_NS, &h, &dropped));
	ck_assert_ptr_null(h);
	ck_assert_int_ge(clock_now_ns() - before_ns, SHORT_NS);
	udp_peers_remove(&peers, p);
}
END_TEST

/* Only the second look at all sockets is known to be one after connect(). */
START_TEST(test_udp_peers_hand_over_second_call)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct udp_peer *later;

	ck_assert(hand_text(&p->address, "one"));
	udp_peers_hand_over(&peers);
	expect(p, "one");
	expect(p, NULL);
	later = add("192.0.2.1", 1001, SOME_FD);
	ck_assert(hand_text(&p->address, "two"));
	udp_peers_hand_over(&peers);
	expect(p, "two");
	expect_end(p);
	expect(later, NULL);
	udp_peers_hand_over(&peers);
	expect_end(later);
	udp_peers_remove(&peers, p);
	udp_peers_remove(&peers, later);
}
END_TEST

START_TEST(test_udp_peers_hand_over_stragglers)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);

	udp_peers_hand_over(&peers);
	udp_peers_hand_over(&peers);
	expect_end(p);
	ck_assert(hand_text(&p->address, "late"));
	ck_assert_uint_eq(p->queued, 1);
	expect(p, "late");
	expect_end(p);
	udp_peers_remove(&peers, p);
}
END_TEST

START_TEST(test_udp_peers_hand_over_not_shared)
{
	struct udp_peer *p = add("192.0.2.1", 1000, -1);

	udp_peers_hand_over(&peers);
	udp_peers_hand_over(&peers);
	expect(p, NULL);
	udp_peers_remove(&peers, p);
}
END_TEST

/* A worker that waits for its peer, and what it got. */
struct waiter {
	struct udp_peer *peer;
	struct udp_handed *handed;
	bool more;
	pthread_t thread;
};

static void *
wait_main(void *arg)
{
	struct waiter *w = arg;
	uint64_t dropped;

	w->more = udp_peers_take(&peers, w->peer, clock_now_ns() + LONG_NS,
	    &w->handed, &dropped);
	return NULL;
}

static void
start_waiter(struct waiter *w, struct udp_peer *p)
{
	w->peer = p;
	ck_assert_int_eq(pthread_create(&w->thread, NULL, wait_main, w), 0);
	clock_sleep_until(clock_now_ns() + SHORT_NS);
}

START_TEST(test_udp_peers_take_is_woken)
{
	struct udp_peer *p = add("192.0.2.1", 1000, SOME_FD);
	struct udp_peer *other = add("192.0.2.1", 1001, SOME_FD);
	int64_t before_ns = clock_now_ns();
	struct waiter gets, ends;

	start_waiter(&gets, p);
	start_waiter(&ends, other);
	ck_assert(hand_text(&p->address, "wake up"));
	pthread_join(gets.thread, NULL);
	ck_assert(gets.more);
	ck_assert_ptr_nonnull(gets.handed);
	free(gets.handed);
	udp_peers_hand_over(&peers);
	udp_peers_hand_over(&peers);
	pthread_join(ends.thread, NULL);
	ck_assert(!ends.more);
	ck_assert_int_lt(clock_now_ns() - before_ns, LONG_NS);
	udp_peers_remove(&peers, p);
	udp_peers_remove(&peers, other);
}
END_TEST

static atomic_bool stop;

/* A listener for which peers come and go. */
static void *
hand_main(void *arg)
{
	const struct address *peer = arg;
	struct datagram_in in = {.data = (const uint8_t *)"data",
	    .bytes = 4,
	    .stored = 4};
	unsigned handed = 0;

	while (!atomic_load(&stop)) {
		handed += udp_peers_hand(&peers, peer, &ours, &in);
		udp_peers_hand_over(&peers);
	}
	return handed > 0 ? arg : NULL;
}

START_TEST(test_udp_peers_remove_while_handing)
{
	struct address peer = net_fixture_address("192.0.2.1", 1000);
	struct udp_handed *h;
	struct udp_peer *p;
	uint64_t dropped;
	pthread_t thread;
	void *found;
	int i;

	atomic_init(&stop, false);
	ck_assert_int_eq(pthread_create(&thread, NULL, hand_main, &peer), 0);
	for (i = 0; i < 500; i++) {
		p = add("192.0.2.1", 1000, SOME_FD);
		udp_peers_take(&peers, p, clock_now_ns() + LONG_NS, &h,
		    &dropped);
		free(h);
		udp_peers_remove(&peers, p);
	}
	atomic_store(&stop, true);
	pthread_join(thread, &found);
	ck_assert_ptr_nonnull(found);
}
END_TEST

static Suite *
udp_peer_suite(void)
{
	Suite *s = suite_create("udp_peer");
	TCase *tc;

	tc = tcase_create("table");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_udp_peers_hand_finds, 0,
	    (int)(sizeof(lookups) / sizeof(lookups[0])));
	tcase_add_test(tc, test_udp_peers_count_all_and_hosts);
	tcase_add_test(tc, test_udp_peers_room);
	tcase_add_loop_test(tc, test_udp_peers_is_leftover, 0,
	    (int)(sizeof(leftovers) / sizeof(leftovers[0])));
	tcase_add_test(tc, test_udp_peers_is_leftover_none);
	suite_add_tcase(s, tc);

	tc = tcase_create("queue");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_udp_peers_take_in_order);
	tcase_add_test(tc, test_udp_peers_put_back);
	tcase_add_test(tc, test_udp_peers_note_drops);
	tcase_add_test(tc, test_udp_peers_take_waits);
	tcase_add_test(tc, test_udp_peers_take_is_woken);
	tcase_add_test(tc, test_udp_peers_hand_is_bounded);
	suite_add_tcase(s, tc);

	tc = tcase_create("hand over");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_udp_peers_hand_over_second_call);
	tcase_add_test(tc, test_udp_peers_hand_over_stragglers);
	tcase_add_test(tc, test_udp_peers_hand_over_not_shared);
	tcase_add_test(tc, test_udp_peers_remove_while_handing);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_peer_suite());
}
