/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/sock_set.h"
#include "net/udp_socket.h"
#include "role/connect.h"

#define CONNECT_RETRIES_GAP_NS NS_PER_S

int
route_init(struct route *r, const struct options *o, struct net_error *err)
{
	char why[ADDRESS_EXPLAIN_MAX];
	int rc;

	memset(r, 0, sizeof(*r));
	r->options = o;
	rc =
	    addresses_resolve(&r->peers, &o->server, o->family, o->ports.first);
	if (rc != 0) {
		net_error_set(err, "%s", address_explain(&o->server, rc, why));
		return -1;
	}
	if (o->bind.host[0] == '\0')
		return 0;
	rc = addresses_resolve(&r->local, &o->bind, o->family, o->bind.port);
	if (rc != 0) {
		net_error_set(err, "%s", address_explain(&o->bind, rc, why));
		return -1;
	}
	return 0;
}

void
route_fini(struct route *r)
{
	addresses_fini(&r->peers);
	addresses_fini(&r->local);
}

/* Where stream `index` goes, of the server address `peer`. */
static void
stream_peer(const struct route *r, int index, struct address *peer)
{
	const struct options *o = r->options;

	if (o->incr_dstip)
		address_add(peer, (unsigned)index);
	if (o->incr_dstport || o->port_range_given)
		address_set_port(peer, (uint16_t)(o->ports.first + index));
}

/* Where it comes from. Returns NULL when the system is to choose. */
static const struct address *
stream_local(const struct route *r, int index, int family,
    struct address *local)
{
	const struct options *o = r->options;
	bool distinct_peers =
	    o->incr_dstip || o->incr_dstport || o->port_range_given;
	size_t i;

	for (i = 0; i < r->local.n; i++) {
		if (r->local.list[i].ss.ss_family == family)
			break;
	}
	if (i == r->local.n)
		return NULL;
	*local = r->local.list[i];
	if (o->incr_srcip)
		address_add(local, (unsigned)index);
	/* Streams to one address and port need ports of their own. */
	if (o->bind.port != 0 &&
	    (o->incr_srcport || (!distinct_peers && !o->incr_srcip)))
		address_set_port(local, (uint16_t)(o->bind.port + index));
	return local;
}

/* Whether -B gave nothing that can reach an address of the family. */
static bool
is_of_other_family(const struct route *r, const struct address *local)
{
	return local == NULL && r->local.n > 0;
}

static void
explain_family(const struct route *r, const struct address *peer,
    struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];

	errno = EAFNOSUPPORT;
	net_error_set(err,
	    "bind failed: %s is of another address family than %s",
	    r->options->bind.host, address_text(peer, text, sizeof(text)));
}

int
route_probe(const struct route *r, struct net_error *err)
{
	struct address room;
	const struct address *peer, *local;
	size_t i;

	for (i = 0; i < r->peers.n; i++) {
		peer = &r->peers.list[i];
		local = stream_local(r, 0, peer->ss.ss_family, &room);
		if (is_of_other_family(r, local))
			continue;
		return r->options->protocol == PROTOCOL_UDP
			   ? udp_socket_client(peer, local, r->options, err)
			   : socket_client(peer, local, r->options, err);
	}
	explain_family(r, &r->peers.list[0], err);
	return -1;
}

/* Tries one address. Returns c->fd. */
static int
try_address(const struct route *r, int index, const struct address *base,
    bool (*stop)(void *), void *arg, struct connected *c)
{
	struct address local_room;
	const struct address *local;
	char text[ADDRESS_TEXT_MAX];
	int64_t before_ns;

	c->peer = *base;
	stream_peer(r, index, &c->peer);
	address_text(&c->peer, text, sizeof(text));
	local = stream_local(r, index, base->ss.ss_family, &local_room);
	if (is_of_other_family(r, local)) {
		explain_family(r, &c->peer, &c->error);
		return -1;
	}
	if (r->options->protocol == PROTOCOL_UDP)
		return c->fd = udp_socket_client(&c->peer, local, r->options,
			   &c->error);
	c->fd = socket_client(&c->peer, local, r->options, &c->error);
	if (c->fd == -1)
		return -1;
	before_ns = clock_now_ns();
	if (socket_connect(c->fd, &c->peer, INT64_MAX, stop, arg) == -1) {
		net_error_set(&c->error, "tcp connect failed: %s%s [%s]",
		    strerror(errno), sock_local_hint(r->options, errno), text);
		close(c->fd);
		c->fd = -1;
	}
	c->connect_ns = clock_now_ns() - before_ns;
	return c->fd;
}

static int
try_all(const struct route *r, int index, bool (*stop)(void *), void *arg,
    struct connected *c)
{
	size_t i;

	for (i = 0; i < r->peers.n && c->fd == -1 && !stop(arg); i++)
		try_address(r, index, &r->peers.list[i], stop, arg, c);
	return c->fd;
}

int
route_connect(const struct route *r, int index, bool (*stop)(void *), void *arg,
    struct connected *c)
{
	const struct options *o = r->options;
	int64_t start_ns = clock_now_ns(), next_ns, gap_ns;
	int tries = 0;

	c->fd = -1;
	c->connect_ns = -1;
	errno = ECANCELED;
	net_error_set(&c->error, "%s connect failed: %s",
	    o->protocol == PROTOCOL_UDP ? "udp" : "tcp", strerror(errno));
	gap_ns = o->connect_retry_ns > 0 ? o->connect_retry_interval_ns
					 : CONNECT_RETRIES_GAP_NS;
	for (;;) {
		next_ns = clock_now_ns() + gap_ns;
		if (try_all(r, index, stop, arg, c) != -1 || stop(arg))
			return c->fd;
		if (++tries > o->connect_retries &&
		    next_ns > start_ns + o->connect_retry_ns)
			return -1;
		if (!clock_sleep_unless(next_ns, stop, arg))
			return -1;
	}
}
