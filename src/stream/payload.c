/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/alloc.h"
#include "stream/payload.h"

/* Anything less than page alignment costs up to half the throughput. */
#define PAYLOAD_ALIGN 4096

unsigned char *
payload_new(void)
{
	unsigned char *chunk;
	size_t i;

	chunk = xaligned(PAYLOAD_ALIGN, PAYLOAD_CHUNK);
	for (i = 0; i < PAYLOAD_CHUNK; i++)
		chunk[i] = (unsigned char)('0' + i % 10);
	return chunk;
}

void
payload_iov_init(struct payload_iov *p, unsigned char *chunk)
{
	size_t i;

	for (i = 0; i < PAYLOAD_IOVS; i++) {
		p->iov[i].iov_base = chunk;
		p->iov[i].iov_len = PAYLOAD_CHUNK;
	}
}

/*
 * Cuts the last of the iovecs that hold `bytes`, calls, and restores it, so
 * that the array is built only once.
 */
static ssize_t
call_with(ssize_t (*call)(int, const struct iovec *, int), int fd,
    struct payload_iov *p, size_t bytes)
{
	size_t n = (bytes + PAYLOAD_CHUNK - 1) / PAYLOAD_CHUNK;
	ssize_t done;

	p->iov[n - 1].iov_len = bytes - (n - 1) * PAYLOAD_CHUNK;
	done = call(fd, p->iov, (int)n);
	p->iov[n - 1].iov_len = PAYLOAD_CHUNK;
	return done;
}

ssize_t
payload_write(int fd, struct payload_iov *p, size_t bytes)
{
	return call_with(writev, fd, p, bytes);
}

ssize_t
payload_read(int fd, struct payload_iov *p, size_t bytes)
{
	return call_with(readv, fd, p, bytes);
}
