/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_PAYLOAD_H
#define STREAM_PAYLOAD_H

/*
 * What a sender sends: the digits "0123456789", over and over, in one small
 * page-aligned buffer that all streams of a test share and that a vectored
 * write names many times. Every byte is still copied into the kernel, but
 * from memory that stays in the cache, and large writes need no large buffers
 * (doc/DESIGN.md, "Sending").
 */

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Two pages: a sender's chunk and a receiver's share the first-level cache. */
#define PAYLOAD_CHUNK 8192

/* iovecs in one call, 1 MB. */
#define PAYLOAD_IOVS 128
#define PAYLOAD_CALL_MAX ((size_t)PAYLOAD_IOVS * PAYLOAD_CHUNK)

/* An iovec array for calls of one thread, all naming the same buffer. */
struct payload_iov {
	struct iovec iov[PAYLOAD_IOVS];
};

/* The buffer, PAYLOAD_CHUNK bytes; the caller frees it. */
unsigned char *payload_new(void);

/* Points all iovecs at the buffer. */
void payload_iov_init(struct payload_iov *, unsigned char *chunk);

/*
 * Writes (reads) `bytes` of payload, 1..PAYLOAD_CALL_MAX, in one call.
 * Returns as writev() (readv()).
 */
ssize_t payload_write(int fd, struct payload_iov *, size_t bytes);
ssize_t payload_read(int fd, struct payload_iov *, size_t bytes);

#endif
