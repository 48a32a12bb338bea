/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/sock_os.h"

static int
set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* Linux takes SO_DONTROUTE with IPv6, too, but uses its routes all the same. */
int
sock_os_set_local(int fd, int family)
{
	if (family != AF_INET6)
		return set_int(fd, SOL_SOCKET, SO_DONTROUTE, 1);
	errno = ENOTSUP;
	return -1;
}

int
sock_os_bind_device(int fd, const char *device)
{
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device,
	    (socklen_t)strlen(device) + 1);
}

int
sock_os_set_congestion(int fd, const char *name)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name,
	    (socklen_t)strlen(name));
}

void
sock_os_congestion(int fd, char *name, size_t size)
{
	socklen_t len = (socklen_t)size - 1;

	memset(name, 0, size);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len) == -1)
		name[0] = '\0';
}

int
sock_os_set_unsent_limit(int fd, int64_t bytes)
{
	return set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (int)bytes);
}

int
sock_os_set_window_clamp(int fd, int64_t bytes)
{
	return set_int(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, (int)bytes);
}

int
sock_os_set_pacing(int fd, int64_t rate_bps)
{
	/* Bytes per second; kernels before 4.20 read 32 bits of it. */
	uint64_t rate = (uint64_t)rate_bps / 8;

	return setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate,
	    sizeof(rate));
}

int
sock_os_force_receive_buffer(int fd, int bytes)
{
	return set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes);
}

int
sock_os_set_quickack(int fd)
{
	return set_int(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
}

int
sock_os_set_keepalive(int fd, int idle_s, int probe_s)
{
	if (set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1) == -1 ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle_s) == -1 ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, probe_s) == -1)
		return -1;
	return set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

int
sock_os_set_user_timeout(int fd, int64_t ns)
{
	return set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
	    (int)(ns / NS_PER_MS));
}

/* A socket of IPv6 may have peers of either family, one of IPv4 has not. */
int
sock_os_report_tos(int fd)
{
	int v4 = set_int(fd, IPPROTO_IP, IP_RECVTOS, 1);
	int v6 = set_int(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);

	return v4 == -1 && v6 == -1 ? -1 : 0;
}

/*
 * The kernel notes the byte of the last packet of the handshake, and tells it
 * while the option is on; with IPv6 that costs a copy of each packet.
 */
int
sock_os_received_tos(int fd, bool is_v4)
{
	_Alignas(struct cmsghdr) uint8_t control[256];
	int level = is_v4 ? IPPROTO_IP : IPPROTO_IPV6;
	int option = is_v4 ? IP_RECVTOS : IPV6_RECVTCLASS;
	int type = is_v4 ? IP_TOS : IPV6_TCLASS;
	struct msghdr m = {.msg_control = control};
	socklen_t len = sizeof(control);
	struct cmsghdr *c;
	int rc, tos;

	if (set_int(fd, level, option, 1) == -1)
		return -1;
	rc = getsockopt(fd, level, is_v4 ? IP_PKTOPTIONS : IPV6_2292PKTOPTIONS,
	    control, &len);
	set_int(fd, level, option, 0);
	if (rc == -1)
		return -1;
	m.msg_controllen = len;
	for (c = CMSG_FIRSTHDR(&m); c != NULL; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level != level || c->cmsg_type != type ||
		    c->cmsg_len < CMSG_LEN(sizeof(tos)))
			continue;
		memcpy(&tos, CMSG_DATA(c), sizeof(tos));
		return tos & 0xff;
	}
	errno = ENOTSUP;
	return -1;
}

int
sock_os_unacknowledged(int fd, uint64_t *bytes)
{
	int n;

	if (ioctl(fd, SIOCOUTQ, &n) == -1)
		return -1;
	*bytes = (uint64_t)n;
	return 0;
}

int
sock_os_path_mtu(int fd, int family, int *bytes)
{
	socklen_t len = sizeof(*bytes);

	return family == AF_INET6
		   ? getsockopt(fd, IPPROTO_IPV6, IPV6_MTU, bytes, &len)
		   : getsockopt(fd, IPPROTO_IP, IP_MTU, bytes, &len);
}

ssize_t
sock_os_discard(int fd, size_t n)
{
	return recv(fd, NULL, n, MSG_TRUNC);
}
