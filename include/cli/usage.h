/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

/*
 * Help and version on a stream; both return 0, or -1 with errno when it
 * could not be written.
 */

#include <stdio.h>

int usage_help(FILE *);
int usage_version(FILE *);

/* How to start, in a few lines, as a diagnostic. */
void usage_short(void);

#endif
