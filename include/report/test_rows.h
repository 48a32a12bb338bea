/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_TEST_ROWS_H
#define REPORT_TEST_ROWS_H

/*
 * The rows of a test: of its streams, of their sums, and of both directions
 * of what carries two. Reporter thread only.
 */

#include <stdint.h>

struct test;
struct test_output;

/* Writes one interval of all streams, and its sums. */
void test_write_intervals(struct test *, const struct test_output *,
    int64_t to_ns);

#endif
