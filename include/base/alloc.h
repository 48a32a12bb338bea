/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

/*
 * Allocation at set-up, for small objects whose absence nobody could handle:
 * running out of memory ends the process with a message. Never called in a
 * send or receive loop. Any thread; the memory is the caller's, for free().
 */

#include <stddef.h>

/* Zeroed memory for n objects. */
void *xcalloc(size_t n, size_t size)
    __attribute__((malloc, returns_nonnull, warn_unused_result));

/* Zeroed memory at a multiple of `align`, a power of two. */
void *xaligned(size_t align, size_t size)
    __attribute__((malloc, returns_nonnull, warn_unused_result));

#endif
