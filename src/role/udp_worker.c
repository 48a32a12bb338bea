/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "net/socket.h"
#include "net/udp_socket.h"
#include "report/reporter.h"
#include "role/connection.h"
#include "role/request.h"
#include "role/server.h"
#include "role/server_impl.h"
#include "role/threads.h"
#include "role/udp_ending.h"
#include "role/udp_path.h"
#include "role/udp_peer.h"
#include "role/udp_reverse.h"
#include "role/udp_worker.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"

/*
 * A flow without datagrams ends after this and some of the gaps that its rate
 * makes, which the client may have made up.
 */
#define IDLE_NS (10 * NS_PER_S)
#define IDLE_GAPS 3
#define IDLE_MAX_NS (120 * NS_PER_S)

/* How long the flow may be silent. */
static int64_t
patience_ns(const struct hello *h)
{
	double gap_ns;

	if (h->kind != HELLO_CLIENT || h->header.rate_bps == 0)
		return IDLE_NS;
	gap_ns = (double)h->bytes * 8 * NS_PER_S / (double)h->header.rate_bps;
	if (gap_ns * IDLE_GAPS > IDLE_MAX_NS - IDLE_NS)
		return IDLE_MAX_NS;
	return IDLE_NS + (int64_t)(gap_ns * IDLE_GAPS);
}

/*
 * The id that comes before all others. Clients up to 2.0.x count from 0. A
 * flow that was silent for too long goes on where it was.
 */
static int64_t
first_id(const struct udp_worker *w, int64_t id)
{
	if (w->peer->resume_id > 1 && id >= w->peer->resume_id)
		return w->peer->resume_id;
	return id == 0 || w->form == HEADER_OLD ? 0 : 1;
}

/* Learns from the first datagram what the client says of the test. */
static void
read_hello(struct udp_worker *w, const struct datagram_in *first)
{
	struct hello *h = &w->hello;
	struct datagram d = {.id = 1};
	int form;

	form = flow_start_header(&h->header, first->data, first->stored);
	w->form = form < 0 ? HEADER_NONE : (enum client_header_form)form;
	h->kind = w->form == HEADER_CLIENT ? HELLO_CLIENT : HELLO_PLAIN;
	h->bytes = first->bytes;
	w->pauses.may_ask =
	    h->kind == HELLO_CLIENT && version_is_ours(h->header.version);
	w->recv.is_wide =
	    w->server->awaited.test != NULL
		? datagram_from_server_is_wide(first->data, first->stored)
		: datagram_from_client_is_wide(first->data, first->stored);
	datagram_decode(&d, first->data, first->stored, w->recv.is_wide);
	udp_recv_init(&w->recv, first_id(w, d.id));
	w->idle_ns = patience_ns(h);
}

static void
describe(const struct udp_worker *w, const struct datagram_in *first,
    struct connection_fact *c)
{
	const struct client_header *h = &w->hello.header;
	const struct options *o = w->server->options;
	int tos = request_tos(h, o);

	connection_describe(c, w->peer->fd, w->peer->id, &w->peer->address,
	    true, o);
	c->local = w->peer->local.ss;
	c->tos_received = first->tos;
	c->trip_times = h->trip_times;
	if (w->hello.kind != HELLO_CLIENT)
		return;
	version_format(h->version, c->peer_version, sizeof(c->peer_version));
	c->tos_sent = tos > 0 ? tos : 0;
	c->reverse = h->reverse;
	c->full_duplex = h->full_duplex;
	c->no_udp_fin = h->no_udp_fin || h->reverse || h->full_duplex;
	c->txstart = h->has_txstart;
}

/*
 * When the client wants to begin (--txstart-time), monotonic; it sends the
 * first datagram ahead. INT64_MIN: it begins at once. Its clock may be ahead
 * of ours, so this is a hint.
 */
static int64_t
planned_start_ns(const struct udp_worker *w)
{
	const struct client_header *h = &w->hello.header;
	int64_t planned_ns;

	if (!h->has_txstart)
		return INT64_MIN;
	planned_ns = stamp_to_ns(h->start);
	if (planned_ns - w->recv.first_rt_ns > REQUEST_AHEAD_MAX_NS)
		return INT64_MIN;
	return clock_monotonic_of(planned_ns);
}

static void
begin(struct udp_worker *w, int64_t start_ns)
{
	w->has_started = true;
	w->start_ns = start_ns;
	flow_start(w->flow, start_ns);
}

