/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_TEST_H
#define REPORT_TEST_H

/*
 * A test within the reporter: the folds over its streams. All members and
 * functions belong to the reporter thread, except those marked m, which the
 * reporter's mutex guards.
 */

#include <stdbool.h>
#include <stdint.h>

#include "measure/slot.h"
#include "measure/tally.h"
#include "report/fact.h"
#include "report/reporter.h"

struct options;
struct reporter;
struct writer;

/* A test short of streams waits so long for late ones. */
#define TEST_GRACE_NS INT64_C(500000000)

struct flow {
	struct slot slot;
	struct tally tallies[2]; /* one in the slot, one spare */
	struct tally *spare;
	struct test *test;		   /* I: immutable after flow_open() */
	struct flow *next;		   /* in ascending order of id, and
					      receivers before senders */
	struct connection_fact connection; /* I */
	enum row_kind kind;		   /* I */
	bool is_second;			   /* I: shares a connection that has
					      a flow already */
	int fd;				   /* m; -1 after flow_end() */
	bool started;
	bool ended;
	bool reported; /* its last interval row is out */
	int64_t start_ns;
	int64_t end_ns;
	int64_t last_ns;      /* end of its last interval */
	struct tally pending; /* collected, in no interval yet */
	struct tally total;   /* of all intervals before */
	struct tally report;  /* what the server says, if has_report */
	int64_t report_ns;    /* the time that it is about */
	bool has_report;
	uint64_t retransmits_seen;
	struct tcp_sample sample;
	bool has_sample;
};

struct test {
	struct reporter *reporter; /* I */
	struct test *next;	   /* in the reporter's list */
	struct test_plan plan;	   /* I */
	int number;		   /* I, of the report's tests, from 1 */
	int references;		   /* m */
	int joined;		   /* m, flows */
	int streams;		   /* m, of which a pair of flows is one */
	int given_up;		   /* m, of the plan's, that will not come */
	bool held;		   /* m: more streams are under way */
	bool complete;		   /* m: nobody joins any more */
	bool over;		   /* m: all rows are out */
	struct flow *flows;
	int ended;		/* flows */
	int64_t start_ns;	/* earliest start; INT64_MAX none yet */
	int64_t end_ns;		/* latest end */
	int64_t next_tick_ns;	/* INT64_MAX none */
	int64_t held_ns;	/* a tick that waits for the planned end */
	int64_t hold_until_ns;	/* ... at most until then; 0 none waits */
	int64_t grace_until_ns; /* INT64_MAX: not short of streams */
	bool has_intervals;
};

/* What a test writes with. */
struct test_output {
	const struct options *options;
	const struct writer *writer;
	void *state;
	int64_t wall_offset_ns; /* wall clock minus monotonic clock */
};

/* Gives a new flow the histograms that the options ask for. Any thread. */
void test_prepare_flow(struct flow *, const struct options *);

/* Frees a flow that is in no test. Any thread. */
void test_free_flow(struct flow *);

void test_add_flow(struct test *, struct flow *);
void test_flow_started(struct test *, struct flow *, int64_t start_ns,
    int64_t interval_ns);
/* The server's view of a stream, and the time that it is about. */
void test_flow_reported(struct flow *, const struct tally *,
    int64_t duration_ns);
/* `sample` is the last one, taken by the worker; NULL none. */
void test_flow_ended(struct test *, struct flow *, int64_t end_ns,
    const struct tcp_sample *sample);

/* True while a stream that has started has not ended. */
bool test_is_running(const struct test *);

/* When the test wants to be looked at next; INT64_MAX never. */
int64_t test_deadline_ns(const struct test *);

/* Collects every stream's tally, and TCP_INFO if asked. The mutex is held. */
void test_collect(struct test *, bool with_samples);

/* Writes the interval rows due at now_ns, after test_collect(). */
void test_tick(struct test *, const struct test_output *, int64_t now_ns);

/* Writes the last interval rows and the totals. */
void test_finish(struct test *, const struct test_output *);

/* Frees the streams and the test. */
void test_free(struct test *);

#endif
