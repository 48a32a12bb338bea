/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_SPOOL_H
#define REPORT_SPOOL_H

/*
 * Text that is written now and belongs at the end of the output: in memory
 * while there is little of it, then in a temporary file, so that a report of
 * any length needs no more memory. One owner at a time.
 */

#include <stdbool.h>
#include <stdio.h>

/* What stays in memory, bytes. */
#define SPOOL_MEMORY_BYTES 262144

struct spool {
	FILE *file; /* where to write; NULL before the first time */
	char *text;
	size_t size;
	bool on_disk;
	bool kept; /* there is no file to be had: all stays in memory */
};

void spool_init(struct spool *);
void spool_fini(struct spool *);

/*
 * Where to write what comes next; never NULL. Moves what there is to a file
 * first when it has become much; without one it stays where it is, after a
 * warning.
 */
FILE *spool_file(struct spool *);

/*
 * Copies everything to `out`. Returns 0, or -1 with errno when the spool has
 * failed; failures of `out` are its own.
 */
int spool_copy(struct spool *, FILE *out);

#endif
