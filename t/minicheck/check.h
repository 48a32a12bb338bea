/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MINICHECK_CHECK_H
#define MINICHECK_CHECK_H

/*
 * A stand-in for the parts of Check that our unit tests use, for systems
 * without the library: cross compilers under an emulator, musl. .ci/run puts
 * this directory on the include path there; everybody else uses Check.
 *
 * Each test runs in a process of its own with a time limit, results are TAP
 * on stdout, the exit status is main()'s business. What Check evaluates once
 * is evaluated once here. Not there: logs, tags, environment variables.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_MAX_TESTS 256
#define CHECK_MAX_CASES 32
#define CHECK_TIMEOUT_S 20 /* emulators are slow */
#define CHECK_UNUSED __attribute__((unused))

typedef void check_test(int);
typedef void check_fixture(void);

typedef struct {
	const char *name;
	check_test *function;
	int first, end; /* values of _i */
	int exit_status;
	int signal;
} CheckEntry;

typedef struct {
	const char *name;
	CheckEntry tests[CHECK_MAX_TESTS];
	int count;
	unsigned timeout_s;
	check_fixture *setup, *teardown;	   /* in the test's process */
	check_fixture *once_setup, *once_teardown; /* in ours */
} TCase;

typedef struct {
	const char *name;
	TCase *cases[CHECK_MAX_CASES];
	int count;
} Suite;

typedef struct {
	Suite *suites[CHECK_MAX_CASES];
	int count;
	int run, failed;
} SRunner;

enum print_output {
	CK_SILENT,
	CK_MINIMAL,
	CK_NORMAL,
	CK_VERBOSE,
	CK_ENV
};
enum fork_status {
	CK_FORK_GETENV,
	CK_FORK,
	CK_NOFORK
};

#define START_TEST(name) static void name(int _i CHECK_UNUSED)
#define END_TEST

/* A failed assertion ends the process of the test. */
static void check_fail(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn, unused));

static void
check_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

