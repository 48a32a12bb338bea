/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "net/sock_os.h"
#include "net/sock_set.h"
#include "net/udp_flow.h"
#include "net/udp_socket.h"

/*
 * Where a receiver loses its CPU to another process for a time slice, 4 ms at
 * 60 Gbit/s have to wait: 32 MB, if half of it was empty before. A socket holds
 * twice that as the kernel counts it, and uses no memory unless datagrams wait.
 */
#define RECEIVE_BUFFER_BYTES (32 * 1024 * 1024)
#define RECEIVE_BUFFER_LEAST (64 * 1024)

/* Where the system has no such option, it does what the option asks for. */
#ifndef IP_MULTICAST_ALL
#define IP_MULTICAST_ALL (-1)
#endif
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL (-1)
#endif

bool
udp_socket_is_multicast(const struct address *a)
{
	const struct sockaddr_in6 *sin6;

	if (a->ss.ss_family == AF_INET)
		return IN_MULTICAST(ntohl(
		    ((const struct sockaddr_in *)&a->ss)->sin_addr.s_addr));
	sin6 = (const struct sockaddr_in6 *)&a->ss;
	if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr))
		return (sin6->sin6_addr.s6_addr[12] & 0xf0) == 0xe0;
	return IN6_IS_ADDR_MULTICAST(&sin6->sin6_addr);
}

static int
set_ttl(int fd, int family, int ttl)
{
	if (sock_set_int(fd, IPPROTO_IP, IP_TTL, ttl) == -1 &&
	    family == AF_INET)
		return -1;
	if (sock_set_int(fd, IPPROTO_IP, IP_MULTICAST_TTL, ttl) == -1 &&
	    family == AF_INET)
		return -1;
	if (family == AF_INET)
		return 0;
	if (sock_set_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl) == -1)
		return -1;
	return sock_set_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl);
}

/*
 * As large as may be: beyond the limit for everybody where we are privileged.
 * Otherwise Linux takes less where rmem_max is less, other systems refuse.
 */
static void
raise_receive_buffer(int fd)
{
	int bytes = RECEIVE_BUFFER_BYTES;

	if (sock_os_force_receive_buffer(fd, bytes) == 0)
		return;
	while (bytes >= RECEIVE_BUFFER_LEAST &&
	       sock_set_int(fd, SOL_SOCKET, SO_RCVBUF, bytes) == -1)
		bytes /= 2;
}

/* Both directions: a reverse test receives on a client, sends on a server. */
static int
set_buffers(int fd, const struct options *o, struct net_error *err)
{
	if (o->window_bytes < 0) {
		raise_receive_buffer(fd);
		return 0;
	}
	if (sock_set_window(fd, SO_SNDBUF, o, err) == -1)
		return -1;
	return sock_set_window(fd, SO_RCVBUF, o, err);
}

int
udp_socket_set(int fd, int family, const struct options *o,
    struct net_error *err)
{
	if (set_buffers(fd, o, err) == -1)
		return -1;
	if (sock_set_tos(fd, o, err) == -1)
		return -1;
	if (o->ttl >= 0 && set_ttl(fd, family, o->ttl) == -1) {
		net_error_set(err, "cannot set TTL %d: %s", o->ttl,
		    strerror(errno));
		return -1;
	}
	if (sock_set_pacing(fd, o, err) == -1)
		return -1;
	return 0;
}

/* flags as of socket(): SOCK_NONBLOCK or none. */
static int
open_datagram(int family, int flags, struct net_error *err)
{
	int fd;

	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | flags, IPPROTO_UDP);
	if (fd == -1)
		net_error_set(err, "socket: %s", strerror(errno));
	return fd;
}

/* The index of a device; 0 for none. -1 with *err filled in. */
static int
device_index(const char *device, unsigned *index, struct net_error *err)
{
	*index = 0;
	if (device[0] == '\0')
		return 0;
	*index = if_nametoindex(device);
	if (*index != 0)
		return 0;
	net_error_set(err, "cannot use device '%s': %s", device,
	    strerror(errno));
	return -1;
}

/* Needs no privilege, unlike binding to the device. */
static int
set_multicast_device(int fd, int family, const char *device,
    struct net_error *err)
{
	struct ip_mreqn mreq = {.imr_ifindex = 0};
	unsigned index;
	int rc;

	if (device_index(device, &index, err) == -1)
		return -1;
	if (index == 0)
		return 0;
	if (family == AF_INET6) {
		rc = sock_set_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, index);
	} else {
		mreq.imr_ifindex = (int)index;
		rc = setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &mreq,
		    sizeof(mreq));
	}
	if (rc == -1)
		net_error_set(err, "cannot use device '%s': %s", device,
		    strerror(errno));
	return rc;
}

