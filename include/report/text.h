/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

/*
 * The parts of the text writer, for src/report/writer_text.c only: each
 * function writes the lines of one kind of fact. Whether the options want
 * that kind, and flushing, is the caller's business.
 */

#include <stdbool.h>
#include <stdio.h>

#include "base/units.h"

struct connection_fact;
struct options;
struct row_fact;
struct settings_fact;
struct text_header;

struct text_state {
	FILE *out;
	const struct options *options;
	/* Of the test that is running: */
	const struct text_header *header; /* last one printed; NULL none */
	bool sum_introduced;		  /* a sum has had its header */
};

/* The identifier of a stream, with the blank that follows it. */
#define TEXT_ID "[%3d] "

/* The same, with the star of a stream whose ends have changed roles. */
void text_id(struct text_state *, int id, bool reversed);

/* A permit key; what could confuse a reader or a terminal as \\xHH. */
void text_key(FILE *, const char *);

/* The banner that precedes everything else. */
void text_settings(struct text_state *, const struct settings_fact *);

/* The line of a new connection. */
void text_connection(struct text_state *, const struct connection_fact *);

/* A line of figures, with a header where the one above does not suit. */
void text_row(struct text_state *, const struct row_fact *);

/* The stream and the times with which a row and its remarks begin. */
void text_row_begin(struct text_state *, const struct row_fact *);

/* What the rows of UDP have behind the rate; for the table of layouts. */
void text_udp_send(FILE *, const struct row_fact *);
void text_udp_recv(FILE *, const struct row_fact *);
void text_udp_recv_enhanced(FILE *, const struct row_fact *);
void text_udp_recv_sum(FILE *, const struct row_fact *);
void text_udp_recv_sum_only(FILE *, const struct row_fact *);
void text_udp_recv_sum_enhanced(FILE *, const struct row_fact *);
void text_udp_recv_sum_delays(FILE *, const struct row_fact *);
void text_udp_both(FILE *, const struct row_fact *);

/* The lines below a row of UDP, each if there is something to say. */
void text_udp_remarks(struct text_state *, const struct row_fact *);

/* The histograms of a row, if any. */
void text_histograms(struct text_state *, const struct row_fact *);

/* Makes the next row one that needs a header. */
void text_rows_restart(struct text_state *);

#endif
