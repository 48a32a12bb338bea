/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/io.h"
#include "pair.h"
#include "run_suite.h"

#define SOON_NS (20 * NS_PER_MS)
#define LARGE_BYTES (4 << 20)

static void
send_text(const char *text)
{
	pair_send(text, strlen(text));
}

START_TEST(test_io_read_full_all)
{
	char buf[16];
	size_t got;

	send_text("abcdef");
	ck_assert_int_eq(io_read_full(pair[0], buf, 4, INT64_MAX, &got), 4);
	ck_assert_uint_eq(got, 4);
	ck_assert_mem_eq(buf, "abcd", 4);
	ck_assert_int_eq(io_read_full(pair[0], buf, 2, INT64_MAX, NULL), 2);
	ck_assert_mem_eq(buf, "ef", 2);
	ck_assert_int_eq(io_read_full(pair[0], buf, 0, INT64_MAX, &got), 0);
}
END_TEST

/* Sends "ab", and "cd" a little later. */
static void *
send_in_parts(void *arg)
{
	(void)arg;
	if (write(pair[1], "ab", 2) != 2)
		return NULL;
	clock_sleep_until(clock_now_ns() + SOON_NS);
	return write(pair[1], "cd", 2) == 2 ? &pair : NULL;
}

START_TEST(test_io_read_full_parts)
{
	pthread_t thread;
	char buf[4];
	void *sent;

	ck_assert_int_eq(pthread_create(&thread, NULL, send_in_parts, NULL), 0);
	ck_assert_int_eq(io_read_full(pair[0], buf, 4, INT64_MAX, NULL), 4);
	ck_assert_mem_eq(buf, "abcd", 4);
	pthread_join(thread, &sent);
	ck_assert_ptr_nonnull(sent);
}
END_TEST

START_TEST(test_io_read_full_end)
{
	char buf[8];
	size_t got;

	send_text("abc");
	shutdown(pair[1], SHUT_WR);
	ck_assert_int_eq(io_read_full(pair[0], buf, 8, INT64_MAX, &got), 3);
	ck_assert_uint_eq(got, 3);
	ck_assert_int_eq(io_read_full(pair[0], buf, 8, INT64_MAX, NULL), 0);
}
END_TEST

START_TEST(test_io_read_full_deadline)
{
	int64_t deadline_ns = clock_now_ns() + SOON_NS;
	char buf[8];
	size_t got;

	send_text("abc");
	ck_assert_int_eq(io_read_full(pair[0], buf, 8, deadline_ns, &got), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_uint_eq(got, 3);
	ck_assert_mem_eq(buf, "abc", 3);
	/* To a millisecond, which is what waiting is counted in. */
	ck_assert_int_ge(clock_now_ns(), deadline_ns - NS_PER_MS);
}
END_TEST

/* What is there already can be had after the deadline, too. */
START_TEST(test_io_read_full_late)
{
	char buf[3];

	send_text("abc");
	ck_assert_int_eq(io_read_full(pair[0], buf, 3, 1, NULL), 3);
	ck_assert_int_eq(io_read_full(pair[0], buf, 3, 1, NULL), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
}
END_TEST

/* A peer that closes with data unread resets. */
START_TEST(test_io_read_full_reset)
{
	char buf[8];
	size_t got;

	send_text("abc");
	ck_assert_int_eq(io_write_full(pair[0], "x", 1, INT64_MAX), 0);
	close(pair[1]);
	pair[1] = -1;
	ck_assert_int_eq(io_read_full(pair[0], buf, 8, INT64_MAX, &got), -1);
	ck_assert_int_eq(errno, ECONNRESET);
	ck_assert_uint_le(got, 3);
}
END_TEST

struct drain {
	size_t got;
	int bad; /* bytes other than those sent */
};

static void *
drain_slowly(void *arg)
{
	struct drain *d = arg;
	char buf[65536];
	ssize_t n, i;

	while ((n = read(pair[1], buf, sizeof(buf))) > 0) {
		for (i = 0; i < n; i++)
			d->bad += buf[i] != (char)((d->got + (size_t)i) % 251);
		d->got += (size_t)n;
	}
	return NULL;
}

START_TEST(test_io_write_full_large)
{
	char *bytes = malloc(LARGE_BYTES);
	struct drain d = {.got = 0};
	pthread_t thread;
	size_t i;

	ck_assert_ptr_nonnull(bytes);
	for (i = 0; i < LARGE_BYTES; i++)
		bytes[i] = (char)(i % 251);
	ck_assert_int_eq(pthread_create(&thread, NULL, drain_slowly, &d), 0);
	ck_assert_int_eq(io_write_full(pair[0], bytes, LARGE_BYTES, INT64_MAX),
	    0);
	shutdown(pair[0], SHUT_WR);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(d.got, LARGE_BYTES);
	ck_assert_int_eq(d.bad, 0);
	free(bytes);
}
END_TEST

/* Nobody reads. */
START_TEST(test_io_write_full_deadline)
{
	char *bytes = calloc(1, LARGE_BYTES);

	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(io_write_full(pair[0], bytes, LARGE_BYTES,
			     clock_now_ns() + SOON_NS),
	    -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	free(bytes);
}
END_TEST

START_TEST(test_io_write_full_closed)
{
	close(pair[1]);
	pair[1] = -1;
	ck_assert_int_eq(io_write_full(pair[0], "x", 1, INT64_MAX), -1);
	ck_assert_int_eq(errno, EPIPE);
}
END_TEST

static Suite *
io_suite(void)
{
	Suite *s = suite_create("io");
	TCase *tc;

	tc = tcase_create("read");
	tcase_add_checked_fixture(tc, pair_open, pair_close);
	tcase_add_test(tc, test_io_read_full_all);
	tcase_add_test(tc, test_io_read_full_parts);
	tcase_add_test(tc, test_io_read_full_end);
	tcase_add_test(tc, test_io_read_full_deadline);
	tcase_add_test(tc, test_io_read_full_late);
	tcase_add_test(tc, test_io_read_full_reset);
	suite_add_tcase(s, tc);

	tc = tcase_create("write");
	tcase_add_checked_fixture(tc, pair_open, pair_close);
	tcase_add_test(tc, test_io_write_full_large);
	tcase_add_test(tc, test_io_write_full_deadline);
	tcase_add_test(tc, test_io_write_full_closed);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(io_suite());
}