#define ck_abort_msg(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_abort() ck_abort_msg("aborted")
#define ck_assert_msg(expr, ...)                                     \
	do {                                                         \
		if (!(expr))                                         \
			check_fail(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)
#define ck_assert(expr) ck_assert_msg(expr, "%s", #expr)

/* Compares two values of a type; both are printed in the format. */
#define CHECK_COMPARE(type, format, x, op, y)                             \
	do {                                                              \
		type check_x = (x);                                       \
		type check_y = (y);                                       \
		if (!(check_x op check_y))                                \
			check_fail(__FILE__, __LINE__,                    \
			    "%s: " format ", " format, #x " " #op " " #y, \
			    check_x, check_y);                            \
	} while (0)

#define ck_assert_int_eq(x, y) CHECK_COMPARE(intmax_t, "%jd", x, ==, y)
#define ck_assert_int_ne(x, y) CHECK_COMPARE(intmax_t, "%jd", x, !=, y)
#define ck_assert_int_lt(x, y) CHECK_COMPARE(intmax_t, "%jd", x, <, y)
#define ck_assert_int_le(x, y) CHECK_COMPARE(intmax_t, "%jd", x, <=, y)
#define ck_assert_int_gt(x, y) CHECK_COMPARE(intmax_t, "%jd", x, >, y)
#define ck_assert_int_ge(x, y) CHECK_COMPARE(intmax_t, "%jd", x, >=, y)
#define ck_assert_uint_eq(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, ==, y)
#define ck_assert_uint_ne(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, !=, y)
#define ck_assert_uint_lt(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, <, y)
#define ck_assert_uint_le(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, <=, y)
#define ck_assert_uint_gt(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, >, y)
#define ck_assert_uint_ge(x, y) CHECK_COMPARE(uintmax_t, "%ju", x, >=, y)
#define ck_assert_double_eq(x, y) CHECK_COMPARE(double, "%.17g", x, ==, y)
#define ck_assert_double_ne(x, y) CHECK_COMPARE(double, "%.17g", x, !=, y)
#define ck_assert_double_lt(x, y) CHECK_COMPARE(double, "%.17g", x, <, y)
#define ck_assert_double_le(x, y) CHECK_COMPARE(double, "%.17g", x, <=, y)
#define ck_assert_double_gt(x, y) CHECK_COMPARE(double, "%.17g", x, >, y)
#define ck_assert_double_ge(x, y) CHECK_COMPARE(double, "%.17g", x, >=, y)
#define ck_assert_ptr_eq(x, y) CHECK_COMPARE(const void *, "%p", x, ==, y)
#define ck_assert_ptr_ne(x, y) CHECK_COMPARE(const void *, "%p", x, !=, y)
#define ck_assert_ptr_null(x) ck_assert_ptr_eq(x, NULL)
#define ck_assert_ptr_nonnull(x) ck_assert_ptr_ne(x, NULL)

#define ck_assert_double_eq_tol(x, y, tolerance)                           \
	do {                                                               \
		double check_x = (x);                                      \
		double check_y = (y);                                      \
		if (!(fabs(check_x - check_y) < (tolerance)))              \
			check_fail(__FILE__, __LINE__, "%s: %.17g, %.17g", \
			    #x " ~ " #y, check_x, check_y);                \
	} while (0)
#define ck_assert_double_nan(x) ck_assert(isnan(x))
#define ck_assert_double_finite(x) ck_assert(isfinite(x))
#define ck_assert_double_infinite(x) ck_assert(isinf(x))

/* Whether two strings are equal, of which either may be missing. */
static inline int
check_same(const char *x, const char *y)
{
	return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

#define CHECK_STRINGS(x, y, wanted)                                           \
	do {                                                                  \
		const char *check_x = (x);                                    \
		const char *check_y = (y);                                    \
		if (check_same(check_x, check_y) != (wanted))                 \
			check_fail(__FILE__, __LINE__, "%s: \"%s\", \"%s\"",  \
			    #x ", " #y, check_x == NULL ? "(null)" : check_x, \
			    check_y == NULL ? "(null)" : check_y);            \
	} while (0)
#define ck_assert_str_eq(x, y)                      \
	do {                                        \
		const char *check_s = (x);          \
		const char *check_t = (y);          \
		ck_assert_ptr_nonnull(check_s);     \
		ck_assert_ptr_nonnull(check_t);     \
		CHECK_STRINGS(check_s, check_t, 1); \
	} while (0)
#define ck_assert_str_ne(x, y) CHECK_STRINGS(x, y, 0)
#define ck_assert_pstr_eq(x, y) CHECK_STRINGS(x, y, 1)
#define ck_assert_pstr_ne(x, y) CHECK_STRINGS(x, y, 0)
#define ck_assert_mem_eq(x, y, len) \
	ck_assert_msg(memcmp((x), (y), (len)) == 0, "%s", #x " == " #y)
#define ck_assert_mem_ne(x, y, len) \
	ck_assert_msg(memcmp((x), (y), (len)) != 0, "%s", #x " != " #y)

#define tcase_add_test(tc, f) check_add(tc, #f, f, 0, 1, 0, 0)
#define tcase_add_loop_test(tc, f, first, end) \
	check_add(tc, #f, f, (int)(first), (int)(end), 0, 0)
#define tcase_add_exit_test(tc, f, status) check_add(tc, #f, f, 0, 1, status, 0)
#define tcase_add_test_raise_signal(tc, f, signal) \
	check_add(tc, #f, f, 0, 1, 0, signal)

static inline void *
check_new(size_t size)
{
	void *object = calloc(1, size);

	if (object == NULL)
		abort();
	return object;
}

static inline Suite *
suite_create(const char *name)
{
	Suite *s = check_new(sizeof(*s));

	s->name = name;
	return s;
}

static inline TCase *
tcase_create(const char *name)
{
	TCase *tc = check_new(sizeof(*tc));

	tc->name = name;
	tc->timeout_s = CHECK_TIMEOUT_S;
	return tc;
}

static inline void
suite_add_tcase(Suite *s, TCase *tc)
{
	if (s->count == CHECK_MAX_CASES)
		abort();
	s->cases[s->count++] = tc;
}

static inline void
check_add(TCase *tc, const char *name, check_test *function, int first, int end,
    int exit_status, int signal)
{
	if (tc->count == CHECK_MAX_TESTS)
		abort();
	tc->tests[tc->count++] =
	    (CheckEntry){name, function, first, end, exit_status, signal};
}

static inline void
tcase_set_timeout(TCase *tc, double timeout_s)
{
	if (timeout_s > tc->timeout_s)
		tc->timeout_s = (unsigned)timeout_s;
}

static inline void
tcase_set_tags(TCase *tc, const char *tags)
{
	(void)tc;
	(void)tags;
}

static inline void
tcase_add_checked_fixture(TCase *tc, check_fixture *setup,
    check_fixture *teardown)
{
	tc->setup = setup;
	tc->teardown = teardown;
}

static inline void
tcase_add_unchecked_fixture(TCase *tc, check_fixture *setup,
    check_fixture *teardown)
{
	tc->once_setup = setup;
	tc->once_teardown = teardown;
}

static inline void
srunner_add_suite(SRunner *sr, Suite *s)
{
	if (sr->count == CHECK_MAX_CASES)
		abort();
	sr->suites[sr->count++] = s;
}

static inline SRunner *
srunner_create(Suite *s)
{
	SRunner *sr = check_new(sizeof(*sr));

	if (s != NULL)
		srunner_add_suite(sr, s);
	return sr;
}

static inline void
srunner_set_fork_status(SRunner *sr, enum fork_status status)
{
	(void)sr;
	(void)status;
}

/* The process of one test; does not return. */
static inline void
check_child(const TCase *tc, const CheckEntry *test, int i)
{
	alarm(tc->timeout_s);
	if (tc->setup != NULL)
		tc->setup();
	test->function(i);
	if (tc->teardown != NULL)
		tc->teardown();
	exit(EXIT_SUCCESS);
}

static inline int
check_passes(const TCase *tc, const CheckEntry *test, int i)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		check_child(tc, test, i);
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		return 0;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == test->signal;
	return test->signal == 0 && WEXITSTATUS(status) == test->exit_status;
}

static inline void
check_run_case(SRunner *sr, const Suite *s, const TCase *tc)
{
	const CheckEntry *test;
	int passes;

	if (tc->once_setup != NULL)
		tc->once_setup();
	for (test = tc->tests; test < tc->tests + tc->count; test++) {
		for (int i = test->first; i < test->end; i++) {
			passes = check_passes(tc, test, i);
			sr->run++;
			sr->failed += !passes;
			printf("%sok %d - %s:%s:%s:%d\n", passes ? "" : "not ",
			    sr->run, s->name, tc->name, test->name, i);
		}
	}
	if (tc->once_teardown != NULL)
		tc->once_teardown();
}

static inline void
srunner_run_all(SRunner *sr, enum print_output mode)
{
	(void)mode;
	for (int i = 0; i < sr->count; i++) {
		for (int j = 0; j < sr->suites[i]->count; j++)
			check_run_case(sr, sr->suites[i],
			    sr->suites[i]->cases[j]);
	}
	printf("1..%d\n", sr->run);
	fflush(stdout);
}

static inline int
srunner_ntests_failed(SRunner *sr)
{
	return sr->failed;
}

static inline int
srunner_ntests_run(SRunner *sr)
{
	return sr->run;
}

static inline void
srunner_free(SRunner *sr)
{
	for (int i = 0; i < sr->count; i++) {
		for (int j = 0; j < sr->suites[i]->count; j++)
			free(sr->suites[i]->cases[j]);
		free(sr->suites[i]);
	}
	free(sr);
}

#endif
