/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "net/sock_os.h"
#include "net/sock_set.h"

int
sock_set_int(int fd, int level, int name, int64_t value)
{
	int v = (int)value;

	return setsockopt(fd, level, name, &v, sizeof(v));
}

int
sock_set_window(int fd, int name, const struct options *o,
    struct net_error *err)
{
	if (o->window_bytes < 0 ||
	    sock_set_int(fd, SOL_SOCKET, name, o->window_bytes) == 0)
		return 0;
	net_error_set(err, "cannot set a window of %lld bytes: %s",
	    (long long)o->window_bytes, strerror(errno));
	return -1;
}

int
sock_set_tos(int fd, const struct options *o, struct net_error *err)
{
	if (o->tos < 0 || socket_set_tos(fd, o->tos) == 0)
		return 0;
	net_error_set(err, "cannot set TOS 0x%02x: %s", o->tos,
	    strerror(errno));
	return -1;
}

int
sock_set_pacing(int fd, const struct options *o, struct net_error *err)
{
	if (o->fq_rate_bps < 0 || sock_os_set_pacing(fd, o->fq_rate_bps) == 0)
		return 0;
	net_error_set(err, "cannot set the pacing rate: %s", strerror(errno));
	return -1;
}

int
sock_set_local(int fd, int family, const struct options *o,
    struct net_error *err)
{
	if (!o->local_only || sock_os_set_local(fd, family) == 0)
		return 0;
	net_error_set(err, "cannot do without routers (--local-only)%s: %s",
	    family == AF_INET6 ? " with IPv6" : "", strerror(errno));
	return -1;
}

const char *
sock_local_hint(const struct options *o, int error)
{
	return o->local_only && (error == ENETUNREACH || error == EHOSTUNREACH)
		   ? " without a router (--local-only)"
		   : "";
}

int
sock_bind_device(int fd, const char *device, struct net_error *err)
{
	if (device[0] == '\0' || sock_os_bind_device(fd, device) == 0)
		return 0;
	net_error_set(err, "cannot use device '%s': %s", device,
	    strerror(errno));
	return -1;
}

int
sock_bind(int fd, const struct address *a, struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];

	if (bind(fd, (const struct sockaddr *)&a->ss, a->len) == 0)
		return 0;
	net_error_set(err, "bind failed: %s [%s]", strerror(errno),
	    address_text(a, text, sizeof(text)));
	return -1;
}
