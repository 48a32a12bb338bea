/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <limits.h>
#include <string.h>

#include "cli/option_table.h"
#include "cli/suggest.h"
#include "cli_fixture.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
	const char *a, *b;
	int distance;
} distances[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"parallel", "parallel", 0},
    {"parallel", "PARALLEL", 0},
    {"file_input", "file-input", 0},
    {"paralel", "parallel", 1},
    {"parrallel", "parallel", 1},
    {"parallal", "parallel", 1},
    {"praallel", "parallel", 1},
    {"lne", "len", 1},
    {"ca", "abc", 3}, /* No letter is touched twice. */
    {"kitten", "sitting", 3},
    {"0123456789012345678901234567890123456789", "", 40},
    {"01234567890123456789012345678901234567890", "", INT_MAX},
};

START_TEST(test_suggest_distance)
{
	ck_assert_int_eq(suggest_distance(distances[_i].a, distances[_i].b),
	    distances[_i].distance);
	ck_assert_int_eq(suggest_distance(distances[_i].b, distances[_i].a),
	    distances[_i].distance);
}
END_TEST

static const struct {
	const char *text, *name; /* NULL: nothing near */
} names[] = {
    {"paralel", "parallel"},
    {"bandwith", "bandwidth"},
    {"inteval", "interval"},
    {"revers", "reverse"},
    {"Window", "window"},
    {"file-input", "file_input"},
    {"print-mss", "print_mss"},
    {"tim", "time"},
    {"fulldupplex", "full-duplex"},
    {"incr-dstpi", "incr-dstip"},
    {"nonesuch", NULL},
    {"jason", "json"},
    {"xml", NULL},
    {"", NULL},
    {"x", NULL},
};

START_TEST(test_suggest_name)
{
	const char *got = suggest_name(names[_i].text);

	if (names[_i].name == NULL)
		ck_assert_msg(got == NULL, "%s: %s", names[_i].text, got);
	else
		ck_assert_str_eq(got, names[_i].name);
}
END_TEST

/* A name of an option suggests itself. */
START_TEST(test_suggest_exact)
{
	const char *name;
	size_t i;

	for (i = 0; (name = option_name(option_info(_i), i)) != NULL; i++)
		ck_assert_str_eq(suggest_name(name), name);
}
END_TEST

static const struct cli_case messages[] = {
    {"-c h --paralel 4", CLI_ERROR,
	"iperf: unknown option '--paralel'; did you mean "
	"--parallel?\n" FIXTURE_USAGE},
    {"-c h --bandwith=1m", CLI_ERROR,
	"iperf: unknown option '--bandwith'; did you mean "
	"--bandwidth?\n" FIXTURE_USAGE},
    {"--help=paralel", CLI_ERROR,
	"iperf: no help for 'paralel'; did you mean --help=parallel?\n"},
    {"--help=--paralel", CLI_ERROR,
	"iperf: no help for '--paralel'; did you mean --help=parallel?\n"},
    {"--help=", CLI_ERROR, "iperf: no help for '': no such option\n"},
    {"--help=--", CLI_ERROR, "iperf: no help for '--': no such option\n"},
    {"--help=-q", CLI_ERROR, "iperf: no help for '-q': no such option\n"},
    {"--help=nonesuch", CLI_ERROR,
	"iperf: no help for 'nonesuch': no such option\n"},
};

START_TEST(test_suggest_message)
{
	fixture_check(&messages[_i]);
}
END_TEST

static const struct {
	const char *text;
	enum option_id id;
} found[] = {
    {"P", OPTION_PARALLEL},
    {"-P", OPTION_PARALLEL},
    {"p", OPTION_PORT},
    {"parallel", OPTION_PARALLEL},
    {"--parallel", OPTION_PARALLEL},
    {"--paral", OPTION_PARALLEL},
    {"stdin", OPTION_STDIN_INPUT},
    {"udp", OPTION_UDP},
    {"tcp-", OPTION_COUNT},
    {"", OPTION_COUNT},
    {"-", OPTION_COUNT},
    {"parallels", OPTION_COUNT},
};

START_TEST(test_option_find)
{
	ck_assert_int_eq(option_find(found[_i].text), found[_i].id);
}
END_TEST

static Suite *
suggest_suite(void)
{
	Suite *s = suite_create("suggest");
	TCase *near = tcase_create("near");
	TCase *said = tcase_create("said");

	tcase_add_loop_test(near, test_suggest_distance, 0, COUNT(distances));
	tcase_add_loop_test(near, test_suggest_name, 0, COUNT(names));
	tcase_add_loop_test(near, test_suggest_exact, 0, OPTION_COUNT);
	suite_add_tcase(s, near);
	tcase_add_loop_test(said, test_suggest_message, 0, COUNT(messages));
	tcase_add_loop_test(said, test_option_find, 0, COUNT(found));
	suite_add_tcase(s, said);
	return s;
}

int
main(void)
{
	return run_suite(suggest_suite());
}
