/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RULES_H
#define CLI_RULES_H

/*
 * The second phase of the command line: mode, defaults, what one option
 * implies, forbids or makes useless of another. Nothing depends on the
 * order of the options, except that the later of -t and -n counts.
 */

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Completes the options. Returns false after a message when they do not
 * describe a test. May forget options without effect in `line`.
 */
bool options_finish(struct options *, struct command_line *line);

#endif