/* What arrivals mean for a flow that goes the other way. */
static void
heed_path(struct udp_worker *w)
{
	if (w->reverse != NULL)
		udp_path_credit(&w->reverse->path, w->recv.total.bytes);
	if (w->recv.aside == ASIDE_PROOF && w->reverse != NULL)
		udp_path_prove(&w->reverse->path, w->recv.aside_value);
	/* Our server, as we are a client, doubts that we are. */
	if (w->recv.aside == ASIDE_CHALLENGE &&
	    w->server->awaited.test != NULL && w->peer->fd != -1) {
		udp_path_answer(w->peer->fd, NULL, w->recv.aside_value);
		atomic_store(&w->server->awaits_ours, true);
	}
	w->pauses.may_ask |= atomic_load(&w->server->awaits_ours);
	w->recv.aside = ASIDE_NONE;
}

/*
 * The flow's clock starts when its first datagram arrives, or when it is to
 * start, but not later than the second one.
 */
static void
note_arrivals(struct udp_worker *w)
{
	int64_t planned_ns, first_ns, last_ns;

	w->heard_ns = clock_now_ns();
	heed_path(w);
	if (w->has_started || w->recv.first_rt_ns == 0)
		return;
	planned_ns = planned_start_ns(w);
	first_ns = w->recv.first_ns;
	last_ns = w->recv.last_ns;
	if (planned_ns <= first_ns) {
		begin(w, first_ns);
	} else if (w->recv.total.datagrams > 1) {
		begin(w, planned_ns < last_ns ? planned_ns : last_ns);
	} else {
		/* Silence until then is none. */
		w->heard_ns += planned_ns - first_ns < IDLE_MAX_NS
				   ? planned_ns - first_ns
				   : IDLE_MAX_NS;
	}
}

static bool
has_expired(const struct udp_worker *w)
{
	return !w->recv.has_final && !atomic_load(&w->server->stop) &&
	       clock_now_ns() >= w->deadline_ns;
}

static bool
is_over(const struct udp_worker *w)
{
	return w->recv.has_final || atomic_load(&w->server->stop) ||
	       has_expired(w) || clock_now_ns() - w->heard_ns > w->idle_ns;
}

/* What queues have dropped since this was asked last. */
static uint64_t
take_drops(struct udp_worker *w)
{
	uint64_t drops = w->drops;

	w->drops = 0;
	if (w->in != NULL)
		drops += datagrams_in_take_drops(w->in);
	return drops;
}

/* What the listener brings, until it says that this was all. */
static void
receive_handed(struct udp_worker *w)
{
	struct udp_handed *h;
	uint64_t dropped;
	bool more = true;

	while (more && !is_over(w)) {
		more = udp_peers_take(&w->server->peers, w->peer,
		    clock_now_ns() + UDP_WORKER_LOOK_NS, &h, &dropped);
		w->drops += dropped;
		if (h == NULL)
			continue;
		udp_recv_account_one(&w->recv, &h->in, take_drops(w));
		free(h);
		note_arrivals(w);
	}
}

/* What comes in our own socket, until the flow ends. */
static void
receive_own(struct udp_worker *w)
{
	int n;

	while (!is_over(w)) {
		/* What the kernel was still sorting at the hand-over. */
		if (atomic_load(&w->peer->queued) > 0)
			receive_handed(w);
		n = datagrams_in_receive(w->in);
		if (n > 0) {
			udp_recv_account(&w->recv, w->in, (unsigned)n,
			    take_drops(w));
			udp_pause_ask(&w->pauses, w->peer->fd, w->in);
			note_arrivals(w);
		} else if (n == -1 && errno == ECONNREFUSED) {
			if (w->reverse != NULL)
				udp_path_refused(&w->reverse->path);
		} else if (n == -1 && errno != EAGAIN && errno != EINTR) {
			reporter_fail(w->server->reporter,
			    "[%3d] read failed: %s", w->peer->id,
			    strerror(errno));
			return;
		}
	}
}

static void
end_flow(struct udp_worker *w)
{
	w->drops += udp_peers_take_drops(&w->server->peers, w->peer);
	udp_recv_add_drops(&w->recv, take_drops(w));
	if (!w->has_started && w->recv.first_rt_ns != 0)
		begin(w, w->recv.first_ns);
	w->end_ns = clock_now_ns();
	/* Idle time at the end is none of the flow's. */
	if (w->has_started)
		w->end_ns = w->recv.last_ns;
	flow_end(w->flow, w->end_ns);
}

/* What is left to be done for the peer; as udp_ending_answer(). */
static bool
part(struct udp_worker *w, bool is_expired)
{
	bool is_next = false;

	udp_peers_set_lingering(&w->server->peers, w->peer, true);
	/* The next flow of the peer may begin with what comes now. */
	if (w->in != NULL)
		udp_socket_report_tos(w->peer->fd);
	if (is_expired)
		is_next = udp_ending_drain(w);
	else if (w->recv.has_final && w->peer->fd != -1 &&
		 !w->hello.header.no_udp_fin)
		is_next = udp_ending_answer(w);
	w->peer->ended_sent_ns =
	    w->recv.has_final ? w->recv.final_sent_ns : w->recv.last_sent_ns;
	w->peer->resume_id = 0;
	if (!w->recv.has_final)
		w->peer->resume_id = w->recv.sequence.highest + 1;
	return is_next;
}

