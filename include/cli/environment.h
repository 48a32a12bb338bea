/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

#include <stdbool.h>

struct command_line;
struct options;

/*
 * Applies IPERF_* and TCP_WINDOW_SIZE; call it before the arguments are
 * parsed, which then win. An empty variable is not set, nor is a flag that
 * is 0. Returns false after a message for a bad value.
 */
bool environment_apply(struct command_line *, struct options *);

#endif
