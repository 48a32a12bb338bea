/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <check.h>

/* Runs all tests of a suite and frees it; returns main()'s exit status. */
int run_suite(Suite *);

#endif
