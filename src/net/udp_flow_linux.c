/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "net/sock_os.h"
#include "net/sock_set.h"
#include "net/udp_flow.h"
#include "net/udp_socket.h"

/*
 * DESIGN
 *
 * A socket gets its port with bind() and its peer with connect(). In between
 * it matches the datagrams of all peers, and the kernel prefers it, the
 * newest with an exact address, to the listener: datagrams of new peers would
 * end in the wrong flow. Neither can both be done at once, nor connect()
 * first.
 *
 * So each local address has a socket, the front, that the kernel prefers to
 * flow sockets that are not yet connected, but not to connected ones:
 *
 *	IPv4    The front is an IPv4 socket, flow sockets are IPv6 ones with
 *	        mapped addresses: for an IPv4 datagram those rank lower, and
 *	        a matching peer outranks either.
 *	IPv6    They form a group (SO_REUSEPORT) in which a program chooses who
 *	        gets a datagram that no connected socket matches: the first
 *	        member, the front. On Linux IPv6 members also line up behind
 *	        the front, so that it wins while a connect() is under way.
 *
 * A flow socket thus gets its peer's datagrams and no others. A listener that
 * is bound to an address, not to the wildcard, is its own front.
 *
 * The port must not be open to other servers, which would share the traffic.
 * The kernel looks at the flags of all sockets of a port when it binds one,
 * and then only: so listener and front have the flags while one of ours is
 * being bound, and refuse everyone else's bind() at other times. A second
 * server of ours fails even in between, as its listener has no flags when
 * bound. Flow sockets keep SO_REUSEADDR, which alone does not let anyone in.
 */

/* The IPv4 address that a mapped IPv6 one stands for. */
static void
unmap(struct address *a)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	struct sockaddr_in6 sin6;

	if (a->ss.ss_family != AF_INET6)
		return;
	memcpy(&sin6, &a->ss, sizeof(sin6));
	if (!IN6_IS_ADDR_V4MAPPED(&sin6.sin6_addr))
		return;
	memcpy(&sin.sin_addr, &sin6.sin6_addr.s6_addr[12],
	    sizeof(sin.sin_addr));
	sin.sin_port = sin6.sin6_port;
	memset(&a->ss, 0, sizeof(a->ss));
	memcpy(&a->ss, &sin, sizeof(sin));
	a->len = sizeof(sin);
}

/* The reverse, of an IPv4 address. */
static void
map(struct address *a)
{
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6};
	struct sockaddr_in sin;

	if (a->ss.ss_family != AF_INET)
		return;
	memcpy(&sin, &a->ss, sizeof(sin));
	memset(&sin6.sin6_addr.s6_addr[10], 0xff, 2);
	memcpy(&sin6.sin6_addr.s6_addr[12], &sin.sin_addr,
	    sizeof(sin.sin_addr));
	sin6.sin6_port = sin.sin_port;
	memcpy(&a->ss, &sin6, sizeof(sin6));
	a->len = sizeof(sin6);
}

void
udp_flow_address(struct address *a, const struct sockaddr_storage *ss)
{
	memcpy(&a->ss, ss, sizeof(a->ss));
	a->len = address_length(ss);
	unmap(a);
}

/* Opens or closes a port for sockets that ask for it. */
static void
set_sharing(int fd, bool on)
{
	sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, on);
	sock_set_int(fd, SOL_SOCKET, SO_REUSEPORT, on);
}

void
udp_flow_prepare(int fd)
{
	struct sock_filter first[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
	struct sock_fprog program = {.len = 1, .filter = first};

	/* Off before bind(): the socket founds a group and joins none. */
	sock_set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
	    sizeof(program));
	sock_set_int(fd, SOL_SOCKET, SO_REUSEPORT, 0);
}

static int
open_socket(const struct address *a, int flags, const struct options *o,
    struct net_error *err)
{
	int fd;

	fd = socket(a->ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | flags,
	    IPPROTO_UDP);
	if (fd == -1) {
		net_error_set(err, "socket: %s", strerror(errno));
		return -1;
	}
	/* Mapped addresses must be possible, whatever the system's default. */
	if (a->ss.ss_family == AF_INET6)
		sock_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (udp_socket_set(fd, a->ss.ss_family, o, err) == -1 ||
	    sock_bind_device(fd, o->bind.device, err) == -1) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
find_local(int fd, struct address *a, struct net_error *err)
{
	if (address_of_local(a, fd) == 0)
		return 0;
	net_error_set(err, "getsockname: %s", strerror(errno));
	return -1;
}

int
udp_flow_front(int listener, const struct address *local,
    const struct options *o, struct net_error *err)
{
	struct address own, a = *local;
	int fd, rc;

	if (find_local(listener, &own, err) == -1)
		return -1;
	unmap(&a);
	if (address_same_host(&own, &a))
		return listener;
	address_set_port(&a, address_port(&own));
	fd = open_socket(&a, SOCK_NONBLOCK, o, err);
	if (fd == -1)
		return -1;
	udp_flow_prepare(fd);
	sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	set_sharing(listener, true);
	rc = sock_bind(fd, &a, err);
	set_sharing(listener, false);
	sock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 0);
	if (rc == -1 ||
	    udp_socket_report_local(fd, a.ss.ss_family, err) == -1) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A socket for the address, with IPv6 if the system has it; see above. */
static int
open_flow(struct address *local, struct address *peer, const struct options *o,
    struct net_error *err)
{
	int fd;

	map(local);
	map(peer);
	fd = open_socket(local, 0, o, err);
	if (fd != -1 || err->code != EAFNOSUPPORT)
		return fd;
	unmap(local);
	unmap(peer);
	return open_socket(local, 0, o, err);
}

int
udp_flow_open(int listener, int front, const struct address *peer,
    const struct options *o, struct net_error *err)
{
	struct address local, remote = *peer;
	char text[ADDRESS_TEXT_MAX];
	int fd, rc;

	if (find_local(front, &local, err) == -1)
		return -1;
	fd = open_flow(&local, &remote, o, err);
	if (fd == -1)
		return -1;
	set_sharing(fd, true);
	set_sharing(front, true);
	set_sharing(listener, true);
	rc = sock_bind(fd, &local, err);
	set_sharing(listener, false);
	set_sharing(front, false);
	if (rc == -1)
		goto fail;
	if (connect(fd, (const struct sockaddr *)&remote.ss, remote.len) ==
	    -1) {
		net_error_set(err, "connect failed: %s [%s]", strerror(errno),
		    address_text(peer, text, sizeof(text)));
		goto fail;
	}
	sock_set_int(fd, SOL_SOCKET, SO_REUSEPORT, 0);
	return fd;
fail:
	close(fd);
	return -1;
}
