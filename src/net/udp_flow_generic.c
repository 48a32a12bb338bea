/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "net/udp_flow.h"

void
udp_flow_address(struct address *a, const struct sockaddr_storage *ss)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	struct sockaddr_in6 sin6;

	memset(a, 0, sizeof(*a));
	if (ss->ss_family == AF_INET) {
		a->ss = *ss;
		a->len = sizeof(sin);
		return;
	}
	memcpy(&sin6, ss, sizeof(sin6));
	if (!IN6_IS_ADDR_V4MAPPED(&sin6.sin6_addr)) {
		a->ss = *ss;
		a->len = sizeof(sin6);
		return;
	}
	memcpy(&sin.sin_addr, &sin6.sin6_addr.s6_addr[12],
	    sizeof(sin.sin_addr));
	sin.sin_port = sin6.sin6_port;
	memcpy(&a->ss, &sin, sizeof(sin));
	a->len = sizeof(sin);
}

void
udp_flow_prepare(int fd)
{
	(void)fd;
}

static int
cannot_sort(struct net_error *err)
{
	errno = ENOTSUP;
	net_error_set(err, "cannot sort datagrams by peer: %s",
	    strerror(errno));
	return -1;
}

int
udp_flow_front(int listener, const struct address *local,
    const struct options *o, struct net_error *err)
{
	(void)listener;
	(void)local;
	(void)o;
	return cannot_sort(err);
}

int
udp_flow_open(int listener, int front, const struct address *peer,
    const struct options *o, struct net_error *err)
{
	(void)listener;
	(void)front;
	(void)peer;
	(void)o;
	return cannot_sort(err);
}
