/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RULES_ADDRESS_H
#define CLI_RULES_ADDRESS_H

/* The rules for hosts, address families, ports and the number of streams. */

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Called by options_finish() when the role is known. Return false after a
 * message.
 */
bool rules_check_addresses(struct options *, const struct command_line *);
bool rules_spread_streams(struct options *, const struct command_line *);

#endif
