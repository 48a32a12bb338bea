/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_LOOPBACK_H
#define ROLE_LOOPBACK_H

#include <stdio.h>

struct options;

/*
 * --loopback: a server and a client in this process, over the loopback
 * interface; one report, the client's. Returns as client_run(). Main thread.
 */
int loopback_run(const struct options *, FILE *out);

#endif
