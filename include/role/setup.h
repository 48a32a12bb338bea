/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_SETUP_H
#define ROLE_SETUP_H

/*
 * What precedes a run and may take as long as it likes, as the look-up of a
 * name does. It has a thread of its own, so that a signal can end it: neither
 * can a resolver be told to stop, nor is it safe to interrupt.
 */

#include <stdio.h>

struct net_error;
struct options;

/*
 * Calls the work with its argument and returns what that returns, or -1 with
 * *err filled in if there is no thread to be had. The first SIGINT or SIGTERM
 * meanwhile writes the report of a run that was interrupted, and ends the
 * process. Main thread, with its signals blocked and no reporter that writes
 * to `out`.
 */
int setup_run(const struct options *, FILE *out, int (*work)(void *), void *arg,
    struct net_error *err);

#endif
