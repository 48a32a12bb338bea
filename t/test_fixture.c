/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdalign.h>

#include "base/alloc.h"
#include "recorder.h"
#include "test_fixture.h"

struct options test_options;
struct test_output test_out;
struct test *test;

void
test_fixture_set_up(void)
{
	test_options = (struct options){.interval_ns = NS_PER_S};
	test_out = (struct test_output){
	    .options = &test_options,
	    .writer = recorder_new(),
	    .wall_offset_ns = WALL_OFFSET_NS,
	};
	test = xcalloc(1, sizeof(*test));
	test->plan.duration_ns = 3 * NS_PER_S;
	test->start_ns = INT64_MAX;
	test->next_tick_ns = INT64_MAX;
	test->grace_until_ns = INT64_MAX;
}

void
test_fixture_tear_down(void)
{
	test_free(test);
}

struct flow *
test_fixture_add(int id, enum row_kind kind)
{
	struct flow *f = xaligned(alignof(struct flow), sizeof(*f));

	slot_init(&f->slot, &f->tallies[0]);
	f->spare = &f->tallies[1];
	f->test = test;
	f->connection.id = id;
	f->kind = kind;
	f->fd = -1;
	test_add_flow(test, f);
	return f;
}

struct flow *
test_fixture_start(int id, enum row_kind kind, int64_t ms)
{
	struct flow *f = test_fixture_add(id, kind);

	test_flow_started(test, f, AT(ms), test_options.interval_ns);
	return f;
}

void
test_fixture_tick(int64_t ms)
{
	if (test->hold_until_ns == 0)
		test_collect(test, false);
	test_tick(test, &test_out, AT(ms));
}

void
test_fixture_end(struct flow *f, int64_t ms)
{
	test_flow_ended(test, f, AT(ms), NULL);
}
