/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/sock_os.h"
#include "net/sock_set.h"
#include "net/socket.h"

/* How often a pending connect looks at the caller's stop condition. */
#define CONNECT_POLL_MS 20

/* Connections that may wait to be accepted; the kernel has its own limit. */
#define LISTEN_BACKLOG 4096

/* A server sends to a client that reads nothing for so long. */
#define UNREAD_NS (30 * NS_PER_S)

/* A peer that is silent for 15 s is probed every 5 s, three times. */
#define KEEPALIVE_IDLE_S 15
#define KEEPALIVE_PROBE_S 5

void
net_error_set(struct net_error *err, const char *fmt, ...)
{
	va_list ap;

	err->code = errno;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}

static int
set_timeout(int fd, int name, int64_t ns)
{
	struct timeval tv;

	tv.tv_sec = (time_t)(ns / NS_PER_S);
	tv.tv_usec = (suseconds_t)(ns % NS_PER_S / NS_PER_US);
	return setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv));
}

int
socket_set_send_timeout(int fd, int64_t ns)
{
	return set_timeout(fd, SO_SNDTIMEO, ns);
}

int
socket_set_receive_timeout(int fd, int64_t ns)
{
	return set_timeout(fd, SO_RCVTIMEO, ns);
}

static int64_t
buffer_size(int fd, int name)
{
	int v;
	socklen_t len = sizeof(v);

	return getsockopt(fd, SOL_SOCKET, name, &v, &len) == -1 ? -1 : v;
}

int64_t
socket_send_buffer(int fd)
{
	return buffer_size(fd, SO_SNDBUF);
}

int64_t
socket_receive_buffer(int fd)
{
	return buffer_size(fd, SO_RCVBUF);
}

/* A dual-stack socket carries both bytes; one of the two must take it. */
int
socket_set_tos(int fd, int tos)
{
	int v4 = sock_set_int(fd, IPPROTO_IP, IP_TOS, tos);
	int v6 = sock_set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, tos);

	return v4 == -1 && v6 == -1 ? -1 : 0;
}

int
socket_received_tos(int fd, const struct address *peer)
{
	struct sockaddr_in6 sin6;
	bool is_v4 = peer->ss.ss_family == AF_INET;

	if (!is_v4) {
		memcpy(&sin6, &peer->ss, sizeof(sin6));
		is_v4 = IN6_IS_ADDR_V4MAPPED(&sin6.sin6_addr);
	}
	return sock_os_received_tos(fd, is_v4);
}

static int
set_ttl(int fd, int family, int ttl)
{
	if (family == AF_INET6)
		return sock_set_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl);
	return sock_set_int(fd, IPPROTO_IP, IP_TTL, ttl);
}

static int
set_congestion(int fd, const struct options *o, struct net_error *err)
{
	if (o->congestion[0] == '\0' ||
	    sock_os_set_congestion(fd, o->congestion) == 0)
		return 0;
	net_error_set(err, "congestion control '%s' is not available: %s",
	    o->congestion, strerror(errno));
	return -1;
}

/* What both ends set before connect() or listen(). */
static int
set_common(int fd, const struct options *o, struct net_error *err)
{
	if (o->mss_bytes >= 0 &&
	    sock_set_int(fd, IPPROTO_TCP, TCP_MAXSEG, o->mss_bytes) == -1) {
		net_error_set(err, "cannot set an MSS of %d bytes: %s",
		    o->mss_bytes, strerror(errno));
		return -1;
	}
	if (o->nodelay && sock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1) == -1) {
		net_error_set(err, "TCP_NODELAY: %s", strerror(errno));
		return -1;
	}
	if (sock_set_tos(fd, o, err) == -1)
		return -1;
	return set_congestion(fd, o, err);
}

static int
open_stream(int family, struct net_error *err)
{
	int fd;

	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	if (fd == -1)
		net_error_set(err, "socket: %s", strerror(errno));
	return fd;
}

/* What the sending end of a connection sets. */
static int
set_sending(int fd, const struct options *o, struct net_error *err)
{
	if (sock_set_window(fd, SO_SNDBUF, o, err) == -1 ||
	    sock_set_pacing(fd, o, err) == -1)
		return -1;
	if (o->write_prefetch_bytes > 0 &&
	    sock_os_set_unsent_limit(fd, o->write_prefetch_bytes) == -1) {
		net_error_set(err, "cannot set the write prefetch: %s",
		    strerror(errno));
		return -1;
	}
	return 0;
}

