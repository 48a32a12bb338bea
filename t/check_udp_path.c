/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net_fixture.h"
#include "run_suite.h"
#include "udp_path_fixture.h"
#include "wire/aside.h"

/* What may be sent to a client, and what proves that it is there. */

#define REPORT 128
#define CHALLENGES (2 * ASIDE_BYTES) /* that data may not use */

static const char *
why(void)
{
	return path.gate.why(path.gate.arg);
}

START_TEST(test_udp_path_init)
{
	int64_t probe_ns, least_ns = INT64_MAX, most_ns = 0;
	uint64_t token;
	int i;

	path_begin(PATH_THEIRS, 0);
	ck_assert(!path.answers);
	ck_assert(!udp_path_is_proven(&path));
	path_begin(PATH_OURS, 0);
	ck_assert(path.answers);
	token = path.token;
	for (i = 0; i < 20; i++) {
		path_begin(PATH_OURS, 0);
		ck_assert(path.token != token);
		token = path.token;
		probe_ns = path.probe_ns - path.heard_ns;
		if (probe_ns < least_ns)
			least_ns = probe_ns;
		if (probe_ns > most_ns)
			most_ns = probe_ns;
	}
	/* When to begin: neither at once nor foreseen, nor late. */
	ck_assert_int_ge(least_ns, 60 * NS_PER_MS);
	ck_assert_int_lt(most_ns, NS_PER_S);
	ck_assert_int_gt(most_ns - least_ns, 100 * NS_PER_MS);
	ck_assert(!udp_path_is_proven(&path));
	path_options.trust_udp_sources = true;
	path_begin(PATH_THEIRS, 0);
	ck_assert(udp_path_is_proven(&path));
	ck_assert(path.gate.is_open(path.gate.arg));
	ck_assert_int_eq(path_allowed(UINT64_MAX / 2, 64), 64);
}
END_TEST

/* Data as long as the client's pays for it, whole datagrams only. */
START_TEST(test_udp_path_budget)
{
	path_begin(PATH_THEIRS, 0);
	ck_assert_int_eq(path_allowed(0, 5), 0);
	udp_path_credit(&path, 4 * PATH_LENGTH);
	ck_assert_int_eq(path_allowed(0, 3), 3);
	ck_assert_int_eq(path_allowed(0, 5), 4);
	ck_assert_int_eq(path_allowed(3 * PATH_LENGTH, 5), 1);
	ck_assert_int_eq(path_allowed(4 * PATH_LENGTH, 5), 0);
	udp_path_credit(&path, 5 * PATH_LENGTH - 1);
	ck_assert_int_eq(path_allowed(4 * PATH_LENGTH, 5), 0);
	udp_path_credit(&path, 5 * PATH_LENGTH);
	ck_assert_int_eq(path_allowed(4 * PATH_LENGTH, 5), 1);
	ck_assert(!path.gate.is_open(path.gate.arg));
	/* More than the counter has units. */
	udp_path_credit(&path, (UINT64_C(1) << 36) + 160);
	ck_assert_int_eq(path_allowed(0, 64), 64);
}
END_TEST

/* To the byte, where every request counts. */
START_TEST(test_udp_path_budget_of_requests)
{
	path_begin_reverse(PATH_THEIRS);
	path.probe_ns = INT64_MAX;
	path_take_request(PATH_LENGTH - 1);
	path_set_heard_late();
	ck_assert_int_eq(path_allowed(0, 1), 0);
	path_take_request(1);
	path_set_heard_late();
	ck_assert_int_eq(path_allowed(0, 2), 1);
}
END_TEST

/* The report is of what came, too. */
START_TEST(test_udp_path_report)
{
	path_begin(PATH_THEIRS, REPORT);
	udp_path_credit(&path, PATH_LENGTH);
	ck_assert_int_eq(path_allowed(0, 5), 0);
	udp_path_credit(&path, PATH_LENGTH + REPORT);
	ck_assert_int_eq(path_allowed(0, 5), 1);
	ck_assert_uint_eq(udp_path_report_credit(&path, 0), 0);
	ck_assert_uint_eq(udp_path_report_credit(&path, 100), 100);
	ck_assert_uint_eq(udp_path_report_credit(&path, 1000), REPORT);

	path_begin(PATH_OURS, REPORT);
	ck_assert_uint_eq(udp_path_report_credit(&path, CHALLENGES), 0);
	ck_assert_uint_eq(udp_path_report_credit(&path, CHALLENGES + 9), 9);
	ck_assert_uint_eq(udp_path_report_credit(&path, 1000), REPORT);
	ck_assert(udp_path_prove(&path, path.token));
	ck_assert_uint_eq(udp_path_report_credit(&path, 1000), 1000);
}
END_TEST