int
udp_socket_client(const struct address *peer, const struct address *local,
    const struct options *o, struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];
	int family = peer->ss.ss_family;
	int fd, rc;

	fd = open_datagram(family, 0, err);
	if (fd == -1)
		return -1;
	if (udp_socket_set(fd, family, o, err) == -1 ||
	    sock_set_local(fd, family, o, err) == -1)
		goto fail;
	if (udp_socket_is_multicast(peer))
		rc = set_multicast_device(fd, family, o->server.device, err);
	else
		rc = sock_bind_device(fd, o->server.device, err);
	if (rc == -1 || (local != NULL && sock_bind(fd, local, err) == -1))
		goto fail;
	if (connect(fd, (const struct sockaddr *)&peer->ss, peer->len) == -1) {
		net_error_set(err, "connect failed: %s%s [%s]", strerror(errno),
		    sock_local_hint(o, errno),
		    address_text(peer, text, sizeof(text)));
		goto fail;
	}
	return fd;
fail:
	close(fd);
	return -1;
}

/* Joins a group, of one source or of any. 0, or -1 with errno. */
static int
join_group(int fd, const struct address *group, const struct address *source,
    unsigned index)
{
	int level = group->ss.ss_family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	struct group_source_req one;
	struct group_req any;

	if (source == NULL) {
		memset(&any, 0, sizeof(any));
		any.gr_interface = index;
		memcpy(&any.gr_group, &group->ss, sizeof(any.gr_group));
		return setsockopt(fd, level, MCAST_JOIN_GROUP, &any,
		    sizeof(any));
	}
	memset(&one, 0, sizeof(one));
	one.gsr_interface = index;
	memcpy(&one.gsr_group, &group->ss, sizeof(one.gsr_group));
	memcpy(&one.gsr_source, &source->ss, sizeof(one.gsr_source));
	return setsockopt(fd, level, MCAST_JOIN_SOURCE_GROUP, &one,
	    sizeof(one));
}

/* The host of -H, in the group's family. 0, or -1 with *err filled in. */
static int
find_source(struct address *source, const struct address *group,
    const struct endpoint *host, struct net_error *err)
{
	enum family family =
	    group->ss.ss_family == AF_INET ? FAMILY_V4 : FAMILY_V6;
	struct addresses found;
	char why[ADDRESS_EXPLAIN_MAX];
	int rc;

	rc = addresses_resolve(&found, host, family, 0);
	if (rc == 0) {
		*source = found.list[0];
	} else {
		/* It may ask errno; what is left there is no code of ours. */
		address_explain(host, rc, why);
		errno = EADDRNOTAVAIL;
		net_error_set(err, "%s", why);
	}
	addresses_fini(&found);
	return rc == 0 ? 0 : -1;
}

static int
join(int fd, const struct address *group, const struct options *o,
    struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];
	struct address source;
	bool one = o->ssm_source.host[0] != '\0';
	unsigned index;

	if (device_index(o->bind.device, &index, err) == -1)
		return -1;
	if (one && find_source(&source, group, &o->ssm_source, err) == -1)
		return -1;
	/* Else joins of other programs, on other devices, let datagrams in. */
	sock_set_int(fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
	sock_set_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
	if (join_group(fd, group, one ? &source : NULL, index) == 0)
		return 0;
	net_error_set(err, "cannot join group: %s [%s]", strerror(errno),
	    address_text(group, text, sizeof(text)));
	return -1;
}

int
udp_socket_report_local(int fd, int family, struct net_error *err)
{
	int rc;

	if (family == AF_INET6)
		rc = sock_set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	else
		rc = sock_set_int(fd, IPPROTO_IP, IP_PKTINFO, 1);
	if (rc == -1)
		net_error_set(err, "cannot learn local addresses: %s",
		    strerror(errno));
	udp_socket_report_tos(fd);
	return rc;
}

void
udp_socket_report_tos(int fd)
{
	(void)sock_os_report_tos(fd);
}

/*
 * Binds; a link-local group needs its device for that, and the resolver does
 * not add it.
 */
static int
bind_listener(int fd, const struct address *a, const struct options *o,
    struct net_error *err)
{
	struct address scoped = *a;
	struct sockaddr_in6 sin6;

	if (a->ss.ss_family == AF_INET6) {
		memcpy(&sin6, &a->ss, sizeof(sin6));
		if (IN6_IS_ADDR_MC_LINKLOCAL(&sin6.sin6_addr) &&
		    sin6.sin6_scope_id == 0)
			sin6.sin6_scope_id = if_nametoindex(o->bind.device);
		memcpy(&scoped.ss, &sin6, sizeof(sin6));
	}
	return sock_bind(fd, &scoped, err);
}

int
udp_socket_listen(const struct address *a, const struct options *o,
    struct net_error *err)
{
	int family = a->ss.ss_family;
	int fd, rc;

	fd = open_datagram(family, SOCK_NONBLOCK, err);
	if (fd == -1)
		return -1;
	if (udp_socket_set(fd, family, o, err) == -1 ||
	    udp_socket_report_local(fd, family, err) == -1)
		goto fail;
	if (family == AF_INET6 &&
	    sock_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) == -1) {
		net_error_set(err, "IPV6_V6ONLY: %s", strerror(errno));
		goto fail;
	}
	if (udp_socket_is_multicast(a)) {
		sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
		rc = join(fd, a, o, err);
	} else {
		udp_flow_prepare(fd);
		rc = sock_bind_device(fd, o->bind.device, err);
	}
	if (rc == -1 || bind_listener(fd, a, o, err) == -1)
		goto fail;
	return fd;
fail:
	close(fd);
	return -1;
}
