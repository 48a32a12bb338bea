/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/connection.h"
#include "role/handshake.h"
#include "role/server.h"
#include "role/server_impl.h"
#include "role/threads.h"
#include "role/udp_peer.h"
#include "stream/udp_recv.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"
#include "wire/udp_report.h"

/*
 * A flow without datagrams ends after this and some of the gaps that its rate
 * makes, which the client may have made up.
 */
#define IDLE_NS (10 * NS_PER_S)
#define IDLE_GAPS 3
#define IDLE_MAX_NS (120 * NS_PER_S)

/* How often a waiting worker looks at its server. */
#define LOOK_NS (200 * NS_PER_MS)

/* After the report the flow is kept for a client whose copy was lost. */
#define LINGER_NS NS_PER_S
#define REPORTS_MAX 64

/* The longest report, and what a copy of the final counts for at most. */
#define ANSWER_MAX OPTIONS_UDP_LENGTH

/* The largest number that an int64_t and a double share, nearly. */
#define FIGURE_MAX 9.2e18

struct udp_worker {
	struct server *server;
	struct udp_peer *peer;
	struct hello hello;
	enum client_header_form form;
	struct datagrams_in *in;
	struct flow *flow;
	struct udp_recv recv;
	int64_t idle_ns;
	int64_t deadline_ns; /* server -t; INT64_MAX none */
	int64_t heard_ns;    /* when something came last, monotonic */
	int64_t start_ns;    /* of the flow, monotonic too */
	int64_t end_ns;
	bool has_started;
};

/* Wall time as a moment of the monotonic clock, for the present. */
static int64_t
monotonic_of(int64_t wall_ns)
{
	return wall_ns - clock_wall_ns() + clock_now_ns();
}

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

/* Learns from the first datagram what the client says of the test. */
static void
read_hello(struct udp_worker *w, const struct datagram_in *first)
{
	struct hello *h = &w->hello;
	struct datagram d = {.id = 1};
	int form;

	form = client_header_decode_udp(&h->header, first->data, first->stored);
	w->form = form < 0 ? HEADER_NONE : (enum client_header_form)form;
	h->kind = w->form == HEADER_CLIENT ? HELLO_CLIENT : HELLO_PLAIN;
	h->bytes = first->bytes;
	w->recv.is_wide =
	    datagram_from_client_is_wide(first->data, first->stored);
	datagram_decode(&d, first->data, first->stored, w->recv.is_wide);
	/* Clients up to 2.0.x count from 0. */
	udp_recv_init(&w->recv, d.id == 0 || w->form == HEADER_OLD ? 0 : 1);
	w->idle_ns = patience_ns(h);
}

static void
describe(const struct udp_worker *w, struct connection_fact *c)
{
	const struct client_header *h = &w->hello.header;
	const struct options *o = w->server->options;

	connection_describe(c, w->peer->fd, w->peer->id, &w->peer->address,
	    true, o);
	c->local = w->peer->local.ss;
	c->trip_times = h->trip_times;
	if (w->hello.kind != HELLO_CLIENT)
		return;
	version_format(h->version, c->peer_version, sizeof(c->peer_version));
	c->tos = h->tos != 0 ? h->tos : c->tos;
	c->no_udp_fin = h->no_udp_fin;
	c->txstart = h->has_txstart;
}

/* The flow's clock starts when its first datagram arrives. */
static void
note_arrivals(struct udp_worker *w)
{
	w->heard_ns = clock_now_ns();
	if (w->has_started || w->recv.first_rt_ns == 0)
		return;
	w->has_started = true;
	w->start_ns = monotonic_of(w->recv.first_rt_ns);
	flow_start(w->flow, w->start_ns);
}

static bool
is_over(const struct udp_worker *w)
{
	int64_t now_ns = clock_now_ns();

	return w->recv.has_final || atomic_load(&w->server->stop) ||
	       now_ns >= w->deadline_ns || now_ns - w->heard_ns > w->idle_ns;
}

