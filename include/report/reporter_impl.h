/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_REPORTER_IMPL_H
#define REPORT_REPORTER_IMPL_H

/* What the reporter's thread shares with those who hand flows over to it. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "measure/tally.h"
#include "measure/tcp_info.h"
#include "report/fact.h"
#include "report/progress.h"
#include "report/test.h"

enum event_type {
	EVENT_SETTINGS,
	EVENT_CONNECTION,
	EVENT_CONNECT_TIMES,
	EVENT_WARNING,
	EVENT_ERROR,
	EVENT_LINE,
	EVENT_TEST_OPEN,
	EVENT_FLOW_OPEN,
	EVENT_FLOW_START,
	EVENT_SERVER_REPORT,
	EVENT_FLOW_END,
	EVENT_WAKE, /* look at the m members again */
};

struct event {
	struct event *next;
	enum event_type type;
	struct test *test;
	struct flow *flow;
	int64_t ns;
	bool has_sample;
	union {
		struct settings_fact settings;
		struct connection_fact connection;
		struct connect_times_fact connect_times;
		struct tcp_sample sample;
		struct tally tally;
		char text[512];
	} u;
};

/*
 * Who may touch the members:
 *      I       immutable after reporter_start()
 *      m       guarded by the mutex
 *      r       the reporter thread only
 */
struct reporter {
	pthread_t thread; /* I */
	pthread_mutex_t mutex;
	pthread_cond_t cond;	  /* something was queued, or stopping */
	struct event *head;	  /* m */
	struct event **tail;	  /* m */
	bool stopping;		  /* m */
	bool aborting;		  /* m: ... without waiting for the tests */
	enum outcome outcome;	  /* m */
	int n_tests;		  /* m, that were opened */
	bool has_ended;		  /* m */
	int error;		  /* m */
	void (*wake)(void);	  /* I */
	FILE *file;		  /* I */
	struct test *tests;	  /* r, in the order of their numbers */
	struct test **tests_tail; /* r */
	struct progress progress; /* r */
	struct test_output out;	  /* r, but for the const pointers */
};

/* A new event, which reporter_post() takes over; never NULL. */
struct event *reporter_event(enum event_type);

/* Queues an event for the thread. */
void reporter_post(struct reporter *, struct event *);

/* The same by one that holds the mutex. */
void reporter_post_locked(struct reporter *, struct event *);

/* Gives back a reference to a test; the last one frees it. */
void reporter_drop_test(struct reporter *, struct test *);

#endif
