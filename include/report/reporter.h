/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_REPORTER_H
#define REPORT_REPORTER_H

/*
 * The reporter thread: the only one that writes results.
 *
 * Roles and workers tell it facts through a queue (a mutex, rare events) and
 * figures through tally slots (no lock, the hot path). At absolute deadlines
 * it collects the tallies of a test's streams and folds them into interval
 * rows, totals and sums, which a writer turns into bytes.
 *
 * Functions may be called by any thread unless stated otherwise.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/fact.h"

struct flow;
struct options;
struct reporter;
struct slot;
struct tally;
struct test;
struct writer;

/*
 * Starts the thread. It writes to `out`, which stays the caller's, and is NULL
 * for a writer that writes nothing. `wake` is called, from the reporter thread,
 * when the reporter has ended or cannot write. Returns NULL with errno when
 * there is no thread to be had. The writer and the options outlive the
 * reporter.
 */
struct reporter *reporter_start(const struct options *, const struct writer *,
    FILE *out, void (*wake)(void));

/* How the run ended, for the report; completed unless told. */
void reporter_set_outcome(struct reporter *, enum outcome);

/* Asks the reporter to end when all open tests have. */
void reporter_stop(struct reporter *);

/*
 * Asks the reporter to close the report as it is, without further figures,
 * and to end. The process must end soon after: tests and flows are left.
 */
void reporter_abort(struct reporter *);

/* The process ends without it: leaves the terminal clean. */
void reporter_abandon(struct reporter *);

/* True once it has ended after reporter_stop(). */
bool reporter_has_ended(struct reporter *);

/* Zero, or the errno of a failed write of results. */
int reporter_error(struct reporter *);

/* Joins the thread and frees. After reporter_stop(), by its caller. */
void reporter_free(struct reporter *);

void reporter_settings(struct reporter *, const struct settings_fact *);
void reporter_connection(struct reporter *, const struct connection_fact *);
void reporter_connect_times(struct reporter *,
    const struct connect_times_fact *);
/* A diagnostic on stderr, in order with the results before it. */
void reporter_warn(struct reporter *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for what makes a stream or the run fail. */
void reporter_fail(struct reporter *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A warning without the program's name before it. */
void reporter_line(struct reporter *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The whole report of a run that ended before it had a reporter; why it
 * failed, or NULL, is for those formats that have room for it. Returns 0, or
 * -1 with errno if it could not be written. Main thread.
 */
int report_no_run(const struct options *, FILE *out, enum outcome,
    const char *why);

/* The same of one that failed, and says why on stderr. Main thread. */
void report_failed_run(const struct options *, FILE *out, const char *why);

/* What is known of a test when it begins. */
struct test_plan {
	int streams;	     /* announced; 0 unknown */
	bool until_complete; /* the owner will call test_complete() */
	int64_t duration_ns; /* announced; -1 unknown */
};

/*
 * Opens a test: streams that belong together and share a [SUM]. It ends when
 * all its streams have: at test_complete(), or, unless the plan says to wait
 * for that, when the announced number of streams was there. With fewer it
 * waits a little for late ones. Returns a reference, which test_release()
 * gives back.
 */
struct test *test_open(struct reporter *, const struct test_plan *);
void test_release(struct test *);

/*
 * While a test is held it ends at test_complete() only: a stream of it is on
 * its way. One that was announced and is given up is not waited for.
 */
void test_hold(struct test *, bool is_held);
void test_give_up_stream(struct test *);

/* No further streams will come. */
void test_complete(struct test *);

/* True when the test has ended: flow_open() would return NULL. */
bool test_has_ended(struct test *);

/*
 * Adds a stream to a test, and states its connection. TCP_INFO is sampled
 * from fd, which must stay open until flow_end(). Returns NULL when the test
 * has ended. The flow belongs to the reporter; the worker may use it until
 * it calls flow_end().
 */
struct flow *flow_open(struct test *, const struct connection_fact *,
    enum row_kind, int fd);

/*
 * Adds the other direction of a stream whose connection carries both. Before
 * the first one's flow_end(), by its worker. Another thread may use it. NULL
 * when nobody may join the test any more.
 */
struct flow *flow_open_second(struct flow *first, enum row_kind);

/* Where the worker counts. Worker only. */
struct slot *flow_slot(struct flow *);

/* The stream's clock starts; monotonic time. Once, worker only. */
void flow_start(struct flow *, int64_t start_ns);

/*
 * UDP sender: what the server says has arrived in duration_ns, to be shown
 * at the end of the test. Of the tally bytes, datagrams, advanced (the
 * server's total), gaps (its lost plus its late ones), late, jitter and
 * delay count; it is copied, without histograms. At most once, worker only.
 */
void flow_server_report(struct flow *, const struct tally *,
    int64_t duration_ns);

/*
 * The stream has ended at end_ns. Once, and the worker's last use of the
 * flow; without flow_start() before, the row has no length.
 */
void flow_end(struct flow *, int64_t end_ns);

#endif
