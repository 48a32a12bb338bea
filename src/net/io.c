/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/io.h"

/* Waits for an event on the socket. 0, or -1 with errno. */
static int
wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left_ms;
	int n;

	for (;;) {
		left_ms = -1;
		if (deadline_ns != INT64_MAX) {
			left_ms =
			    (deadline_ns - clock_now_ns() + NS_PER_MS - 1) /
			    NS_PER_MS;
			if (left_ms < 0)
				left_ms = 0;
			if (left_ms > INT32_MAX)
				left_ms = INT32_MAX;
		}
		n = poll(&p, 1, (int)left_ms);
		if (n > 0)
			return 0;
		if (n == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (errno != EINTR)
			return -1;
	}
}

static int
is_transient(int error)
{
	return error == EAGAIN || error == EINTR || error == ENOBUFS;
}

ssize_t
io_read_full(int fd, void *buf, size_t n, int64_t deadline_ns, size_t *got)
{
	unsigned char *at = buf;
	size_t have = 0;
	ssize_t r;

	if (got == NULL)
		got = &have;
	*got = 0;
	while (*got < n) {
		if (wait_for(fd, POLLIN, deadline_ns) == -1)
			return -1;
		r = recv(fd, at + *got, n - *got, MSG_DONTWAIT);
		if (r == 0)
			break;
		if (r > 0)
			*got += (size_t)r;
		else if (!is_transient(errno))
			return -1;
	}
	return (ssize_t)*got;
}

ssize_t
io_peek(int fd, void *buf, size_t n, int64_t deadline_ns)
{
	ssize_t r;

	do {
		if (wait_for(fd, POLLIN, deadline_ns) == -1)
			return -1;
		r = recv(fd, buf, n, MSG_PEEK | MSG_DONTWAIT);
	} while (r == -1 && is_transient(errno));
	return r;
}

int
io_write_full(int fd, const void *buf, size_t n, int64_t deadline_ns)
{
	const unsigned char *at = buf;
	ssize_t w;

	while (n > 0) {
		if (wait_for(fd, POLLOUT, deadline_ns) == -1)
			return -1;
		w = send(fd, at, n, MSG_DONTWAIT);
		if (w > 0) {
			at += w;
			n -= (size_t)w;
		} else if (w == -1 && !is_transient(errno)) {
			return -1;
		} else if (w == -1 && errno == ENOBUFS) {
			/* The socket has room, the system has not. */
			clock_sleep_until(clock_now_ns() + NS_PER_MS);
		}
	}
	return 0;
}