/* What the listener brings, until it says that this was all. */
static void
receive_handed(struct udp_worker *w)
{
	struct udp_handed *h;
	uint64_t dropped;

	while (!is_over(w) && udp_peers_take(&w->server->peers, w->peer,
				  clock_now_ns() + LOOK_NS, &h, &dropped)) {
		if (h == NULL)
			continue;
		udp_recv_account_one(&w->recv, &h->in, dropped);
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
			    datagrams_in_take_drops(w->in));
			note_arrivals(w);
		} else if (n == -1 && errno != EAGAIN && errno != EINTR &&
			   errno != ECONNREFUSED) {
			reporter_warn(w->server->reporter,
			    "[%3d] read failed: %s", w->peer->id,
			    strerror(errno));
			return;
		}
	}
}

/*
 * A figure as a number of the report, in ns, but rounded to the microseconds
 * that it is sent in, so that both ends print the same. Clocks may be decades
 * apart.
 */
static int64_t
whole(double figure)
{
	figure = rint(figure / NS_PER_US) * NS_PER_US;
	if (figure > FIGURE_MAX)
		return (int64_t)FIGURE_MAX;
	return figure < -FIGURE_MAX ? (int64_t)-FIGURE_MAX : (int64_t)figure;
}

static uint32_t
rate_per_s(uint64_t count, int64_t duration_ns)
{
	double rate;

	if (duration_ns <= 0)
		return 0;
	rate = (double)count * NS_PER_S / (double)duration_ns;
	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

/* What the client is told, from the same figures as the report here. */
static void
make_report(const struct udp_worker *w, struct udp_report *r)
{
	const struct tally *t = &w->recv.total;

	memset(r, 0, sizeof(*r));
	r->is_enhanced =
	    w->server->options->enhanced || w->hello.header.trip_times;
	r->has_delays = true;
	r->bytes = t->bytes;
	r->duration_ns = w->end_ns - w->start_ns;
	r->lost = tally_lost(t);
	r->late = t->late + t->duplicates;
	r->datagrams = t->advanced;
	r->jitter_ns = whole(t->jitter_ns);
	r->delay_min_ns = whole(t->delay.min);
	r->delay_max_ns = whole(t->delay.max);
	r->delay_mean_ns = whole(t->delay.mean);
	r->delay_sum_ns = whole(t->delay.mean * (double)t->delay.count);
	r->delay_m2_us2 = t->delay.m2 / (double)(NS_PER_US * NS_PER_US);
	r->delay_count = t->delay.count;
	r->pps = rate_per_s(r->datagrams, r->duration_ns);
}

/* Writes the report as the client reads it; its length, or -1. */
static int
encode_report(const struct udp_worker *w, uint8_t *buf, size_t size)
{
	struct udp_report r;

	make_report(w, &r);
	if (w->form != HEADER_OLD)
		return udp_report_encode(&r, buf, size);
	/* These clients expect a datagram like theirs. */
	return udp_report_encode_old(&r, buf,
	    w->hello.bytes < size ? w->hello.bytes : size);
}

/*
 * Whether a datagram that came after the final belongs to another flow: a
 * client that was started again with the same port. Data of the old flow was
 * sent before its final.
 */
static bool
is_of_next_flow(const struct udp_worker *w, const struct datagram_in *in)
{
	struct datagram d;

	return flow_start_is_plausible(in->data, in->stored,
		   in->wall_ns / NS_PER_S) &&
	       datagram_decode(&d, in->data, in->stored, false) == 0 &&
	       stamp_to_ns(d.sent) > w->recv.final_sent_ns;
}

static bool
is_final(const struct udp_worker *w, const struct datagram_in *in)
{
	struct datagram d;

	return datagram_decode(&d, in->data, in->stored, w->recv.is_wide) ==
		   0 &&
	       d.id < 0;
}

/* What came after the final. */
enum after {
	AFTER_SILENCE,
	AFTER_FINAL,	 /* a copy */
	AFTER_NEXT_FLOW, /* queued at the peer */
};

/* Judges a batch; *credit grows by the copies of the final in it. */
static enum after
judge_batch(struct udp_worker *w, unsigned n, uint64_t *credit)
{
	enum after after = AFTER_SILENCE;
	const struct datagram_in *in;
	unsigned i;

	for (i = 0; i < n; i++) {
		in = datagrams_in_get(w->in, i);
		if (after == AFTER_NEXT_FLOW || is_of_next_flow(w, in)) {
			after = AFTER_NEXT_FLOW;
			udp_peers_hand(&w->server->peers, &w->peer->address,
			    &w->peer->local, in);
		} else if (is_final(w, in)) {
			after = AFTER_FINAL;
			*credit += in->bytes;
		}
	}
	return after;
}

/* Waits until the client has been silent for a while. */
static enum after
linger(struct udp_worker *w, uint64_t *credit)
{
	int64_t until_ns = clock_now_ns() + LINGER_NS;
	enum after after;
	int n;

	while (clock_now_ns() < until_ns && !atomic_load(&w->server->stop)) {
		n = datagrams_in_receive(w->in);
		after = judge_batch(w, n > 0 ? (unsigned)n : 0, credit);
		if (after != AFTER_SILENCE)
			return after;
	}
	return AFTER_SILENCE;
}

/*
 * Answers the final datagram, and each copy of it. Never sends more than has
 * come: the address may be a lie, and its owner shall not suffer. So a test
 * of a few small datagrams needs a second final. Returns whether the peer
 * has begun another flow.
 */
static bool
answer_final(struct udp_worker *w)
{
	uint64_t credit = w->recv.total.bytes;
	uint8_t answer[ANSWER_MAX];
	enum after after;
	size_t len;
	int i, rc;

	rc = encode_report(w, answer, sizeof(answer));
	if (rc < 0)
		return false;
	len = (size_t)rc;
	for (i = 0; i < REPORTS_MAX; i++) {
		if (credit >= len) {
			if (send(w->peer->fd, answer, len, 0) == -1 &&
			    errno != ECONNREFUSED)
				return false;
			credit -= len;
		}
		after = linger(w, &credit);
		if (after != AFTER_FINAL)
			return after == AFTER_NEXT_FLOW;
	}
	reporter_line(w->server->reporter,
	    "[%3d] WARNING: ack of last datagram failed.", w->peer->id);
	return false;
}

static void
end_flow(struct udp_worker *w)
{
	w->end_ns = clock_now_ns();
	/* Idle time at the end is none of the flow's. */
	if (w->has_started)
		w->end_ns = monotonic_of(w->recv.last_rt_ns);
	flow_end(w->flow, w->end_ns);
}

/*
 * Serves a flow whose first datagram is at hand. Returns whether another one
 * of the same peer waits in its queue.
 */
static bool
serve(struct udp_worker *w, struct udp_handed *first)
{
	struct server *s = w->server;
	struct connection_fact c;
	struct party *party;
	bool answers;

	read_hello(w, &first->in);
	describe(w, &c);
	party =
	    party_join(s, &w->hello, &c, ROW_UDP_RECV, w->peer->fd, &w->flow);
	if (party == NULL)
		return false;
	w->recv.slot = flow_slot(w->flow);
	w->recv.stop = &s->stop;
	w->deadline_ns = s->options->duration_ns > 0
			     ? clock_now_ns() + s->options->duration_ns
			     : INT64_MAX;
	udp_recv_account_one(&w->recv, &first->in, 0);
	note_arrivals(w);
	receive_handed(w);
	if (w->in != NULL)
		receive_own(w);
	answers = w->recv.has_final && w->peer->fd != -1 &&
		  !w->hello.header.no_udp_fin;
	end_flow(w);
	party_leave(s, party);
	return answers && answer_final(w);
}

/* Makes the worker one for another flow of its peer; false: it may not. */
static bool
renew(struct udp_worker *w)
{
	int id = server_admit(w->server);

	if (id == 0)
		return false;
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
		socket_set_receive_timeout(fd, LOOK_NS);
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
