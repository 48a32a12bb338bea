/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

/*
 * A writer turns facts into bytes: one const struct of functions per format.
 * The reporter calls them, from its thread only, in the order in which the
 * facts happened; it never asks which writer is active, and a writer keeps
 * no figures. Facts belong to the caller and are valid during the call. The
 * reporter flushes the output after each batch of facts.
 */

#include <stdio.h>

#include "report/fact.h"

struct options;

struct writer {
	/*
	 * Begins a report on `out`, which stays the caller's. Returns the
	 * writer's state; never NULL. Options outlive the writer.
	 */
	void *(*begin)(FILE *out, const struct options *);
	void (*settings)(void *, const struct settings_fact *);
	void (*connected)(void *, const struct connection_fact *);
	/* The next row is the first one of a test. */
	void (*test_begins)(void *);
	void (*interval)(void *, const struct row_fact *);
	void (*total)(void *, const struct row_fact *);
	/* Follows the total of a UDP sender, or of a sum of them. */
	void (*udp_sent)(void *, const struct udp_sent_fact *);
	/* A row that the far end measured; after all totals of a test. */
	void (*server_report)(void *, const struct row_fact *);
	/* Follows these if there are several, one for each stream. */
	void (*server_report_sum)(void *, const struct row_fact *);
	void (*connect_times)(void *, const struct connect_times_fact *);
	/* A diagnostic, before it is on stderr. */
	void (*remark)(void *, const struct remark_fact *);
	/*
	 * Ends the report. Returns 0, or -1 with errno when what was kept for
	 * the end has been lost; failures of `out` are its own.
	 */
	int (*conclude)(void *, enum outcome);
	/* Frees the state, after conclude() or instead of it. */
	void (*end)(void *);
};

/*
 * The writer for the style that the options ask for. NULL when the program
 * was built without it; the command line refuses such a style.
 */
const struct writer *writer_for(const struct options *);

const struct writer *writer_csv(void);	       /* -y C */
const struct writer *writer_json(void);	       /* --json; NULL: not built */
const struct writer *writer_json_stream(void); /* --json-stream; likewise */
const struct writer *writer_null(void);	       /* writes nothing */
const struct writer *writer_text(void);

#endif
