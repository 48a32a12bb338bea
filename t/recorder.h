/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDER_H
#define RECORDER_H

/*
 * A writer that keeps what it is told, for the tests of the folds and of the
 * reporter. Written by the thread that calls it; read when that has ended.
 */

#include <stdbool.h>
#include <stddef.h>

#include "measure/tally.h"
#include "measure/tcp_info.h"
#include "report/fact.h"
#include "report/writer.h"

#define RECORDER_MAX 4096

struct record {
	enum record_kind {
		RECORD_SETTINGS,
		RECORD_CONNECTED,
		RECORD_TEST_BEGINS,
		RECORD_INTERVAL,
		RECORD_TOTAL,
		RECORD_CONNECT_TIMES,
		RECORD_END,
	} kind;
	int id;		     /* of a connection */
	struct row_fact row; /* its pointers are to the copies below */
	struct tally tally;
	struct tcp_sample tcp;
};

/* Forgets all. Connect times are also a line of the report. */
const struct writer *recorder_new(void);

size_t recorder_count(void);
const struct record *recorder_get(size_t);

/*
 * Finds the n-th row, from 0: an interval or a total of stream id, or of the
 * sum with id -1. Fails the test if there is none; for the main thread.
 */
const struct row_fact *recorder_row(enum record_kind, int id, size_t n);

/* How many of those there are. */
size_t recorder_rows(enum record_kind, int id);

/* How many records of a kind there are. */
size_t recorder_records(enum record_kind);

/*
 * Fails the test unless every stream's intervals (if there are any) follow
 * each other without a gap from its start on and add up to its total, those
 * of the sum add up likewise if there were some from the start, and all
 * totals add up to the sum's. For a report of one test.
 */
void recorder_check_sums(void);

#endif
