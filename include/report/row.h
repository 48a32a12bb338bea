/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

/* What every writer asks of a row of figures, and of wall time. Pure. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct options;
struct row_fact;

/* Whether the options (--sum-only, -x D) leave this row in the report. */
bool row_is_wanted(const struct row_fact *, const struct options *);

/*
 * Bytes per second over the true length of the row, however short it is; 0
 * if it has none.
 */
double row_rate(const struct row_fact *);

/* Breaks wall time (ns since 1970) down, in local time or UTC. */
void row_break_down_time(struct tm *, int64_t wall_ns, const struct options *);

#endif
