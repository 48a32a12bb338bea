/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_THREADS_H
#define ROLE_THREADS_H

#include <pthread.h>

/*
 * Starts a thread with a small stack: a thousand of them are an ordinary
 * case. With thread NULL it is detached. Returns 0 or an errno value.
 */
int threads_start(pthread_t *thread, void *(*main)(void *), void *arg);

#endif
