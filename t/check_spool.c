/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/spool.h"
#include "run_suite.h"

/* Writes numbered lines and checks that all of them come out. */
static void
round_trip(int lines, bool on_disk)
{
	struct spool s;
	char *text, *expected, *at;
	size_t size;
	FILE *out;
	int i;

	expected = calloc(1, (size_t)lines * 16 + 1);
	ck_assert_ptr_nonnull(expected);
	at = expected;
	spool_init(&s);
	for (i = 0; i < lines; i++) {
		fprintf(spool_file(&s), "line %d\n", i);
		at += sprintf(at, "line %d\n", i);
	}
	ck_assert_int_eq(s.on_disk, on_disk);
	out = open_memstream(&text, &size);
	ck_assert_int_eq(spool_copy(&s, out), 0);
	fclose(out);
	ck_assert_str_eq(text, expected);
	free(text);
	free(expected);
	spool_fini(&s);
}

START_TEST(test_spool_empty)
{
	round_trip(0, false);
}
END_TEST

START_TEST(test_spool_small)
{
	round_trip(100, false);
}
END_TEST

START_TEST(test_spool_large)
{
	round_trip(SPOOL_MEMORY_BYTES / 8, true);
}
END_TEST

static Suite *
spool_suite(void)
{
	Suite *s = suite_create("spool");
	TCase *tc = tcase_create("round trip");

	tcase_add_test(tc, test_spool_empty);
	tcase_add_test(tc, test_spool_small);
	tcase_add_test(tc, test_spool_large);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(spool_suite());
}
