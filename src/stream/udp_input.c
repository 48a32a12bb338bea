/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "stream/udp_input.h"

/* As long as a send may block, so that deadlines hold. */
#define AWAIT_MS 20

int
udp_input_load(struct udp_input *in, uint8_t *buf, size_t size)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};
	ssize_t n;

	while (in->loaded < size && !in->has_ended) {
		/* Standard input may be one that blocks. */
		if (poll(&p, 1, 0) <= 0)
			return 0;
		n = read(in->fd, buf + in->loaded, size - in->loaded);
		if (n > 0)
			in->loaded += (size_t)n;
		else if (n == 0)
			in->has_ended = true;
		else if (errno == EAGAIN)
			return 0;
		else if (errno != EINTR) {
			in->error = errno;
			in->has_ended = true;
			return -1;
		}
	}
	return 1;
}

void
udp_input_await(const struct udp_input *in)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};

	poll(&p, 1, AWAIT_MS);
}
