/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

/*
 * Facts as JSON objects: each function adds the members of one kind of fact
 * to an object of the caller. doc/json-schema.json describes them; a change
 * that readers would notice raises RECORD_SCHEMA_VERSION. For the writers of
 * JSON only (src/report/writer_json.c).
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/fact.h"

struct options;

#define RECORD_SCHEMA_VERSION 1

/* What a run used up to a moment. */
struct usage_mark {
	int64_t now_ns; /* monotonic */
	int64_t wall_ns;
	int64_t user_ns;   /* processor time of the process */
	int64_t system_ns; /* ... in the kernel */
};

void usage_mark_take(struct usage_mark *);

/* Program, machine, and when the report began. */
void record_start(json_t *, const struct usage_mark *begin);

/* Settings as asked for, and what the system made of them. */
void record_settings(json_t *, const struct settings_fact *);

/* The same of a run that failed before it had a socket. */
void record_options(json_t *, const struct options *);

void record_connection(json_t *, const struct connection_fact *,
    const struct options *);
void record_row(json_t *, const struct row_fact *);
void record_connect_times(json_t *, const struct connect_times_fact *);
void record_remark(json_t *, const struct remark_fact *);

/* How the run ended; `error` is the first one, "" none. */
void record_end(json_t *, enum outcome, const char *error,
    const struct usage_mark *begin);

#endif
