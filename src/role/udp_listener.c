/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "net/datagrams.h"
#include "net/udp_flow.h"
#include "report/reporter.h"
#include "role/request.h"
#include "role/server_impl.h"
#include "role/udp_path.h"
#include "role/udp_peer.h"
#include "wire/aside.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"

/*
 * DESIGN
 *
 * The first datagram of a new peer makes a socket that is connected to that
 * peer and a worker that reads it; from then on the kernel sorts. What came
 * before the socket was connected is still in the listener's queue: the
 * listener hands it to the worker in order, and when it has seen its queues
 * empty, the worker begins to read its own socket. So nothing is lost and
 * nothing overtakes, however many flows start at once. Multicast, and systems
 * that cannot sort by peer, have all datagrams handed on.
 *
 * A round reads every socket that has something, up to a bound that no socket
 * holds more than. So at the end of the first round that began with a flow's
 * socket in place, all that was queued before it has been handed on, and a
 * flood of other datagrams can neither delay that nor the end of the server.
 *
 * What is no datagram of a test opens no flow, and nothing is ever answered
 * from here, but by a client: the server that it awaits may want to know
 * whether it is there before any data comes.
 */

/* Our local addresses that peers may use, for each port. */
#define FRONTS_MAX 64

/* More datagrams than fit into a receive buffer of 8 MB. */
#define ROUND_MAX 16384

/* How often a listener that is closing looks whether it still serves. */
#define CLOSING_LOOK_MS 200

/* Rounds until a new peer has been handed over; see udp_peers_hand_over(). */
#define HAND_OVER_ROUNDS 2

struct entrance {
	int fd;
	int listener;	      /* == fd unless this is a front */
	struct address local; /* of a front; of a listener its port counts */
	struct datagrams_in *in;
};

struct udp_listener {
	struct server *server;
	struct entrance entrances[SERVER_PORTS_MAX + FRONTS_MAX];
	int n;
	int64_t troubled_ns;
	uint64_t drops;	    /* of the queues, whose is not known yet */
	uint64_t unclaimed; /* of several flows, not yet told */
	int64_t told_ns;    /* when those were told last */
	int rounds;	    /* until all peers have been handed over */
	bool is_closing;    /* no new flows */
};

/* Tells trouble, but not more often than is bearable. */
static void
tell(struct udp_listener *l, const struct address *peer, const char *what)
{
	char text[ADDRESS_TEXT_MAX];

	if (trouble_is_bearable(&l->troubled_ns, clock_now_ns()))
		reporter_warn(l->server->reporter, "%s: %s",
		    address_text(peer, text, sizeof(text)), what);
}

/* Whether a datagram opens a flow; *resume_id: one that goes on. */
static bool
opens_flow(struct udp_listener *l, const struct datagram_in *in,
    const struct address *peer, int64_t *resume_id)
{
	struct datagram d;

	return flow_start_is_plausible(in->data, in->stored,
		   in->wall_ns / NS_PER_S) &&
	       datagram_decode(&d, in->data, in->stored,
		   datagram_from_client_is_wide(in->data, in->stored)) == 0 &&
	       !udp_peers_is_leftover(&l->server->peers, peer, d.id,
		   stamp_to_ns(d.sent), resume_id);
}

/* Finds out whose the drops were, which is possible if one flow waits. */
static void
claim_drops(struct udp_listener *l)
{
	if (l->drops > 0 && udp_peers_note_drops(&l->server->peers, l->drops))
		l->drops = 0;
}

/*
 * What nobody has claimed at the end of a round was of strangers, or of some
 * of several flows: that is said, but not more often than is bearable.
 */
static void
tell_drops(struct udp_listener *l)
{
	if (l->drops > 0 && udp_peers_count_waiting(&l->server->peers) > 1)
		l->unclaimed += l->drops;
	l->drops = 0;
	if (l->unclaimed == 0 ||
	    (!trouble_is_bearable(&l->told_ns, clock_now_ns()) &&
		!l->is_closing))
		return;
	reporter_warn(l->server->reporter,
	    "%" PRIu64 " datagrams of several flows lost in this host's "
	    "receive queue",
	    l->unclaimed);
	l->unclaimed = 0;
}