/* The first bytes of a client of ours are for challenges only. */
START_TEST(test_udp_path_challenge)
{
	uint64_t token = 0;

	path_begin(PATH_OURS, 0);
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert_int_eq(path_take_challenges(&token), 0);
	udp_path_credit(&path, CHALLENGES + PATH_LENGTH);
	ck_assert_int_eq(path_allowed(0, 5), 1);
	ck_assert_int_eq(path_take_challenges(&token), 1);
	ck_assert(token == path.token);
	ck_assert_uint_eq(path.spent_bytes, ASIDE_BYTES);
	/* One at a time, and no sooner than that. */
	path.challenge_ns = clock_now_ns() + PATH_HOUR_NS;
	ck_assert_int_eq(path_allowed(PATH_LENGTH, 5), 0);
	ck_assert_int_eq(path_take_challenges(&token), 0);
	path.challenge_ns = 0;
	ck_assert_int_eq(path_allowed(PATH_LENGTH, 5), 0);
	ck_assert_int_eq(path_take_challenges(&token), 1);
	/* What is spent is spent. */
	path.challenge_ns = 0;
	ck_assert_int_eq(path_allowed(PATH_LENGTH, 5), 0);
	ck_assert_int_eq(path_take_challenges(&token), 0);
}
END_TEST

START_TEST(test_udp_path_no_challenge)
{
	uint64_t token;

	path_begin(PATH_THEIRS, 0);
	udp_path_credit(&path, 100 * PATH_LENGTH);
	ck_assert_int_eq(path_allowed(0, 5), 5);
	ck_assert_int_eq(path_take_challenges(&token), 0);
}
END_TEST

/* A token proves the client, any other one nothing. */
START_TEST(test_udp_aside_value)
{
	path_begin(PATH_OURS, 0);
	ck_assert(!udp_path_prove(&path, path.token + 1));
	ck_assert(!udp_path_prove(&path, 0));
	ck_assert(!udp_path_is_proven(&path));
	ck_assert(udp_path_prove(&path, path.token));
	ck_assert(udp_path_is_proven(&path));
	ck_assert(path.gate.is_open(path.gate.arg));
	ck_assert_int_eq(path_allowed(UINT64_MAX / 2, 64), 64);
	/* Who was never asked cannot answer. */
	path_begin(PATH_THEIRS, 0);
	ck_assert(!udp_path_prove(&path, path.token));
	ck_assert(!udp_path_is_proven(&path));
}
END_TEST

/* What the sender itself reads, with -R and without. */
START_TEST(test_udp_aside_value_read)
{
	uint8_t buf[80];

	if (_i == 0)
		path_begin_reverse(PATH_OURS);
	else
		path_begin(PATH_OURS, 0);
	path.reads_fd = true;
	path_send_proof(path.token ^ 1);
	ck_assert_int_eq(path_allowed(0, 64), 0);
	ck_assert(!udp_path_is_proven(&path));
	ck_assert_int_eq(send(path_there, buf,
			     path_make_request(buf, sizeof(buf)), 0),
	    sizeof(buf));
	path_send_proof(path.token);
	ck_assert_int_eq(path_allowed(0, 64), 64);
	ck_assert(udp_path_is_proven(&path));
	/* Proofs pay for nothing, requests do. */
	ck_assert_uint_eq(path.request_bytes, _i == 0 ? sizeof(buf) : 0);
}
END_TEST

/* Before its end, a socket that somebody else reads is left alone. */
START_TEST(test_udp_path_reads_when_complete)
{
	path_begin(PATH_OURS, 0);
	path_send_proof(path.token);
	ck_assert_int_eq(path_allowed(0, 64), 0);
	atomic_store(&path.is_complete, true);
	ck_assert_int_eq(path_allowed(0, 64), 64);
}
END_TEST

/* The client has ended: what is not paid for is not sent. */
START_TEST(test_udp_path_complete)
{
	path_begin(PATH_THEIRS, 0);
	udp_path_credit(&path, 2 * PATH_LENGTH);
	atomic_store(&path.is_complete, true);
	ck_assert_int_eq(path_allowed(0, 3), 2);
	ck_assert_int_eq(path_allowed(2 * PATH_LENGTH, 3), -1);
	ck_assert_str_eq(why(),
	    "it is not proven that the client is there, and it sent too "
	    "little");

	/* A client of ours has a while to answer. */
	path_begin(PATH_OURS, 0);
	atomic_store(&path.is_complete, true);
	path.complete_ns = clock_now_ns() + PATH_HOUR_NS;
	ck_assert_int_eq(path_allowed(0, 3), 0);
	path.complete_ns = clock_now_ns() - 2 * NS_PER_S;
	ck_assert_int_eq(path_allowed(0, 3), -1);
}
END_TEST

START_TEST(test_udp_path_cancelled)
{
	path_begin(PATH_OURS, 0);
	udp_path_prove(&path, path.token);
	atomic_store(&path.cancelled, true);
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_ptr_null(why());
}
END_TEST

/* A closed port ends a test with -R, or of a client that is known. */
START_TEST(test_udp_path_refused)
{
	path_begin(PATH_OURS, 0);
	udp_path_refused(&path);
	ck_assert_int_eq(path_allowed(0, 1), 0);
	udp_path_prove(&path, path.token);
	udp_path_refused(&path);
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_str_eq(why(), "nobody is at the client's port any more");

	path_begin_reverse(PATH_OURS);
	path_take_request(PATH_LENGTH);
	close(path_there);
	path_there = -1;
	/* The challenge is what is refused. */
	ck_assert_int_eq(path_allowed(0, 1), 0);
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_GONE);
	ck_assert_int_eq(path_allowed(0, 1), -1);
	ck_assert_str_eq(why(), "nobody is at the client's port any more");
}
END_TEST

