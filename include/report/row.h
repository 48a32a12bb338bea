/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

/* What every writer asks of a row of figures, and of wall time. Pure. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "report/fact.h"

struct options;

/* Whether figures of a kind are those of a receiver, or of both directions. */
bool row_kind_receives(enum row_kind);
bool row_kind_is_both(enum row_kind);

/* Whether a row is of both directions of one stream. */
bool row_is_of_pair(const struct row_fact *);

/* Whether the options (--sum-only, -x D) leave this row in the report. */
bool row_is_wanted(const struct row_fact *, const struct options *);

/* Whether the row, a server report, is left in the report. */
bool row_server_report_is_wanted(const struct options *);

/*
 * Bytes per second over the true length of the row, however short it is; 0
 * if it has none.
 */
double row_rate(const struct row_fact *);

/* UDP: datagrams per second, likewise. */
double row_pps(const struct row_fact *);

/*
 * UDP receiver: datagrams that came behind one with a higher number. That
 * includes duplicates, as it always has; rows tell their number apart.
 */
uint64_t row_out_of_order(const struct row_fact *);

/* UDP receiver: what was lost of what was sent; 0 of nothing is 0. */
double row_lost_percent(const struct row_fact *);

/* Breaks wall time (ns since 1970) down, in local time or UTC. */
void row_break_down_time(struct tm *, int64_t wall_ns, const struct options *);

#endif
