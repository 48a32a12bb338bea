/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

/*
 * Help, all about one option, and version on a stream; they return 0, or -1
 * with errno when it could not be written.
 */

#include <stdio.h>

#include "cli/option_table.h"

int usage_help(FILE *);
int usage_option(FILE *, enum option_id);
int usage_version(FILE *);

/* How to start, in a few lines, as a diagnostic. */
void usage_short(void);

#endif
