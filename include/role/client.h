/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CLIENT_H
#define ROLE_CLIENT_H

#include <stdint.h>
#include <stdio.h>

struct options;

/*
 * Runs a client to its end, with results to `out`. Returns 0 when the whole
 * test ran (or was ended by a signal), else -1 after a message. Main thread.
 */
int client_run(const struct options *, FILE *out);

/* --connect-only: the same for connects without data. */
int connect_only_run(const struct options *, FILE *out);

#endif
