/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pair.h"

#define LEFT_MAX 64

int pair[2];

void
pair_open(void)
{
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

void
pair_close(void)
{
	close(pair[0]);
	close(pair[1]);
}

void
pair_send(const void *bytes, size_t len)
{
	ck_assert_int_eq(send(pair[1], bytes, len, 0), (ssize_t)len);
}

void
pair_check_left(const char *text)
{
	char left[LEFT_MAX] = "";
	size_t len = strlen(text);

	ck_assert_uint_lt(len, sizeof(left));
	ck_assert_int_eq(recv(pair[0], left, len, MSG_DONTWAIT), (ssize_t)len);
	ck_assert_str_eq(left, text);
}
