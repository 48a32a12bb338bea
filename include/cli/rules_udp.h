/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RULES_UDP_H
#define CLI_RULES_UDP_H

/* The rules that tell UDP from TCP. Return false after a message. */

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Called by options_finish() when role and protocol are known: refuses or
 * forgets what the protocol cannot do.
 */
bool rules_check_protocol(struct options *, struct command_line *);

/* Called when addresses are known too: length, rate, multicast of UDP. */
bool rules_finish_udp(struct options *, const struct command_line *);

#endif
