/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

/*
 * From the text behind an option to a member of struct options, as the row
 * of the option says. Pure.
 */

#include <stdbool.h>

#include "cli/option_table.h"

struct options;

#define VALUE_REASON_MAX 128

/* Sets every member to "unset", or to its default where it has no unset. */
void value_init(struct options *);

/*
 * Reads the text and stores it. The text is NULL for an option without
 * argument. On failure returns false with the reason, the end of a sentence
 * ("out of range (1 to 63)"); the options are then as they were.
 */
bool value_store(const struct option_info *, const char *text, struct options *,
    char reason[VALUE_REASON_MAX]);

/* Sets the member of an option back to what value_init() left there. */
void value_reset(const struct option_info *, struct options *);

#endif
