/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

/*
 * A report into memory, for the tests of the writers of text and of CSV: a
 * checked fixture and the facts of a usual run, which tests alter as they
 * need.
 */

#include <check.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "report/fact.h"
#include "report/writer.h"

#define TEXT_RULE \
	"------------------------------------------------------------\n"

struct text_report {
	const struct writer *writer;
	struct options options;
	FILE *out;
	char *text; /* what has been flushed; NULL before the first flush */
	size_t size;
	void *state;
};

/* The fixture: begins and ends a client's report in UTC, without -e. */
void text_report_set_up(void);
void text_report_tear_down(void);

/* A new case of the suite, whose tests have this fixture. */
TCase *text_report_case(Suite *, const char *name);

/* The same for a report in CSV. */
TCase *text_report_case_csv(Suite *, const char *name);

/* Begins anew, in the style that the options ask for. */
void text_report_restart(void);

/* The report under way. */
struct text_report *text_report(void);

/* Flushes, and compares all that has been written. */
void text_report_check(const char *expected);

/* The same for a report that must be empty. */
void text_report_check_empty(void);

/* A port of 127.0.0.1. */
void text_report_address(struct sockaddr_storage *, uint16_t port);

/* A client of 127.0.0.1 port 5721, process 530, one stream. */
struct settings_fact text_report_client(void);

/* A server on port 5721, process 389; makes the options a server's. */
struct settings_fact text_report_server(void);

/* Stream 1 of that client, connected 2026-11-30 19:38:02.099 UTC. */
struct connection_fact text_report_connection(void);

/* A row of stream id, or of the sum of 2 streams with id -1. */
struct row_fact text_report_row(enum row_kind, int id, int64_t start_ms,
    int64_t end_ms, const struct tally *);

#endif
