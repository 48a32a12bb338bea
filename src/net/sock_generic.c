/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "net/sock_os.h"

static int
unsupported(void)
{
	errno = ENOTSUP;
	return -1;
}

int
sock_os_set_local(int fd, int family)
{
	int on = 1;

	(void)family;
	return setsockopt(fd, SOL_SOCKET, SO_DONTROUTE, &on, sizeof(on));
}

int
sock_os_bind_device(int fd, const char *device)
{
	(void)fd;
	(void)device;
	return unsupported();
}

int
sock_os_set_congestion(int fd, const char *name)
{
	(void)fd;
	(void)name;
	return unsupported();
}

void
sock_os_congestion(int fd, char *name, size_t size)
{
	(void)fd;
	if (size > 0)
		name[0] = '\0';
}

int
sock_os_set_unsent_limit(int fd, int64_t bytes)
{
	(void)fd;
	(void)bytes;
	return unsupported();
}

int
sock_os_set_window_clamp(int fd, int64_t bytes)
{
	(void)fd;
	(void)bytes;
	return unsupported();
}

int
sock_os_set_pacing(int fd, int64_t rate_bps)
{
	(void)fd;
	(void)rate_bps;
	return unsupported();
}

int
sock_os_force_receive_buffer(int fd, int bytes)
{
	(void)fd;
	(void)bytes;
	return unsupported();
}

int
sock_os_set_quickack(int fd)
{
	(void)fd;
	return unsupported();
}

int
sock_os_set_keepalive(int fd, int idle_s, int probe_s)
{
	(void)fd;
	(void)idle_s;
	(void)probe_s;
	return unsupported();
}

int
sock_os_set_user_timeout(int fd, int64_t ns)
{
	(void)fd;
	(void)ns;
	return unsupported();
}

int
sock_os_report_tos(int fd)
{
	(void)fd;
	return unsupported();
}

int
sock_os_received_tos(int fd, bool is_v4)
{
	(void)fd;
	(void)is_v4;
	return unsupported();
}

int
sock_os_unacknowledged(int fd, uint64_t *bytes)
{
	(void)fd;
	(void)bytes;
	return unsupported();
}

int
sock_os_path_mtu(int fd, int family, int *bytes)
{
	(void)fd;
	(void)family;
	(void)bytes;
	return unsupported();
}

ssize_t
sock_os_discard(int fd, size_t n)
{
	(void)fd;
	(void)n;
	return unsupported();
}
