/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/gap.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/request.h"
#include "role/server_impl.h"
#include "role/threads.h"
#include "role/udp_ending.h"
#include "role/udp_peer.h"
#include "role/udp_reverse.h"
#include "role/udp_worker.h"

static void
remark(const struct udp_worker *w, const char *why)
{
	char text[ADDRESS_TEXT_MAX];

	reporter_warn(w->server->reporter, "[%3d] %s: %s", w->peer->id,
	    address_text(&w->peer->address, text, sizeof(text)), why);
}

/* Returns 0, or -1 after a message. */
static int
init(struct udp_reverse *r, struct udp_worker *w, enum direction direction)
{
	const struct client_header *h = &w->hello.header;

	r->worker = w;
	r->trouble.reporter = w->server->reporter;
	r->trouble.id = w->peer->id;
	r->direction = direction;
	request_options(&r->options, w->server->options, h);
	r->path.server = w->server;
	r->path.fd = w->peer->fd;
	r->path.reads_fd = direction == DIRECTION_REVERSE;
	r->path.length = (size_t)r->options.length_bytes;
	r->path.report_bytes = udp_ending_report_bytes(w);
	if (r->path.reads_fd)
		r->path.peer = w->peer;
	if (w->peer->fd == -1 && (direction == DIRECTION_REVERSE ||
				     direction == DIRECTION_FULL_DUPLEX)) {
		remark(w, "refused: there is no socket for traffic towards it");
		return -1;
	}
	if (udp_path_init(&r->path, h) == -1) {
		remark(w, strerror(errno));
		return -1;
	}
	return 0;
}

static void
prepare_sender(struct udp_reverse *r, struct flow *flow, int64_t lead_ns)
{
	struct udp_worker *w = r->worker;
	struct udp_sender *s = &r->sender;

	udp_sender_init(s, &r->options, flow, w->peer->fd,
	    request_start_ns(&w->hello.header) + lead_ns);
	s->reporter = w->server->reporter;
	s->id = w->peer->id;
	s->send.stop = &w->server->stop;
	s->send.gate = &r->path.gate;
	udp_sender_set_one_way(s);
	s->send.heeds_refusal = true;
	s->send.heeds_pauses = r->path.reads_fd;
}

/* Lets a client prove that it is there. Returns whether it did, or may. */
static bool
await_client(struct udp_reverse *r)
{
	struct udp_worker *w = r->worker;

	switch (udp_path_await(&r->path)) {
	case UDP_PATH_READY:
		return true;
	case UDP_PATH_GONE:
		remark(w, "asked for traffic towards it, but does not answer");
		break;
	case UDP_PATH_UNPROVEN:
		remark(w, "refused for now: it is not proven that the client "
			  "is there (see --trust-udp-sources)");
		break;
	case UDP_PATH_STOPPED:
		break;
	}
	return false;
}

void
udp_reverse_serve(struct udp_worker *w, const struct udp_handed *first,
    struct connection_fact *c)
{
	struct udp_reverse *r = xcalloc(1, sizeof(*r));
	struct party *party;

	if (init(r, w, DIRECTION_REVERSE) == -1) {
		free(r);
		return;
	}
	udp_path_request(&r->path, first->in.data, first->in.stored,
	    first->in.bytes);
	if (await_client(r)) {
		party = party_join(w->server, &w->hello, c, ROW_UDP_SEND,
		    w->peer->fd, &w->flow);
		if (party != NULL) {
			w->peer->id = c->id;
			r->trouble.id = c->id;
			prepare_sender(r, w->flow, 0);
			udp_sender_run(&r->sender, NULL);
			party_leave(w->server, party);
		}
	}
	udp_peers_set_lingering(&w->server->peers, w->peer, true);
	udp_path_drain(&r->path);
	w->peer->ended_sent_ns = r->path.sent_stamp_ns;
	w->peer->resume_id = 0;
	free(r);
}

static void *
sender_main(void *arg)
{
	struct udp_reverse *r = arg;

	if (r->direction == DIRECTION_FULL_DUPLEX)
		udp_sender_run(&r->sender, NULL);
	else
		call_back_run(&r->call_back);
	return NULL;
}

static int
start(struct udp_reverse *r)
{
	int rc = threads_start(&r->thread, sender_main, r);

	r->has_thread = rc == 0;
	if (rc == 0)
		return 0;
	remark(r->worker, strerror(rc));
	return -1;
}

/* The flow of the other direction. 0, or -1 after a message. */
static int
start_full_duplex(struct udp_reverse *r)
{
	struct flow *flow;

	flow = flow_open_second(r->worker->flow, ROW_UDP_SEND);
	if (flow == NULL)
		return -1;
	prepare_sender(r, flow,
	    udp_path_lead_ns(&r->path, gap_ns(&r->options)));
	if (start(r) == 0)
		return 0;
	flow_end(flow, clock_now_ns());
	return -1;
}

struct udp_reverse *
udp_reverse_open(struct udp_worker *w, struct party *party,
    enum direction direction)
{
	struct udp_reverse *r = xcalloc(1, sizeof(*r));
	bool is_back = direction != DIRECTION_FULL_DUPLEX;

	r->call_back = (struct call_back){
	    .server = w->server,
	    .party = party,
	    .client = w->peer->address,
	    .local = w->peer->local,
	    .header = w->hello.header,
	    .trouble = &r->trouble,
	    .path = &r->path,
	};
	if (is_back)
		party_promise_back(w->server, party, direction);
	if (init(r, w, direction) == 0) {
		if (direction == DIRECTION_DUAL)
			r->call_back.lead_ns =
			    udp_path_lead_ns(&r->path, gap_ns(&r->options));
		if (direction == DIRECTION_TRADEOFF ||
		    (direction == DIRECTION_FULL_DUPLEX ? start_full_duplex(r)
							: start(r)) == 0)
			return r;
	}
	if (is_back)
		party_give_up_back(w->server, party, direction);
	free(r);
	return NULL;
}

void
udp_reverse_received(struct udp_reverse *r)
{
	struct udp_worker *w = r->worker;

	if (!w->recv.has_final ||
	    (w->has_started &&
		request_ended_early(&w->hello.header, w->start_ns)))
		atomic_store(&r->path.cancelled, true);
	atomic_store(&r->path.is_complete, true);
}

void
udp_reverse_follow(struct udp_reverse *r)
{
	if (r->direction != DIRECTION_TRADEOFF)
		return;
	if (!r->worker->recv.has_final || atomic_load(&r->path.cancelled) ||
	    start(r) == -1)
		party_give_up_back(r->worker->server, r->call_back.party,
		    r->direction);
}

void
udp_reverse_close(struct udp_reverse *r)
{
	if (r->has_thread)
		pthread_join(r->thread, NULL);
	free(r);
}