/* Why a new flow is not served; NULL: it is. */
static const char *
refusal(struct udp_listener *l, const struct datagram_in *in,
    const struct address *peer)
{
	const struct options *o = l->server->options;
	struct udp_peers *peers = &l->server->peers;
	struct client_header h;
	const char *why;
	int form;

	form = flow_start_header(&h, in->data, in->stored);
	if (form == HEADER_CLIENT || form == HEADER_OLD) {
		if (l->server->awaited.test != NULL)
			return "refused: a client, where its server was "
			       "awaited";
		why = request_refusal(&h, o);
		if (why != NULL)
			return why;
	}
	switch (
	    udp_peers_room(peers, peer, o->max_flows, o->max_flows_per_host)) {
	case UDP_ROOM_NO_FLOW:
		return "refused: as many flows as --max-flows allows";
	case UDP_ROOM_NO_HOST:
		return "refused: as many flows of one host as "
		       "--max-flows-per-host allows";
	case UDP_ROOM:
		break;
	}
	return NULL;
}

static void
add_entrance(struct udp_listener *l, int fd, int listener,
    const struct address *local)
{
	struct entrance *e = &l->entrances[l->n];

	e->fd = fd;
	e->listener = listener;
	e->local = *local;
	e->in = datagrams_in_new(fd, false);
	l->n++;
}

/* The front for a local address, which may have to be made. -1: none. */
static int
front_for(struct udp_listener *l, const struct entrance *e,
    const struct address *local)
{
	struct net_error err;
	int i, fd;

	if (e->fd != e->listener)
		return e->fd;
	for (i = 0; i < l->n; i++) {
		if (l->entrances[i].listener == e->listener &&
		    l->entrances[i].fd != e->listener &&
		    address_same_host(&l->entrances[i].local, local))
			return l->entrances[i].fd;
	}
	if (l->n == SERVER_PORTS_MAX + FRONTS_MAX)
		return -1;
	fd = udp_flow_front(e->listener, local, l->server->options, &err);
	if (fd == -1 || fd == e->listener)
		return fd;
	add_entrance(l, fd, e->listener, local);
	return fd;
}

/* A socket for one peer; -1 when all must come through the listener. */
static int
open_flow(struct udp_listener *l, const struct entrance *e,
    const struct address *peer, const struct address *local)
{
	struct net_error err;
	int front, fd;

	if (l->server->options->multicast)
		return -1;
	front = front_for(l, e, local);
	if (front == -1)
		return -1;
	fd = udp_flow_open(e->listener, front, peer, l->server->options, &err);
	if (fd == -1)
		tell(l, peer, err.text);
	return fd;
}

static void
open_peer(struct udp_listener *l, const struct entrance *e,
    const struct datagram_in *in, const struct address *peer,
    const struct address *local, int64_t resume_id)
{
	struct server *s = l->server;
	struct udp_peer *p;
	int rc, id = server_admit(s);

	if (id == 0)
		return;
	p = xcalloc(1, sizeof(*p));
	p->address = *peer;
	p->local = *local;
	p->fd = open_flow(l, e, peer, local);
	p->id = id;
	p->resume_id = resume_id;
	l->rounds = HAND_OVER_ROUNDS;
	udp_peers_add(&s->peers, p);
	claim_drops(l);
	udp_peers_hand(&s->peers, peer, local, in);
	rc = udp_worker_start(s, p);
	if (rc != 0)
		tell(l, peer, strerror(rc));
}

/* Whether a datagram was a challenge of an awaited server; it is answered. */
static bool
answers_challenge(struct udp_listener *l, const struct entrance *e,
    const struct datagram_in *in, const struct address *peer,
    const struct address *local)
{
	uint64_t token;
	int fd;

	if (l->server->awaited.test == NULL ||
	    aside_decode(in->data, in->stored, &token) != ASIDE_CHALLENGE)
		return false;
	if (!server_admits(l->server, peer))
		return true;
	atomic_store(&l->server->awaits_ours, true);
	fd = front_for(l, e, local);
	udp_path_answer(fd != -1 ? fd : e->fd, in->from, token);
	return true;
}

