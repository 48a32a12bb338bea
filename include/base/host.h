/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_HOST_H
#define BASE_HOST_H

/* What a report says of the machine that it was made on. */

#include <stddef.h>

/*
 * The name of the first processor, as the system gives it; "" where it does
 * not. Any thread.
 */
void host_cpu_model(char *buf, size_t size);

/* Processors in use by the system; 0 unknown. Any thread. */
int host_cpus(void);

#endif
