/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RULES_HANDSHAKE_H
#define CLI_RULES_HANDSHAKE_H

/* The rules of what client and server agree on before data flow. */

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Called by options_finish() when the direction is known. Returns false after
 * a message.
 */
bool rules_check_handshake(struct options *, struct command_line *);

#endif
