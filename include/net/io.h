/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_IO_H
#define NET_IO_H

/* Whole reads and writes of small messages, with a time limit. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads n bytes. Returns how many came before the end of the stream, or -1
 * with errno: ETIMEDOUT after the deadline (monotonic; INT64_MAX none). What
 * came before an error is stored, and counted in *got, unless got is NULL.
 */
ssize_t io_read_full(int fd, void *buf, size_t n, int64_t deadline_ns,
    size_t *got);

/*
 * Waits for at least a byte, and reads up to n without taking them. Returns
 * how many, 0 at the end of the stream, or -1 with errno as above.
 */
ssize_t io_peek(int fd, void *buf, size_t n, int64_t deadline_ns);

/* Writes n bytes. Returns 0, or -1 with errno: ETIMEDOUT as above. */
int io_write_full(int fd, const void *buf, size_t n, int64_t deadline_ns);

#endif
