/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/reporter.h"
#include "role/client_back.h"
#include "role/client_stream.h"
#include "role/server.h"

/*
 * DESIGN
 *
 * The port is bound, and the kernel takes connections, before the first
 * stream connects, so none can come too early. With -d they are accepted when
 * all streams have connected, and their rows belong to the same test. With -r
 * they are accepted when all streams have ended, and have a test of their
 * own, so that the rows of one direction precede those of the other.
 */

/* A server that can reach us does so within this, and some round trips. */
#define WAIT_NS (3 * NS_PER_S)
#define WAIT_ROUND_TRIPS 10

static bool
is_wanted(const struct options *o)
{
	return o->direction == DIRECTION_DUAL ||
	       o->direction == DIRECTION_TRADEOFF;
}

static struct options *
make_options(const struct options *o)
{
	struct options *back = xcalloc(1, sizeof(*back));

	*back = *o;
	back->role = ROLE_SERVER;
	back->direction = DIRECTION_FORWARD;
	back->bind.port = 0;
	back->ports = o->listen_ports;
	back->parallel = 0;
	back->duration_ns = -1;
	/* The rate is the sender's; what is read is read at once. */
	back->rate.mean = -1;
	back->header_timeout_ns = 0;
	/* Connections back have no header to tell it. */
	memset(back->permit_key, 0, sizeof(back->permit_key));
	return back;
}

/*
 * On the server's own host its port is taken; were it not, because no server
 * runs, the streams would connect to us.
 */
static bool
serves_here(const struct client *c)
{
	size_t i;

	for (i = 0; i < c->route.peers.n; i++) {
		if (address_is_local(&c->route.peers.list[i]))
			return true;
	}
	return false;
}

int
client_back_open(struct client *c, struct net_error *err)
{
	const struct options *o = c->options;

	if (!is_wanted(o))
		return 0;
	c->back_options = make_options(o);
	if (!o->listen_given && serves_here(c))
		c->back_options->ports = (struct port_range){0, 0};
	c->back = server_open(c->back_options, err);
	if (c->back == NULL && err->code == EADDRINUSE && !o->listen_given) {
		c->back_options->ports = (struct port_range){0, 0};
		c->back = server_open(c->back_options, err);
	}
	if (c->back == NULL)
		return -1;
	c->back_ports.first = server_port(c->back);
	c->back_ports.last = server_last_port(c->back);
	return 0;
}

void
client_back_prepare(struct client *c)
{
	struct test_plan plan = {
	    .streams = c->n,
	    .until_complete = true,
	    .duration_ns = c->options->duration_ns,
	};

	if (c->back == NULL)
		return;
	atomic_store(&c->awaits_back, true);
	if (c->options->direction == DIRECTION_TRADEOFF)
		c->back_test = test_open(c->reporter, &plan);
	else
		server_announce(c->back, c->reporter);
}

static bool
is_from_peer(void *arg, const struct address *peer)
{
	const struct client *c = arg;
	int i;

	for (i = 0; i < c->n; i++) {
		if (address_same_host(&c->streams[i].link.peer, peer))
			return true;
	}
	return false;
}

static void
tell_missing(void *arg, int missing)
{
	struct client *c = arg;

	reporter_fail(c->reporter,
	    "no %s back at port %u (%d of %d missing): a firewall or NAT may "
	    "be in the way; -R and --full-duplex need none",
	    c->options->protocol == PROTOCOL_UDP ? "traffic" : "connection",
	    (unsigned)c->back_ports.first, missing, c->n);
	atomic_store(&c->failed, true);
}

static int64_t
wait_ns(const struct client *c)
{
	int64_t slowest_ns = 0;
	int i;

	for (i = 0; i < c->n; i++) {
		if (c->streams[i].link.connect_ns > slowest_ns)
			slowest_ns = c->streams[i].link.connect_ns;
	}
	return WAIT_NS + WAIT_ROUND_TRIPS * slowest_ns;
}

/*
 * Datagrams cannot wait until we accept: they are awaited from the beginning,
 * but for no longer than a connection after the last stream has ended.
 */
static bool
is_awaited_early(const struct client *c)
{
	return c->options->protocol == PROTOCOL_UDP;
}

static void
start(struct client *c, struct test *test, int streams)
{
	struct awaited awaited = {
	    .flows = streams,
	    .test = test,
	    .last_id = c->n,
	    .wait_ns = wait_ns(c),
	    .is_open_ended = is_awaited_early(c) &&
			     c->options->direction == DIRECTION_TRADEOFF,
	    .arg = c,
	    .is_from_peer = is_from_peer,
	    .is_over = tell_missing,
	};

	if (streams > 0 && !client_is_stopped(c)) {
		server_await(c->back, &awaited);
		if (server_start(c->back, c->reporter) == -1)
			atomic_store(&c->failed, true);
	}
	atomic_store(&c->awaits_back, false);
}

void
client_back_connected(struct client *c, int streams)
{
	if (c->back == NULL)
		return;
	if (c->options->direction == DIRECTION_DUAL)
		start(c, c->test, streams);
	else if (streams > 0)
		server_announce(c->back, c->reporter);
	if (c->options->direction == DIRECTION_TRADEOFF && is_awaited_early(c))
		start(c, c->back_test, streams);
}

void
client_back_sent(struct client *c, int streams)
{
	if (c->back == NULL || c->options->direction != DIRECTION_TRADEOFF)
		return;
	if (is_awaited_early(c))
		server_await_until(c->back, clock_now_ns() + wait_ns(c));
	else
		start(c, c->back_test, streams);
}

void
client_back_stop(struct client *c)
{
	if (c->back != NULL)
		server_stop(c->back);
}

bool
client_back_has_ended(struct client *c)
{
	return c->back == NULL ||
	       (!atomic_load(&c->awaits_back) && server_has_ended(c->back));
}

void
client_back_release(struct client *c)
{
	if (c->back_test == NULL)
		return;
	test_complete(c->back_test);
	test_release(c->back_test);
}

void
client_back_close(struct client *c)
{
	if (c->back != NULL)
		server_close(c->back);
	free(c->back_options);
}
