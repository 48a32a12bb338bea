/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run_suite.h"
#include "stream/payload.h"

static unsigned char *chunk;
static struct payload_iov iov;
static int pair[2];

static void
set_up(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	chunk = payload_new();
	payload_iov_init(&iov, chunk);
}

static void
tear_down(void)
{
	close(pair[0]);
	close(pair[1]);
	free(chunk);
}

/* True when the bytes are chunks of digits from 0 on. */
static int
is_pattern(const unsigned char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (bytes[i] != '0' + i % PAYLOAD_CHUNK % 10)
			return 0;
	}
	return 1;
}

START_TEST(test_payload_new_pattern)
{
	ck_assert(is_pattern(chunk, PAYLOAD_CHUNK));
}
END_TEST

/* Whole pages, aligned: anything else is slow. */
START_TEST(test_payload_new_layout)
{
	ck_assert_uint_eq(PAYLOAD_CHUNK % 4096, 0);
	ck_assert_uint_eq((uintptr_t)chunk % 4096, 0);
	ck_assert_uint_ge(PAYLOAD_CALL_MAX, 1 << 20);
}
END_TEST

static const size_t sizes[] = {
    1,
    10,
    4097,
    PAYLOAD_CHUNK - 1,
    PAYLOAD_CHUNK,
    PAYLOAD_CHUNK + 1,
    2 * PAYLOAD_CHUNK,
    3 * PAYLOAD_CHUNK + 17,
};

/* The iovecs are as before, for the next call. */
static void
check_restored(void)
{
	size_t i;

	for (i = 0; i < PAYLOAD_IOVS; i++) {
		ck_assert_ptr_eq(iov.iov[i].iov_base, chunk);
		ck_assert_uint_eq(iov.iov[i].iov_len, PAYLOAD_CHUNK);
	}
}

START_TEST(test_payload_write_bytes)
{
	unsigned char got[4 * PAYLOAD_CHUNK];
	size_t n = sizes[_i];

	ck_assert_int_eq(payload_write(pair[0], &iov, n), (ssize_t)n);
	check_restored();
	ck_assert_int_eq(recv(pair[1], got, n, MSG_WAITALL), (ssize_t)n);
	ck_assert(is_pattern(got, n));
	ck_assert_int_eq(recv(pair[1], got, 1, MSG_DONTWAIT), -1);
}
END_TEST

START_TEST(test_payload_read_bytes)
{
	size_t n = sizes[_i];

	ck_assert_int_eq(payload_write(pair[0], &iov, n), (ssize_t)n);
	ck_assert_int_eq(payload_write(pair[0], &iov, 5), 5);
	ck_assert_int_eq(payload_read(pair[1], &iov, n), (ssize_t)n);
	check_restored();
	ck_assert_int_eq(payload_read(pair[1], &iov, n), n < 5 ? (int)n : 5);
}
END_TEST

START_TEST(test_payload_read_end)
{
	shutdown(pair[0], SHUT_WR);
	ck_assert_int_eq(payload_read(pair[1], &iov, PAYLOAD_CALL_MAX), 0);
}
END_TEST

/* A file takes the largest call whole. */
START_TEST(test_payload_write_largest)
{
	FILE *file = tmpfile();
	unsigned char *got = malloc(PAYLOAD_CALL_MAX);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(got);
	ck_assert_int_eq(payload_write(fileno(file), &iov, PAYLOAD_CALL_MAX),
	    (ssize_t)PAYLOAD_CALL_MAX);
	rewind(file);
	ck_assert_uint_eq(fread(got, 1, PAYLOAD_CALL_MAX, file),
	    PAYLOAD_CALL_MAX);
	ck_assert(is_pattern(got, PAYLOAD_CALL_MAX));
	ck_assert_int_eq(lseek(fileno(file), 0, SEEK_SET), 0);
	ck_assert_int_eq(payload_read(fileno(file), &iov, PAYLOAD_CALL_MAX),
	    (ssize_t)PAYLOAD_CALL_MAX);
	free(got);
	fclose(file);
}
END_TEST

static Suite *
payload_suite(void)
{
	Suite *s = suite_create("payload");
	int n = (int)(sizeof(sizes) / sizeof(sizes[0]));
	TCase *tc;

	tc = tcase_create("chunk");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_payload_new_pattern);
	tcase_add_test(tc, test_payload_new_layout);
	suite_add_tcase(s, tc);

	tc = tcase_create("calls");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_payload_write_bytes, 0, n);
	tcase_add_loop_test(tc, test_payload_read_bytes, 0, n);
	tcase_add_test(tc, test_payload_read_end);
	tcase_add_test(tc, test_payload_write_largest);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(payload_suite());
}
