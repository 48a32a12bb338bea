/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "role/penalty.h"
#include "run_suite.h"
#include "udp_path_fixture.h"

/* How clients of iperf 2 prove with -R that they are there: by silence. */

#define PAUSE_NS (60 * NS_PER_MS)
#define IN_FLIGHT_NS (100 * NS_PER_MS)

/* Requests pay; the queue of the listener has older ones. */
START_TEST(test_udp_path_requests)
{
	uint8_t buf[80];
	struct datagram_in in = {.data = buf, .bytes = 1470};

	path_begin_reverse(PATH_THEIRS);
	in.stored = path_make_request(buf, sizeof(buf));
	ck_assert(udp_peers_hand(&path_server->peers, &path_peer->address,
	    &path_peer->local, &in));
	ck_assert(udp_peers_hand(&path_server->peers, &path_peer->address,
	    &path_peer->local, &in));
	ck_assert_int_eq(send(path_there, buf, sizeof(buf), 0), sizeof(buf));
	path.probe_ns = INT64_MAX;
	path_set_heard_late();
	ck_assert_int_eq(path_allowed(0, 64), 7);
	ck_assert_uint_eq(path.request_bytes, 2 * 1470 + sizeof(buf));
	ck_assert_int_eq(path.sent_stamp_ns, 1000 * NS_PER_S + 5 * NS_PER_US);
	ck_assert_int_eq(path.stage, UDP_PATH_WAIT);
}
END_TEST

/* The first datagram leaves after a random time, with a request, if paid. */
START_TEST(test_udp_path_due)
{
	path_begin_reverse(PATH_THEIRS);
	path.probe_ns = INT64_MAX;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_WAIT);
	path.probe_ns = path.heard_ns;
	path.length = 3 * PATH_LENGTH;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_WAIT);
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_DUE);
	path_set_heard_late();
	path.probe_ns += PATH_HOUR_NS;
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_READY);
	ck_assert(!udp_path_is_proven(&path));
	ck_assert_int_eq(path_allowed(0, 1), 1);
	ck_assert_int_eq(path.stage, UDP_PATH_PROBE);
	ck_assert_int_le(path.probe_ns, clock_now_ns());
}
END_TEST

/* Requests pause for no longer than this, up to the first datagram. */
START_TEST(test_udp_path_pause)
{
	path_begin_reverse(PATH_THEIRS);
	path.probe_ns = INT64_MAX;
	path.looked_ns = path.heard_ns + PAUSE_NS;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_WAIT);
	path.looked_ns = path.heard_ns + PAUSE_NS + 1;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_FAILED);
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_str_eq(path.gate.why(path.gate.arg),
	    "the client goes on asking, so it sees nothing of it");
	/* Nothing makes up for it. */
	path.heard_ns = path.probe_ns = 0;
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert(!udp_path_is_proven(&path));
}
END_TEST

/* The same, where a look finds nothing. */
START_TEST(test_udp_path_silence_too_early)
{
	path_begin_reverse(PATH_THEIRS);
	path.probe_ns = INT64_MAX;
	path.stage = _i == 0 ? UDP_PATH_WAIT : UDP_PATH_DUE;
	path.heard_ns = clock_now_ns() - PAUSE_NS - 1;
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_int_eq(path.stage, UDP_PATH_FAILED);
}
END_TEST

/* A first datagram that could not leave for long proves nothing. */
START_TEST(test_udp_path_due_too_late)
{
	path_begin_reverse(PATH_THEIRS);
	path.stage = UDP_PATH_DUE;
	path_set_heard_late();
	path.probe_ns = clock_now_ns() - NS_PER_S;
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_int_eq(path.stage, UDP_PATH_FAILED);
}
END_TEST

/* Silence after the first datagram, and since the latest request. */
START_TEST(test_udp_path_silence)
{
	int64_t long_ago_ns = clock_now_ns() - NS_PER_S;

	path_begin_reverse(PATH_THEIRS);
	path.stage = UDP_PATH_PROBE;
	path.probe_ns = clock_now_ns() + PATH_HOUR_NS;
	path.heard_ns = long_ago_ns;
	ck_assert_int_eq(path_allowed(0, 1), 0);
	path.probe_ns = long_ago_ns;
	path_set_heard_late();
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert(!udp_path_is_proven(&path));
	path.heard_ns = long_ago_ns;
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert(udp_path_is_proven(&path));
	ck_assert_int_eq(path_allowed(0, 64), 64);
}
END_TEST

/* Requests that were under way do no harm, later ones are a failure. */
START_TEST(test_udp_path_goes_on)
{
	path_begin_reverse(PATH_THEIRS);
	path.stage = UDP_PATH_PROBE;
	path.looked_ns = path.heard_ns;
	path.probe_ns = path.looked_ns - IN_FLIGHT_NS;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_PROBE);
	path.looked_ns = path.heard_ns;
	path.probe_ns = path.looked_ns - IN_FLIGHT_NS - 1;
	path_take_request(PATH_LENGTH);
	ck_assert_int_eq(path.stage, UDP_PATH_FAILED);
}
END_TEST

/* A client that answers challenges is not judged by its silence. */
START_TEST(test_udp_path_silence_of_ours)
{
	path_begin_reverse(PATH_OURS);
	path.heard_ns = clock_now_ns() - NS_PER_S;
	path.stage = UDP_PATH_PROBE;
	path.probe_ns = path.heard_ns;
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert(!udp_path_is_proven(&path));
	path.stage = UDP_PATH_WAIT;
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert_int_eq(path.stage, UDP_PATH_WAIT);
}
END_TEST

/* Two failures bar the address, for paths that did nothing wrong, too. */
START_TEST(test_udp_path_barred)
{
	int i;

	for (i = 0; i < PENALTY_FAILURES; i++) {
		path_begin_reverse(PATH_THEIRS);
		path_set_heard_late();
		ck_assert_int_eq(path_allowed(0, 1), 0);
		path.stage = UDP_PATH_DUE;
		path.probe_ns = 0;
		/* A failure counts once, whatever follows. */
		ck_assert_int_eq(path_allowed(0, 1), -1);
		path.looked_ns = path.heard_ns + PATH_HOUR_NS;
		path_take_request(PATH_LENGTH);
		ck_assert_int_eq(path_allowed(0, 1), -1);
	}
	path_begin_reverse(PATH_THEIRS);
	path_set_heard_late();
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_UNPROVEN);
	/* It does not concern who can answer. */
	path_begin_reverse(PATH_OURS);
	path_set_heard_late();
	ck_assert_int_eq(path_allowed(0, 1), 0);
}
END_TEST

static Suite *
udp_path_silence_suite(void)
{
	Suite *s = suite_create("udp_path_silence");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, path_set_up, path_tear_down);
	tcase_add_test(tc, test_udp_path_requests);
	tcase_add_test(tc, test_udp_path_due);
	tcase_add_test(tc, test_udp_path_pause);
	tcase_add_loop_test(tc, test_udp_path_silence_too_early, 0, 2);
	tcase_add_test(tc, test_udp_path_due_too_late);
	tcase_add_test(tc, test_udp_path_silence);
	tcase_add_test(tc, test_udp_path_goes_on);
	tcase_add_test(tc, test_udp_path_silence_of_ours);
	tcase_add_test(tc, test_udp_path_barred);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_path_silence_suite());
}