static void
dispatch(struct udp_listener *l, int entrance, const struct datagram_in *in)
{
	struct entrance *e = &l->entrances[entrance];
	struct server *s = l->server;
	struct address peer, local = e->local;
	int64_t resume_id;
	const char *why;

	udp_flow_address(&peer, in->from);
	if (in->to != NULL) {
		udp_flow_address(&local, in->to);
		address_set_port(&local, address_port(&e->local));
	}
	claim_drops(l);
	if (udp_peers_hand(&s->peers, &peer, &local, in) ||
	    answers_challenge(l, e, in, &peer, &local))
		return;
	if (l->is_closing || server_is_full(s) ||
	    !opens_flow(l, in, &peer, &resume_id) || !server_admits(s, &peer))
		return;
	why = refusal(l, in, &peer);
	if (why != NULL)
		tell(l, &peer, why);
	else
		open_peer(l, e, in, &peer, &local, resume_id);
}

/* Takes what waits at one entrance. */
static void
empty(struct udp_listener *l, int entrance)
{
	struct datagrams_in *in = l->entrances[entrance].in;
	int i, n, taken;

	for (taken = 0; taken < ROUND_MAX; taken += n) {
		n = datagrams_in_receive(in);
		if (n <= 0)
			return;
		l->drops += datagrams_in_take_drops(in);
		for (i = 0; i < n; i++)
			dispatch(l, entrance,
			    datagrams_in_get(in, (unsigned)i));
	}
}

static void
close_entrances(struct udp_listener *l)
{
	int i;

	for (i = 0; i < l->n; i++) {
		datagrams_in_free(l->entrances[i].in);
		if (l->entrances[i].fd != l->entrances[i].listener)
			close(l->entrances[i].fd);
	}
}

/* How long a round may wait for something to read; in ms, -1 for ever. */
static int
wait_ms(const struct udp_listener *l)
{
	if (l->rounds > 0)
		return 0;
	return l->is_closing ? CLOSING_LOOK_MS
			     : server_accept_wait_ms(l->server);
}

static void
serve_round(struct udp_listener *l)
{
	struct pollfd p[SERVER_PORTS_MAX + FRONTS_MAX + 1];
	int i, n = l->n;

	for (i = 0; i < n; i++)
		p[i] =
		    (struct pollfd){.fd = l->entrances[i].fd, .events = POLLIN};
	/* Nothing is ever read from the pipe: once it is enough. */
	p[n] = (struct pollfd){.fd = l->is_closing ? -1 : l->server->wake[0],
	    .events = POLLIN};
	if (poll(p, (nfds_t)n + 1, wait_ms(l)) == -1)
		return;
	for (i = 0; i < n; i++) {
		if (p[i].revents != 0)
			empty(l, i);
	}
	tell_drops(l);
	if (l->rounds > 0) {
		udp_peers_hand_over(&l->server->peers);
		l->rounds--;
	}
	l->is_closing |= p[n].revents != 0 || server_is_full(l->server);
}

/*
 * Whether nobody needs the listener any more: no flows are taken, and those
 * there are read sockets of their own.
 */
static bool
is_done(const struct udp_listener *l)
{
	return l->is_closing && l->rounds == 0 &&
	       udp_peers_count_shared(&l->server->peers) == 0;
}

void *
udp_listener_main(void *arg)
{
	struct udp_listener *l = xcalloc(1, sizeof(*l));
	struct address local;
	int i;

	l->server = arg;
	for (i = 0; i < l->server->n_fds; i++) {
		if (address_of_local(&local, l->server->fds[i]) == 0)
			add_entrance(l, l->server->fds[i], l->server->fds[i],
			    &local);
	}
	while (!is_done(l))
		serve_round(l);
	tell_drops(l);
	close_entrances(l);
	server_end_accepting(l->server);
	free(l);
	return NULL;
}
