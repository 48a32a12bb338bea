/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "role/handshake.h"
#include "role/permit.h"
#include "run_suite.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define LONG_KEY                                                           \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

/* Who is let in. */
static const struct {
	const char *expected;
	enum hello_kind kind;
	const char *presented;
	const char *why; /* a part of it; NULL let in */
} cases[] = {
    {"", HELLO_CLIENT, "", NULL},
    {"", HELLO_PLAIN, "", NULL},
    {"", HELLO_SILENT, "", NULL},
    {"", HELLO_FAILED, "", NULL},
    {"", HELLO_REFUSED, "", NULL},
    {"", HELLO_CLIENT, "secret", "none is expected"},
    {"secret", HELLO_CLIENT, "secret", NULL},
    {"secret", HELLO_CLIENT, "", "no permit key"},
    {"secret", HELLO_CLIENT, "secreT", "wrong permit key"},
    {"secret", HELLO_CLIENT, "secre", "wrong permit key"},
    {"secret", HELLO_CLIENT, "secrets", "wrong permit key"},
    {LONG_KEY "f", HELLO_CLIENT, LONG_KEY "f", NULL},
    {LONG_KEY "f", HELLO_CLIENT, LONG_KEY "g", "wrong permit key"},
    {LONG_KEY "f", HELLO_CLIENT, LONG_KEY, "wrong permit key"},
    {"secret", HELLO_PLAIN, "", "no test header"},
    {"secret", HELLO_SILENT, "", "no test header"},
    {"secret", HELLO_FAILED, "", "no test header"},
    {"secret", HELLO_REFUSED, "", "bounceback"},
    {"secret", HELLO_REFUSED, "secret", "bounceback"},
};

START_TEST(test_permit_refusal_table)
{
	struct options o = {.permit_key = ""};
	struct hello h = {.kind = cases[_i].kind, .why = "bounceback"};
	const char *why;

	strlcpy(o.permit_key, cases[_i].expected, sizeof(o.permit_key));
	strlcpy(h.header.permit_key, cases[_i].presented,
	    sizeof(h.header.permit_key));
	why = permit_refusal(&h, &o);
	if (cases[_i].why == NULL) {
		ck_assert_ptr_null(why);
		return;
	}
	ck_assert_ptr_nonnull(why);
	ck_assert_msg(strstr(why, cases[_i].why) != NULL, "%s", why);
}
END_TEST

START_TEST(test_permit_life)
{
	struct options o = {.permit_key = "secret"};

	o.permit_life_ns = 20 * NS_PER_S;
	ck_assert_int_eq(permit_life_ns(&o), 20 * NS_PER_S);
	o.permit_life_ns = 0;
	ck_assert_int_eq(permit_life_ns(&o), INT64_MAX);
	o.permit_life_ns = 20 * NS_PER_S;
	o.permit_key[0] = '\0';
	ck_assert_int_eq(permit_life_ns(&o), INT64_MAX);
}
END_TEST

static Suite *
permit_suite(void)
{
	Suite *s = suite_create("permit");
	TCase *tc = tcase_create("permit");

	tcase_add_loop_test(tc, test_permit_refusal_table, 0, ROWS(cases));
	tcase_add_test(tc, test_permit_life);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(permit_suite());
}
