/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "run_suite.h"

static char seen[4096];
static int lines;

static void
keep(const char *line)
{
	strlcpy(seen, line, sizeof(seen));
	lines++;
}

static void
set_up(void)
{
	log_set_sink(keep);
}

static void
tear_down(void)
{
	log_set_sink(NULL);
}

START_TEST(test_log_warn_names_program)
{
	log_warn("bind %s port %d", "0.0.0.0", 5001);
	ck_assert_str_eq(seen, "iperf: bind 0.0.0.0 port 5001");
	ck_assert_int_eq(lines, 1);
}
END_TEST

START_TEST(test_log_line_as_it_is)
{
	log_line("[%3d] WARNING", 1);
	ck_assert_str_eq(seen, "[  1] WARNING");
	ck_assert_int_eq(lines, 1);
}
END_TEST

/* A text of any length is one line, cut where it must be. */
START_TEST(test_log_warn_long)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_warn("%s", text);
	ck_assert_int_eq(lines, 1);
	ck_assert_uint_gt(strlen(seen), 500);
	ck_assert_uint_lt(strlen(seen), sizeof(text));
	ck_assert_int_eq(strncmp(seen, "iperf: xxx", 10), 0);
}
END_TEST

/* Without a sink: stderr, with a newline, in one write. */
static void
check_stderr(const char *text, size_t least, size_t most)
{
	char buf[4096] = "";
	int pair[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	/* A datagram holds what one write wrote. */
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	log_set_sink(NULL);
	dup2(pair[0], STDERR_FILENO);
	log_line("%s", text);
	dup2(saved, STDERR_FILENO);
	n = recv(pair[1], buf, sizeof(buf) - 1, MSG_DONTWAIT);
	ck_assert_int_ge(n, (ssize_t)least);
	ck_assert_int_le(n, (ssize_t)most);
	ck_assert_int_eq(buf[n - 1], '\n');
	ck_assert_int_eq(strncmp(buf, text, (size_t)n - 1), 0);
	ck_assert_int_eq(recv(pair[1], buf, sizeof(buf), MSG_DONTWAIT), -1);
	ck_assert_int_eq(lines, 0);
	close(pair[0]);
	close(pair[1]);
	close(saved);
}

START_TEST(test_log_line_stderr)
{
	check_stderr("hello", 6, 6);
}
END_TEST

START_TEST(test_log_line_stderr_long)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check_stderr(text, 500, sizeof(text) - 1);
}
END_TEST

static Suite *
log_suite(void)
{
	Suite *s = suite_create("log");
	TCase *tc;

	tc = tcase_create("sink");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_log_warn_names_program);
	tcase_add_test(tc, test_log_line_as_it_is);
	tcase_add_test(tc, test_log_warn_long);
	suite_add_tcase(s, tc);

	tc = tcase_create("stderr");
	tcase_add_test(tc, test_log_line_stderr);
	tcase_add_test(tc, test_log_line_stderr_long);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(log_suite());
}
