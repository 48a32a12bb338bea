/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

/*
 * A test within the reporter, at times of our own, which are in ms since
 * T0_NS. Its rows are recorded (recorder.h). A fixture of Check.
 */

#include <stdint.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/test.h"

#define T0_NS (INT64_C(777) * NS_PER_S)
#define WALL_OFFSET_NS (INT64_C(1796067631) * NS_PER_S)
#define AT(ms) (T0_NS + (ms)*NS_PER_MS)

extern struct options test_options; /* intervals of a second */
extern struct test_output test_out;
extern struct test *test; /* planned for three seconds */

void test_fixture_set_up(void);
void test_fixture_tear_down(void);

/* A stream that has yet to start. */
struct flow *test_fixture_add(int id, enum row_kind);

struct flow *test_fixture_start(int id, enum row_kind, int64_t ms);

/* What the reporter does when the deadline has come. */
void test_fixture_tick(int64_t ms);

void test_fixture_end(struct flow *, int64_t ms);

#endif
