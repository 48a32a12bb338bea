/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "net/datagrams.h"

/* The longest datagram there is, and a byte to see that there is no more. */
#define BUFFER_BYTES 65536

struct datagrams_out {
	int fd;
	size_t size;
	uint8_t *buffers;
};

struct datagrams_in {
	int fd;
	struct sockaddr_storage from;
	struct datagram_in datagram;
	uint8_t buffer[BUFFER_BYTES];
};

struct datagrams_out *
datagrams_out_new(int fd, size_t size)
{
	struct datagrams_out *out = xcalloc(1, sizeof(*out));

	out->fd = fd;
	out->size = size;
	out->buffers = xcalloc(DATAGRAMS_BATCH, size);
	return out;
}

void
datagrams_out_free(struct datagrams_out *out)
{
	if (out == NULL)
		return;
	free(out->buffers);
	free(out);
}

uint8_t *
datagrams_out_buffer(struct datagrams_out *out, unsigned i)
{
	return out->buffers + i * out->size;
}

unsigned
datagrams_out_max(const struct datagrams_out *out)
{
	(void)out;
	return 1;
}

int
datagrams_out_send(struct datagrams_out *out, unsigned n, size_t last_size)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		size_t size = i == n - 1 ? last_size : out->size;

		if (send(out->fd, datagrams_out_buffer(out, i), size,
			MSG_DONTWAIT) == -1)
			return i > 0 ? (int)i : -1;
	}
	return (int)n;
}

enum datagrams_method
datagrams_out_method(const struct datagrams_out *out)
{
	(void)out;
	return DATAGRAMS_SINGLE;
}

void
datagrams_out_limit(struct datagrams_out *out, enum datagrams_method best)
{
	(void)out;
	(void)best;
}

struct datagrams_in *
datagrams_in_new(int fd, bool with_gro)
{
	struct datagrams_in *in = xcalloc(1, sizeof(*in));

	(void)with_gro;
	in->fd = fd;
	in->datagram.data = in->buffer;
	in->datagram.from = &in->from;
	in->datagram.tos = -1;
	return in;
}

void
datagrams_in_free(struct datagrams_in *in)
{
	free(in);
}

int
datagrams_in_receive(struct datagrams_in *in)
{
	socklen_t len = sizeof(in->from);
	ssize_t n;

	n = recvfrom(in->fd, in->buffer, sizeof(in->buffer), 0,
	    (struct sockaddr *)&in->from, &len);
	if (n == -1)
		return -1;
	in->datagram.bytes = in->datagram.stored = (size_t)n;
	in->datagram.wall_ns = clock_wall_ns();
	return 1;
}

const struct datagram_in *
datagrams_in_get(const struct datagrams_in *in, unsigned i)
{
	(void)i;
	return &in->datagram;
}

uint64_t
datagrams_in_take_drops(struct datagrams_in *in)
{
	(void)in;
	return 0;
}

bool
datagrams_in_fills(const struct datagrams_in *in)
{
	(void)in;
	return false;
}