/*
 * Serves a flow whose first datagram is at hand. Returns whether another one
 * of the same peer waits in its queue.
 */
static bool
serve(struct udp_worker *w, struct udp_handed *first)
{
	struct server *s = w->server;
	enum direction direction = DIRECTION_FORWARD;
	struct connection_fact c;
	struct party *party;
	bool is_expired, is_next;

	read_hello(w, &first->in);
	describe(w, &first->in, &c);
	if (w->peer->fd != -1)
		socket_set_tos(w->peer->fd, c.tos_sent);
	if (w->form == HEADER_CLIENT || w->form == HEADER_OLD)
		direction = request_direction(&w->hello.header);
	/* The listener has not seen a flow that follows another. */
	if (direction != DIRECTION_FORWARD &&
	    request_refusal(&w->hello.header, s->options) != NULL)
		return false;
	if (direction == DIRECTION_REVERSE) {
		udp_reverse_serve(w, first, &c);
		return false;
	}
	party =
	    party_join(s, &w->hello, &c, ROW_UDP_RECV, w->peer->fd, &w->flow);
	if (party == NULL)
		return false;
	w->peer->id = c.id;
	w->recv.slot = flow_slot(w->flow);
	w->recv.stop = &s->stop;
	w->deadline_ns = s->options->duration_ns > 0
			     ? clock_now_ns() + s->options->duration_ns
			     : INT64_MAX;
	if (direction != DIRECTION_FORWARD)
		w->reverse = udp_reverse_open(w, party, direction);
	udp_recv_account_one(&w->recv, &first->in, take_drops(w));
	note_arrivals(w);
	receive_handed(w);
	if (w->in != NULL)
		receive_own(w);
	is_expired = has_expired(w);
	if (w->reverse != NULL)
		udp_reverse_received(w->reverse);
	end_flow(w);
	if (w->reverse == NULL) {
		party_leave(s, party);
		return part(w, is_expired);
	}
	udp_reverse_follow(w->reverse);
	is_next = part(w, is_expired);
	udp_reverse_close(w->reverse);
	w->reverse = NULL;
	party_leave(s, party);
	return is_next;
}

/* Makes the worker one for another flow of its peer; false: it may not. */
static bool
renew(struct udp_worker *w)
{
	const struct options *o = w->server->options;
	int id;

	if (udp_peers_room(&w->server->peers, &w->peer->address, o->max_flows,
		o->max_flows_per_host) != UDP_ROOM)
		return false;
	id = server_admit(w->server);
	if (id == 0)
		return false;
	udp_peers_set_lingering(&w->server->peers, w->peer, false);
	/* The listener does not see this one. */
	if (server_is_full(w->server))
		server_stop_accepting(w->server);
	w->peer->id = id;
	w->has_started = false;
	w->heard_ns = clock_now_ns();
	return true;
}

/* Serves the flow of the peer, and those that follow from its port. */
static void
serve_peer(struct udp_worker *w)
{
	struct udp_handed *first;
	uint64_t dropped;
	bool again;

	do {
		/* What began the flow was queued before. */
		udp_peers_take(&w->server->peers, w->peer, clock_now_ns(),
		    &first, &dropped);
		w->drops += dropped;
		again = first != NULL && serve(w, first);
		free(first);
	} while (again && renew(w));
}

static void *
udp_worker_main(void *arg)
{
	struct udp_worker *w = arg;
	int fd = w->peer->fd;

	if (fd != -1) {
		socket_set_receive_timeout(fd, UDP_WORKER_LOOK_NS);
		w->in = datagrams_in_new(fd,
		    w->server->options->histogram.width_ns < 0);
	}
	serve_peer(w);
	if (w->in != NULL)
		datagrams_in_free(w->in);
	udp_peers_remove(&w->server->peers, w->peer);
	if (fd != -1)
		close(fd);
	server_worker_ended(w->server);
	free(w);
	return NULL;
}

int
udp_worker_start(struct server *s, struct udp_peer *peer)
{
	struct udp_worker *w = calloc(1, sizeof(*w));
	int rc = w == NULL ? ENOMEM : 0;

	server_worker_began(s);
	if (rc == 0) {
		w->server = s;
		w->peer = peer;
		w->heard_ns = clock_now_ns();
		rc = threads_start(NULL, udp_worker_main, w);
	}
	if (rc != 0) {
		if (peer->fd != -1)
			close(peer->fd);
		udp_peers_remove(&s->peers, peer);
		server_worker_ended(s);
		free(w);
	}
	return rc;
}
