/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "run_suite.h"
#include "wire/version.h"

static const struct {
	struct version version;
	const char *text;
} versions[] = {
    {{0x00020000, 0x00050003}, "2.0.5"},
    {{0x00020000, 0x000d0003}, "2.0.13"},
    {{0x00020000, 0x000d0001}, "2.0.13-beta"},
    {{0x00020001, 0x00080003}, "2.1.8"},
    {{0x00020002, 0x00010001}, "2.2.1-rc"},
    {{0x00020002, 0x00010002}, "2.2.1-rc2"},
    {{0x00020002, 0x00010004}, "2.2.1-private"},
    {{0x00020002, 0x00010005}, "2.2.1-master"},
    {{0x00020002, 0x00010006}, "2.2.1-unk"},
    {{0x00020002, 0x000100f3}, "2.2.1"},
    {{0x00020002, 0x00010000}, "2.2.1-dev"},
    {{0x00020032, 0x00000003}, "2.50.0"},
    {{0xffffffff, 0xffffffff}, "65535.65535.65535-unk"},
    {{0xffffffff, 0xfffffff4}, "65535.65535.65535-private"},
    {{0, 0}, ""},
    {{0x00020002, 0}, ""},
    {{0, 0x00010003}, ""},
};

START_TEST(test_version_format_table)
{
	char text[VERSION_TEXT_BYTES];

	ck_assert_str_eq(version_format(versions[_i].version, text,
			     sizeof(text)),
	    versions[_i].text);
}
END_TEST

START_TEST(test_version_format_short_buffer)
{
	struct version version = {0x00020002, 0x00010001};
	char text[4] = "xxx";

	ck_assert_str_eq(version_format(version, text, sizeof(text)), "2.2");
	ck_assert_str_eq(version_format(version, text, 1), "");
	ck_assert_str_eq(version_format(version, text, 0), "");
}
END_TEST

START_TEST(test_version_ours)
{
	char text[VERSION_TEXT_BYTES];
	struct version ours = version_ours();

	ck_assert_uint_eq(ours.upper, 0x00020032);
	ck_assert_uint_eq(ours.lower, 0x00000003);
	ck_assert_str_eq(version_format(ours, text, sizeof(text)), "2.50.0");
}
END_TEST

START_TEST(test_version_has_barrier_word)
{
	struct version last_2_1 = {0x00020001, 0x00090003};
	struct version first_2_2 = {0x00020002, 0x00000003};
	struct version unknown = {0, 0};

	ck_assert(!version_has_barrier_word(last_2_1));
	ck_assert(!version_has_barrier_word(unknown));
	ck_assert(version_has_barrier_word(first_2_2));
	ck_assert(version_has_barrier_word(version_ours()));
}
END_TEST

static Suite *
version_suite(void)
{
	Suite *s = suite_create("version");
	TCase *tc;

	tc = tcase_create("format");
	tcase_add_loop_test(tc, test_version_format_table, 0,
	    (int)(sizeof(versions) / sizeof(versions[0])));
	tcase_add_test(tc, test_version_format_short_buffer);
	suite_add_tcase(s, tc);

	tc = tcase_create("words");
	tcase_add_test(tc, test_version_ours);
	tcase_add_test(tc, test_version_has_barrier_word);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(version_suite());
}
