/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>

#include "role/request.h"
#include "run_suite.h"
#include "wire/client_header.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* What is sent back to a client; -1 stands for unset. */
static const struct {
	int override;
	int server;
	uint8_t client;
	int tos;
} tos_cases[] = {
    {-1, -1, 0, -1},
    {-1, -1, 0x28, 0x28},
    {-1, 0x10, 0x28, 0x10},
    {-1, 0, 0x28, 0},
    {0x20, -1, 0x28, 0x20},
    {0x20, 0x10, 0, 0x20},
    {0, 0x10, 0x28, 0},
};

START_TEST(test_request_tos_table)
{
	struct options server = {
	    .tos_override = tos_cases[_i].override,
	    .tos = tos_cases[_i].server,
	};
	struct client_header h;
	struct options o;

	client_header_init(&h);
	h.tos = tos_cases[_i].client;
	ck_assert_int_eq(request_tos(&h, &server), tos_cases[_i].tos);
	request_options(&o, &server, &h);
	ck_assert_int_eq(o.tos, tos_cases[_i].tos);
}
END_TEST

static Suite *
request_tos_suite(void)
{
	Suite *s = suite_create("request_tos");
	TCase *tc = tcase_create("tos");

	tcase_add_loop_test(tc, test_request_tos_table, 0, ROWS(tos_cases));
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(request_tos_suite());
}
