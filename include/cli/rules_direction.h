/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RULES_DIRECTION_H
#define CLI_RULES_DIRECTION_H

/* The rules of tests with traffic towards the client. */

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Called by options_finish() when all else is known of a client: chooses the
 * direction and checks what it needs. Returns false after a message.
 */
bool rules_choose_direction(struct options *, struct command_line *);

#endif