static int
set_client(int fd, int family, const struct options *o, struct net_error *err)
{
	bool receives = o->direction == DIRECTION_REVERSE ||
			o->direction == DIRECTION_FULL_DUPLEX;

	if (receives && sock_set_window(fd, SO_RCVBUF, o, err) == -1)
		return -1;
	if (o->ttl >= 0 && set_ttl(fd, family, o->ttl) == -1) {
		net_error_set(err, "cannot set TTL %d: %s", o->ttl,
		    strerror(errno));
		return -1;
	}
	if (sock_set_local(fd, family, o, err) == -1)
		return -1;
	if (o->direction != DIRECTION_REVERSE && set_sending(fd, o, err) == -1)
		return -1;
	return set_common(fd, o, err);
}

int
socket_client(const struct address *peer, const struct address *local,
    const struct options *o, struct net_error *err)
{
	int fd;

	fd = open_stream(peer->ss.ss_family, err);
	if (fd == -1)
		return -1;
	if (set_client(fd, peer->ss.ss_family, o, err) == -1 ||
	    sock_bind_device(fd, o->server.device, err) == -1)
		goto fail;
	if (local != NULL) {
		/* A fixed port may still be in TIME_WAIT from the last run. */
		if (address_port(local) != 0)
			sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
		if (sock_bind(fd, local, err) == -1)
			goto fail;
	}
	return fd;
fail:
	close(fd);
	return -1;
}

static int
set_blocking(int fd, bool blocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags == -1)
		return -1;
	flags = blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags);
}

/* Waits for a connect that is under way. 0, or -1 with errno. */
static int
wait_connected(int fd, int64_t deadline_ns, bool (*stop)(void *), void *arg)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int error, n;
	socklen_t len = sizeof(error);

	while ((n = poll(&p, 1, CONNECT_POLL_MS)) == 0 ||
	       (n == -1 && errno == EINTR)) {
		if (stop(arg)) {
			errno = ECANCELED;
			return -1;
		}
		if (clock_now_ns() >= deadline_ns) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
	if (n == -1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == -1)
		return -1;
	if (error != 0) {
		errno = error;
		return -1;
	}
	return 0;
}

int
socket_connect(int fd, const struct address *peer, int64_t deadline_ns,
    bool (*stop)(void *), void *arg)
{
	if (set_blocking(fd, false) == -1)
		return -1;
	if (connect(fd, (const struct sockaddr *)&peer->ss, peer->len) == -1) {
		if (errno != EINPROGRESS && errno != EINTR)
			return -1;
		if (wait_connected(fd, deadline_ns, stop, arg) == -1)
			return -1;
	}
	return set_blocking(fd, true);
}

static int
set_server(int fd, const struct address *a, const struct options *o,
    struct net_error *err)
{
	sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (a->ss.ss_family == AF_INET6 &&
	    sock_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) == -1) {
		net_error_set(err, "IPV6_V6ONLY: %s", strerror(errno));
		return -1;
	}
	if (sock_set_window(fd, SO_RCVBUF, o, err) == -1)
		return -1;
	if (o->rx_window_clamp_bytes >= 0 &&
	    sock_os_set_window_clamp(fd, o->rx_window_clamp_bytes) == -1) {
		net_error_set(err, "cannot clamp the window: %s",
		    strerror(errno));
		return -1;
	}
	return set_common(fd, o, err);
}

int
socket_listen(const struct address *a, const struct options *o,
    struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];
	int fd;

	fd = open_stream(a->ss.ss_family, err);
	if (fd == -1)
		return -1;
	if (set_server(fd, a, o, err) == -1 ||
	    sock_bind_device(fd, o->bind.device, err) == -1 ||
	    sock_bind(fd, a, err) == -1)
		goto fail;
	if (listen(fd, LISTEN_BACKLOG) == -1 || set_blocking(fd, false) == -1) {
		net_error_set(err, "listen failed: %s [%s]", strerror(errno),
		    address_text(a, text, sizeof(text)));
		goto fail;
	}
	return fd;
fail:
	close(fd);
	return -1;
}

int
socket_set_keepalive(int fd)
{
	if (sock_os_set_keepalive(fd, KEEPALIVE_IDLE_S, KEEPALIVE_PROBE_S) ==
		0 ||
	    errno == ENOTSUP)
		return 0;
	return -1;
}

void
socket_limit_unread(int fd)
{
	/* Without it the limits of TCP itself, many minutes, hold. */
	(void)sock_os_set_user_timeout(fd, UNREAD_NS);
}

int
socket_set_sender(int fd, const struct options *o, struct net_error *err)
{
	if (set_sending(fd, o, err) == -1)
		return -1;
	socket_limit_unread(fd);
	return set_congestion(fd, o, err);
}

int
socket_accepted(int fd, const struct options *o)
{
	if (o->quickack)
		sock_os_set_quickack(fd);
	if (socket_set_keepalive(fd) == -1)
		return -1;
	return set_blocking(fd, true);
}
