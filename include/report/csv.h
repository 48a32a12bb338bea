/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

/*
 * The columns that -e adds to comma-separated values, for
 * src/report/writer_csv.c only (output.md, 24.2). Which ones depends on the
 * kind of a row; a line of their names precedes the first row and each one
 * whose columns differ.
 */

#include <stdio.h>

struct row_fact;

struct csv_columns {
	const char *names; /* with a comma before each */
	void (*write)(FILE *, const struct row_fact *);
};

/* The columns that a row has besides those of all; one object per kind. */
const struct csv_columns *csv_columns_of(const struct row_fact *);

#endif
