/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "net/socket.h"
#include "net/udp_socket.h"
#include "report/reporter.h"
#include "role/banner.h"
#include "role/call_back.h"
#include "role/connection.h"
#include "role/request.h"
#include "role/server_impl.h"
#include "role/tcp_sender.h"
#include "role/udp_path.h"
#include "role/udp_sender.h"
#include "stream/payload.h"

/* A client that can be reached answers within this. */
#define CONNECT_NS (3 * NS_PER_S)

/*
 * iperf 2 clients listen after they have connected, on a busy machine long
 * after. So a port that refuses is tried again, but ours wait for three seconds
 * and shall hear of it.
 */
#define REFUSED_NS (2 * NS_PER_S)
#define PAUSE_MIN_NS (10 * NS_PER_MS)
#define PAUSE_MAX_NS (100 * NS_PER_MS)

static bool
is_stopped(void *arg)
{
	const struct call_back *b = arg;

	return atomic_load(&b->server->stop) || atomic_load(&b->cancelled);
}

/*
 * The options of the sender, on the heap: the report keeps those of the first
 * stream of a party.
 */
static struct options *
make_options(const struct call_back *b, const struct address *peer)
{
	struct options *o = xcalloc(1, sizeof(*o));

	request_options(o, b->server->options, &b->header);
	o->role = ROLE_CLIENT;
	memset(&o->server, 0, sizeof(o->server));
	address_host(peer, o->server.host, sizeof(o->server.host));
	o->ports.first = b->header.listen_port;
	o->ports.last = b->header.listen_port;
	o->parallel = b->party->expected;
	return o;
}

/* Returns a connected socket, or -1 with *err. */
static int
try_connect(struct call_back *b, const struct address *peer,
    const struct address *local, const struct options *o, struct net_error *err)
{
	char text[ADDRESS_TEXT_MAX];
	int fd;

	fd = socket_client(peer, local, o, err);
	if (fd == -1)
		return -1;
	socket_limit_unread(fd);
	if (socket_connect(fd, peer, clock_now_ns() + CONNECT_NS, is_stopped,
		b) == 0)
		return fd;
	net_error_set(err, "the connection back to %s failed: %s",
	    address_text(peer, text, sizeof(text)), strerror(errno));
	close(fd);
	return -1;
}

/* The same, but patient with a client that does not listen yet. */
static int
await_listener(struct call_back *b, const struct address *peer,
    const struct address *local, const struct options *o, struct net_error *err)
{
	int64_t until_ns = clock_now_ns() + REFUSED_NS;
	int64_t pause_ns = PAUSE_MIN_NS;
	int fd;

	for (;;) {
		fd = try_connect(b, peer, local, o, err);
		if (fd != -1 || err->code != ECONNREFUSED ||
		    clock_now_ns() + pause_ns > until_ns ||
		    !clock_sleep_unless(clock_now_ns() + pause_ns, is_stopped,
			b))
			return fd;
		pause_ns *= 2;
		if (pause_ns > PAUSE_MAX_NS)
			pause_ns = PAUSE_MAX_NS;
	}
}

/* Returns a connected socket, or -1 after a message. */
static int
connect_back(struct call_back *b, const struct address *peer,
    const struct options *o)
{
	struct address local = b->local;
	char text[ADDRESS_TEXT_MAX];
	struct net_error err;
	int fd;

	/* Where a client on this host had no port of its own. */
	if (server_listens_at(b->server, peer)) {
		trouble_fail(b->trouble,
		    "refused: asks for a connection back to %s, which is "
		    "this server",
		    address_text(peer, text, sizeof(text)));
		return -1;
	}
	/* The client knows us by this address. */
	address_set_port(&local, 0);
	fd = o->protocol == PROTOCOL_UDP
		 ? udp_socket_client(peer, &local, o, &err)
		 : await_listener(b, peer, &local, o, &err);
	if (fd == -1 && !atomic_load(&b->server->stop))
		trouble_fail(b->trouble, "%s", err.text);
	return fd;
}

static void
send_back(const struct call_back *b, const struct options *o, struct flow *flow,
    int fd, int id)
{
	struct trouble trouble = {.reporter = b->server->reporter, .id = id};
	struct tcp_sender sender;
	unsigned char *chunk = payload_new();
	int rc;

	memset(&sender, 0, sizeof(sender));
	sender.trouble = &trouble;
	sender.send.stop = &b->server->stop;
	sender.send.shared = &b->party->sending;
	sender.send.chunk = chunk;
	sender.send.heeds_peer = true;
	rc =
	    tcp_sender_init(&sender, o, flow, fd, request_start_ns(&b->header));
	if (rc == 0)
		tcp_sender_run(&sender);
	else
		tcp_sender_fail(&sender, errno);
	free(chunk);
}

static void
send_back_udp(const struct call_back *b, const struct options *o,
    struct flow *flow, int fd, int id)
{
	struct udp_sender sender;

	b->path->fd = fd;
	b->path->reads_fd = true;
	udp_sender_init(&sender, o, flow, fd,
	    request_start_ns(&b->header) + b->lead_ns);
	sender.reporter = b->server->reporter;
	sender.id = id;
	sender.send.stop = &b->server->stop;
	sender.send.gate = &b->path->gate;
	sender.send.heeds_pauses = true;
	udp_sender_run(&sender, NULL);
}

void
call_back_run(struct call_back *b)
{
	struct server *s = b->server;
	struct address peer = b->client;
	struct settings_fact banner;
	struct connection_fact c;
	struct options *o;
	struct flow *flow;
	bool is_kept;
	int fd;

	address_set_port(&peer, b->header.listen_port);
	o = make_options(b, &peer);
	fd = connect_back(b, &peer, o);
	if (fd != -1) {
		connection_describe(&c, fd, server_next_id(s), &peer, false, o);
		c.reverse = true;
		c.is_back = true;
		banner_client(&banner, o, fd);
		is_kept = party_keep_options(s, b->party, o);
		if (is_kept)
			reporter_settings(s->reporter, &banner);
		flow = party_join_back(s, b->party, &c,
		    o->protocol == PROTOCOL_UDP ? ROW_UDP_SEND : ROW_TCP_SEND,
		    fd, o->direction);
		if (flow != NULL && o->protocol == PROTOCOL_UDP)
			send_back_udp(b, o, flow, fd, c.id);
		else if (flow != NULL)
			send_back(b, o, flow, fd, c.id);
		close(fd);
		if (is_kept)
			return;
	} else {
		party_give_up_back(s, b->party, o->direction);
	}
	free(o);
}