START_TEST(test_udp_path_await)
{
	uint64_t token;

	path_begin_reverse(PATH_OURS);
	path.heard_ns = 0;
	path_take_request(PATH_LENGTH);
	ck_assert_int_gt(path.heard_ns, 0);
	path.heard_ns = clock_now_ns() - 3 * NS_PER_S;
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_GONE);

	path_begin_reverse(PATH_OURS);
	path_take_request(PATH_LENGTH);
	path_set_heard_late();
	path_send_proof(path.token);
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_READY);
	ck_assert(udp_path_is_proven(&path));
	path_take_challenges(&token);

	path_begin_reverse(PATH_OURS);
	atomic_store(&path_server->stop, true);
	ck_assert_int_eq(udp_path_await(&path), UDP_PATH_STOPPED);
	udp_path_drain(&path);
}
END_TEST

/* The datagrams of the client are to be there when they are to pay. */
START_TEST(test_udp_path_lead)
{
	path_begin(PATH_THEIRS, 0);
	ck_assert_int_eq(udp_path_lead_ns(&path, 0), 5 * NS_PER_MS);
	ck_assert_int_eq(udp_path_lead_ns(&path, 1e6), 7 * NS_PER_MS);
	ck_assert_int_eq(udp_path_lead_ns(&path, 60e9), 100 * NS_PER_MS);
	path_begin(PATH_OURS, 0);
	ck_assert_int_eq(udp_path_lead_ns(&path, 1e6), 0);
	path_options.trust_udp_sources = true;
	path_begin(PATH_THEIRS, 0);
	ck_assert_int_eq(udp_path_lead_ns(&path, 1e6), 0);
}
END_TEST

START_TEST(test_udp_path_answer)
{
	uint8_t buf[100];
	uint64_t token = 0;
	ssize_t n;

	udp_path_answer(path_here, _i == 0 ? NULL : &path_peer->address.ss,
	    0x123456789);
	n = recv(path_there, buf, sizeof(buf), MSG_DONTWAIT);
	ck_assert_int_eq(n, ASIDE_BYTES);
	ck_assert_int_eq(aside_decode(buf, (size_t)n, &token), ASIDE_PROOF);
	ck_assert_uint_eq(token, 0x123456789);
}
END_TEST

/* However it goes: what leaves is never more than what came. */
START_TEST(test_udp_path_never_amplifies)
{
	unsigned short seed[3] = {0x1234, (unsigned short)_i, 0x4321};
	bool answers = _i % 2 == 0;
	uint64_t came = 0, sent = 0, challenges = 0, token;
	int i, n;

	path_begin(answers ? PATH_OURS : PATH_THEIRS, _i % 3 == 0 ? 0 : REPORT);
	for (i = 0; i < 2000; i++) {
		came += (uint64_t)(erand48(seed) * 300);
		if (erand48(seed) < 0.5)
			udp_path_credit(&path, came);
		if (erand48(seed) < 0.1)
			path.challenge_ns = 0;
		n = path_allowed(sent, 1 + (unsigned)(erand48(seed) * 3));
		ck_assert_int_ge(n, 0);
		sent += (uint64_t)n * PATH_LENGTH;
		challenges +=
		    (uint64_t)path_take_challenges(&token) * ASIDE_BYTES;
		ck_assert_uint_le(sent + challenges +
				      udp_path_report_credit(&path, came),
		    came);
	}
	/* Nor much less. */
	ck_assert_uint_gt(sent + challenges, came - came / 4);
	ck_assert(answers == (challenges > 0));
}
END_TEST

static Suite *
udp_path_suite(void)
{
	Suite *s = suite_create("udp_path");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, path_set_up, path_tear_down);
	tcase_add_test(tc, test_udp_path_init);
	tcase_add_test(tc, test_udp_path_budget);
	tcase_add_test(tc, test_udp_path_budget_of_requests);
	tcase_add_test(tc, test_udp_path_report);
	tcase_add_test(tc, test_udp_path_challenge);
	tcase_add_test(tc, test_udp_path_no_challenge);
	tcase_add_test(tc, test_udp_aside_value);
	tcase_add_loop_test(tc, test_udp_aside_value_read, 0, 2);
	tcase_add_test(tc, test_udp_path_reads_when_complete);
	tcase_add_test(tc, test_udp_path_complete);
	tcase_add_test(tc, test_udp_path_cancelled);
	tcase_add_test(tc, test_udp_path_refused);
	tcase_add_test(tc, test_udp_path_await);
	tcase_add_test(tc, test_udp_path_lead);
	tcase_add_loop_test(tc, test_udp_path_answer, 0, 2);
	tcase_add_loop_test(tc, test_udp_path_never_amplifies, 0, 6);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_path_suite());
}
