/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "cli/manual.h"
#include "cli/option_table.h"
#include "cli/usage.h"
#include "run_suite.h"

#define TEXT_MAX 16384
#define COLUMNS 79

/* What a usage function writes. */
static void
capture(int (*print)(FILE *), char text[TEXT_MAX])
{
	FILE *out = fmemopen(text, TEXT_MAX, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(print(out), 0);
	fclose(out);
}

static const char *const golden[] = {
    "Usage: iperf -s [options]\n       iperf -c HOST [options]\n",
    "\nMode:\n  -s, --server                    listen and receive\n",
    "\n  -n, --num BYTES               C bytes of each stream, instead of -t\n",
    "\n      --sum-only                  only [SUM] lines\n",
    "\n  -F, --file_input, --fileinput FILE\n"
    "                                C send the bytes of FILE\n",
    "\n      --connect-only[=COUNT]    C only connect, so often [10], "
    "0 for ever\n",
    "\n      --ipg SECONDS             C gap between datagrams, instead of "
    "-b\n",
    "\n      --histograms, --udp-histograms[=SPEC]\n"
    "                                  UDP server: histograms of latency\n",
    "\nNot supported:\n",
};

START_TEST(test_usage_help_golden)
{
	char text[TEXT_MAX];

	capture(usage_help, text);
	ck_assert_msg(strstr(text, golden[_i]) != NULL, "no %s", golden[_i]);
}
END_TEST

START_TEST(test_usage_help_width)
{
	char text[TEXT_MAX], *line, *next = text;

	capture(usage_help, text);
	while ((line = strsep(&next, "\n")) != NULL)
		ck_assert_msg(strlen(line) <= COLUMNS, "too wide: %s", line);
}
END_TEST

/* Every option is listed, under each of its names, exactly once. */
START_TEST(test_usage_help_complete)
{
	const struct option_info *info = option_info(_i);
	char text[TEXT_MAX], label[64];
	const char *name, *found;
	size_t i, len;
	int count;

	capture(usage_help, text);
	for (i = 0; (name = option_name(info, i)) != NULL; i++) {
		len = (size_t)snprintf(label, sizeof(label), " --%s", name);
		count = 0;
		for (found = text; (found = strstr(found, label)) != NULL;
		     found += len)
			count += strchr(" ,[\n", found[len]) != NULL;
		/* The head of the text names one mode, too. */
		ck_assert_int_eq(count, _i == OPTION_LOOPBACK ? 2 : 1);
	}
	if (info->letter != '\0') {
		snprintf(label, sizeof(label), "\n  -%c, --%s", info->letter,
		    info->name);
		ck_assert_ptr_nonnull(strstr(text, label));
	}
}
END_TEST

/* The paragraph of each option comes from the manual page, in plain text. */
START_TEST(test_usage_option)
{
	const struct option_info *info = option_info(_i);
	const char *paragraph = manual_paragraph(info->name);
	char text[TEXT_MAX] = "", label[64], *line, *next = text;
	FILE *out = fmemopen(text, TEXT_MAX, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(usage_option(out, _i), 0);
	fclose(out);
	snprintf(label, sizeof(label), "--%s", info->name);
	ck_assert_ptr_nonnull(strstr(text, label));
	ck_assert_ptr_nonnull(strstr(text, info->help));
	ck_assert_ptr_nonnull(strstr(text, "\n    For "));
	ck_assert_msg(paragraph != NULL, "none for %s", info->name);
	ck_assert_ptr_nonnull(strchr(paragraph, '\n'));
	ck_assert_msg(strpbrk(paragraph, "\\\t") == NULL, "%s", paragraph);
	while ((line = strsep(&next, "\n")) != NULL) {
		ck_assert_msg(strlen(line) <= COLUMNS, "too wide: %s", line);
		ck_assert_msg(line[0] != '.', "roff: %s", line);
	}
}
END_TEST

START_TEST(test_usage_option_golden)
{
	char text[TEXT_MAX] = "";
	FILE *out = fmemopen(text, TEXT_MAX, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(usage_option(out, OPTION_NODELAY), 0);
	fclose(out);
	ck_assert_str_eq(text,
	    "  -N, --nodelay                   TCP_NODELAY\n"
	    "\n"
	    "    Set TCP_NODELAY, so that small writes are not delayed. The "
	    "default is\n"
	    "    off.\n"
	    "\n"
	    "    For clients and servers, with TCP; in iperf 2 since 2.0.\n");
	ck_assert_ptr_null(manual_paragraph("nonesuch"));
	/* Values are in capitals, as in the list of options. */
	ck_assert_ptr_nonnull(
	    strstr(manual_paragraph("bandwidth"), "RATE bits per second"));
	ck_assert_ptr_nonnull(
	    strstr(manual_paragraph("bandwidth"), "With MEAN,STDDEV"));
}
END_TEST

START_TEST(test_usage_version_line)
{
	char text[TEXT_MAX];

	capture(usage_version, text);
	ck_assert_str_eq(text,
	    "iperf version " PACKAGE_VERSION " (independent implementation, "
	    "compatible with iperf 2) pthreads\n");
	ck_assert_int_eq(strncmp(text, "iperf version 2.", 16), 0);
}
END_TEST

START_TEST(test_usage_help_unwritable)
{
	FILE *full = fopen("/dev/full", "w");

	if (full == NULL)
		return;
	ck_assert_int_eq(usage_help(full), -1);
	fclose(full);
}
END_TEST

static Suite *
usage_suite(void)
{
	Suite *s = suite_create("usage");
	TCase *help = tcase_create("help");
	TCase *version = tcase_create("version");

	tcase_add_loop_test(help, test_usage_help_golden, 0,
	    (int)(sizeof(golden) / sizeof(golden[0])));
	tcase_add_loop_test(help, test_usage_help_complete, 0, OPTION_COUNT);
	tcase_add_loop_test(help, test_usage_option, 0, OPTION_COUNT);
	tcase_add_test(help, test_usage_option_golden);
	tcase_add_test(help, test_usage_help_width);
	tcase_add_test(help, test_usage_help_unwritable);
	suite_add_tcase(s, help);
	tcase_add_test(version, test_usage_version_line);
	suite_add_tcase(s, version);
	return s;
}

int
main(void)
{
	return run_suite(usage_suite());
}
