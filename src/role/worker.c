/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/call_back.h"
#include "role/connection.h"
#include "role/handshake.h"
#include "role/permit.h"
#include "role/request.h"
#include "role/server_impl.h"
#include "role/tcp_sender.h"
#include "role/threads.h"
#include "stream/payload.h"
#include "stream/tcp_recv.h"

/* Payload that follows the header within this belongs to its moment. */
#define HEADER_GAP_NS (50 * NS_PER_MS)

/* How long a client that ends when we do may take for what is under way. */
#define DRAIN_NS (5 * NS_PER_S)

struct start {
	struct flow *flow;
	int64_t hello_ns;
};

/*
 * The stream's clock starts with its data, not when it connected: at the
 * header, unless the client paused after that (--txdelay-time).
 */
static void
start_clock(void *arg, int64_t now_ns)
{
	const struct start *start = arg;

	flow_start(start->flow, now_ns - start->hello_ns < HEADER_GAP_NS
				    ? start->hello_ns
				    : now_ns);
}

static void
count_header(struct slot *slot, size_t bytes)
{
	struct tally *t = slot_take(slot);

	t->bytes += bytes;
	slot_give(slot, t);
}

/*
 * A client of ours that has both directions ends when the server does, so what
 * is under way can be waited for. If the server has not been stopped before.
 */
static void
learn_to_drain(struct worker *w, const struct hello *h)
{
	enum direction direction = request_direction(&h->header);

	if (direction == DIRECTION_FORWARD || direction == DIRECTION_REVERSE ||
	    !version_is_ours(h->header.version))
		return;
	pthread_mutex_lock(&w->server->mutex);
	w->drains = !atomic_load(&w->server->stop);
	pthread_mutex_unlock(&w->server->mutex);
}

/* Receives the test's data. Returns 0, or an errno value. */
static int
receive(struct worker *w, const struct hello *h, struct flow *flow,
    struct tcp_recv *recv)
{
	const struct options *o = w->server->options;
	struct start start = {.flow = flow, .hello_ns = h->first_ns};
	int error;

	tcp_recv_configure(recv, o);
	recv->fd = w->fd;
	recv->stop = &w->server->stop;
	recv->slot = flow_slot(flow);
	recv->quickack |= h->header.quickack;
	recv->drains = w->server->awaited.test != NULL || w->drains;
	/* Else what is sent there ends, and says so. */
	recv->asks_end = recv->drains && !h->header.full_duplex;
	if (w->drains)
		recv->drain_ns = DRAIN_NS;
	if (o->duration_ns > 0)
		recv->deadline_ns = clock_now_ns() + o->duration_ns;
	count_header(recv->slot, h->bytes);
	error = tcp_recv_run(recv, start_clock, &start) == -1 ? errno : 0;
	if (recv->first_ns == 0 && h->bytes > 0)
		flow_start(flow, h->first_ns);
	return error;
}

/*
 * Says what was wrong with a connection, in one line and only once. Scans
 * and probes that just close are ordinary: the report has a row for them.
 */
static void
remark(struct worker *w, const char *why)
{
	char text[ADDRESS_TEXT_MAX];

	trouble_tell(&w->trouble, "%s: %s",
	    address_text(&w->peer, text, sizeof(text)), why);
}

static void
describe(struct worker *w, const struct hello *h, struct connection_fact *c)
{
	int tos;

	if (h->kind != HELLO_CLIENT)
		return;
	version_format(h->header.version, c->peer_version,
	    sizeof(c->peer_version));
	tos = request_tos(&h->header, w->server->options);
	c->tos_sent = tos > 0 ? tos : 0;
	c->quickack |= h->header.quickack;
	c->txstart = h->header.has_txstart;
	c->reverse = h->header.reverse;
	c->full_duplex = h->header.full_duplex;
}

/* The test of one connection. */
struct service {
	struct worker *worker;
	const struct hello *hello;
	struct party *party;
	struct flow *flow;
	uint64_t received;	/* bytes, with the header */
	bool was_cut;		/* we ended it */
	struct options options; /* of what the client wants to be sent */
	struct tcp_sender sender;
	struct call_back call_back;
};

/* Makes the connection one that can send. Returns 0, or -1 after a remark. */
static int
prepare_sender(struct service *v, struct flow *flow)
{
	struct worker *w = v->worker;
	struct net_error err;

	memset(&v->sender, 0, sizeof(v->sender));
	if (socket_set_sender(w->fd, &v->options, &err) == -1)
		remark(w, err.text);
	v->sender.trouble = &w->trouble;
	v->sender.send.stop = &w->server->stop;
	v->sender.send.shared = &v->party->sending;
	if (tcp_sender_init(&v->sender, &v->options, flow, w->fd,
		request_start_ns(&v->hello->header)) == 0)
		return 0;
	tcp_sender_fail(&v->sender, errno);
	return -1;
}

static void *
sender_main(void *arg)
{
	struct tcp_sender *sender = arg;

	sender->send.chunk = payload_new();
	tcp_sender_run(sender);
	free(sender->send.chunk);
	return NULL;
}

static void
serve_reverse(struct service *v)
{
	if (prepare_sender(v, v->flow) == -1)
		return;
	v->sender.send.heeds_peer = true;
	sender_main(&v->sender);
}

/* Receives, and ends the flow. Returns whether the client ended it well. */
static bool
serve_forward(struct service *v)
{
	struct tcp_recv recv;
	int error;

	error = receive(v->worker, v->hello, v->flow, &recv);
	if (error != 0)
		remark(v->worker, strerror(error));
	flow_end(v->flow, clock_now_ns());
	v->received = v->hello->bytes + recv.bytes;
	v->was_cut = recv.stopped_ns != 0;
	return error == 0 && recv.has_ended;
}

/*
 * The way there of a test with two connections. The client need not wait for
 * the other one to have this one closed. Returns as serve_forward().
 */
static bool
serve_way_there(struct service *v)
{
	bool is_well = serve_forward(v);

	if (is_well)
		shutdown(v->worker->fd, SHUT_RDWR);
	return is_well;
}

/* A server with -t ends both directions then, and the client is told so. */
static void
limit_time(struct tcp_send *send, const struct options *o)
{
	int64_t end_ns = clock_now_ns() + o->duration_ns;

	if (o->duration_ns > 0 && end_ns < send->deadline_ns)
		send->deadline_ns = end_ns;
}

static void
serve_full_duplex(struct service *v)
{
	struct flow *sent = flow_open_second(v->flow, ROW_TCP_SEND);
	pthread_t thread;
	int rc;

	if (sent == NULL || prepare_sender(v, sent) == -1) {
		serve_forward(v);
		return;
	}
	v->sender.send.is_read = true;
	limit_time(&v->sender.send, v->worker->server->options);
	rc = threads_start(&thread, sender_main, &v->sender);
	if (rc != 0) {
		tcp_sender_fail(&v->sender, rc);
		serve_forward(v);
		return;
	}
	if (!serve_forward(v) ||
	    request_ended_early(&v->hello->header, v->sender.send.start_ns))
		atomic_store(&v->sender.send.cancelled, true);
	pthread_join(thread, NULL);
}

static void *
call_back_main(void *arg)
{
	call_back_run(arg);
	return NULL;
}

static void
serve_dual(struct service *v)
{
	pthread_t thread;
	int rc;

	party_promise_back(v->worker->server, v->party, DIRECTION_DUAL);
	rc = threads_start(&thread, call_back_main, &v->call_back);
	if (rc != 0) {
		remark(v->worker, strerror(rc));
		party_give_up_back(v->worker->server, v->party, DIRECTION_DUAL);
	}
	/* What our own -t has ended has no trouble. */
	if (!serve_way_there(v) && atomic_load(&v->worker->trouble.is_told))
		atomic_store(&v->call_back.cancelled, true);
	if (rc == 0)
		pthread_join(thread, NULL);
}

/* Whether a client of ours ended before it had sent what it announced. */
static bool
was_interrupted(const struct service *v)
{
	const struct client_header *h = &v->hello->header;

	if (!version_is_ours(h->version))
		return false;
	return h->amount_bytes >= 0
		   ? v->received < (uint64_t)h->amount_bytes
		   : request_ended_early(h, v->hello->first_ns);
}

/* A client that has vanished, or is about to, is not called back. */
static void
serve_tradeoff(struct service *v)
{
	struct server *s = v->worker->server;

	party_promise_back(s, v->party, DIRECTION_TRADEOFF);
	if (serve_way_there(v) && !atomic_load(&s->stop) && !v->was_cut &&
	    !was_interrupted(v))
		call_back_run(&v->call_back);
	else
		party_give_up_back(s, v->party, DIRECTION_TRADEOFF);
}

static void
serve_direction(struct service *v, enum direction direction)
{
	const struct hello *h = v->hello;
	struct worker *w = v->worker;

	if (direction != DIRECTION_FORWARD) {
		request_options(&v->options, w->server->options, &h->header);
		learn_to_drain(w, h);
	}
	v->call_back = (struct call_back){
	    .server = w->server,
	    .party = v->party,
	    .client = w->peer,
	    .header = h->header,
	    .trouble = &w->trouble,
	};
	address_of_local(&v->call_back.local, w->fd);
	switch (direction) {
	case DIRECTION_FORWARD:
		serve_forward(v);
		break;
	case DIRECTION_REVERSE:
		serve_reverse(v);
		break;
	case DIRECTION_FULL_DUPLEX:
		serve_full_duplex(v);
		break;
	case DIRECTION_DUAL:
		serve_dual(v);
		break;
	case DIRECTION_TRADEOFF:
		serve_tradeoff(v);
		break;
	}
}

static void
set_tos(int fd, int tos)
{
	if (tos >= 0)
		socket_set_tos(fd, tos);
}

/* Runs the test of a connection that may have one. */
static void
serve_test(struct worker *w, const struct hello *h, struct connection_fact *c)
{
	struct service v = {.worker = w, .hello = h};
	enum direction direction = DIRECTION_FORWARD;

	if (h->kind == HELLO_CLIENT)
		direction = request_direction(&h->header);
	v.party = party_join(w->server, h, c,
	    direction == DIRECTION_REVERSE ? ROW_TCP_SEND : ROW_TCP_RECV, w->fd,
	    &v.flow);
	if (v.party == NULL)
		return;
	w->id = c->id;
	w->trouble.id = c->id;
	if (h->why != NULL)
		remark(w, h->why);
	if (h->kind == HELLO_CLIENT)
		set_tos(w->fd, request_tos(&h->header, w->server->options));
	if (handshake_answer(h, w->fd) == -1) {
		remark(w, strerror(errno));
		flow_end(v.flow, clock_now_ns());
	} else {
		serve_direction(&v, direction);
	}
	party_leave(w->server, v.party);
}

/* Why a client is not served; NULL: it is. */
static const char *
refusal(const struct server *s, const struct client_header *h)
{
	if (s->awaited.test != NULL)
		return "refused: a client, where its server was awaited";
	return request_refusal(h, s->options);
}

/*
 * Closes a connection whose client is not let in, with a reset: the end of a
 * stream could be taken for that of a short test.
 */
static void
drop(struct worker *w, struct connection_fact *c, const char *why)
{
	struct linger reset = {.l_onoff = 1, .l_linger = 0};

	c->is_dropped = true;
	reporter_connection(w->server->reporter, c);
	remark(w, why);
	setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

static void
serve(struct worker *w)
{
	const struct options *o = w->server->options;
	struct connection_fact c;
	struct hello h;
	int64_t deadline_ns = INT64_MAX;
	const char *why;

	connection_describe(&c, w->fd, w->id, &w->peer, true, o);
	c.tos_received = socket_received_tos(w->fd, &w->peer);
	if (socket_accepted(w->fd, o) == -1) {
		remark(w, strerror(errno));
		return;
	}
	if (o->header_timeout_ns > 0)
		deadline_ns = clock_now_ns() + o->header_timeout_ns;
	handshake_read(&h, w->fd, deadline_ns);
	describe(w, &h, &c);
	why = permit_refusal(&h, o);
	if (why != NULL) {
		drop(w, &c, why);
		return;
	}
	if (h.kind == HELLO_CLIENT &&
	    (h.why = refusal(w->server, &h.header)) != NULL)
		h.kind = HELLO_REFUSED;
	if (h.kind == HELLO_SILENT) {
		h.why = "no test header came in time, closing";
		shutdown(w->fd, SHUT_RDWR);
	} else if (h.kind == HELLO_REFUSED) {
		remark(w, h.why);
		return;
	}
	serve_test(w, &h, &c);
}

/* Takes a worker off the list, so that the server no longer stops it. */
static void
unregister(struct worker *w)
{
	struct server *s = w->server;
	struct worker **at;

	pthread_mutex_lock(&s->mutex);
	for (at = &s->workers; *at != w; at = &(*at)->next)
		continue;
	*at = w->next;
	close(w->fd);
	pthread_mutex_unlock(&s->mutex);
	server_worker_ended(s);
}

static void *
worker_main(void *arg)
{
	struct worker *w = arg;

	serve(w);
	unregister(w);
	free(w);
	return NULL;
}

int
worker_start(struct server *s, int fd, const struct address *peer, int id)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	int rc;

	w->server = s;
	w->fd = fd;
	w->peer = *peer;
	w->id = id;
	w->trouble.reporter = s->reporter;
	w->trouble.id = id;
	server_worker_began(s);
	pthread_mutex_lock(&s->mutex);
	w->next = s->workers;
	s->workers = w;
	if (atomic_load(&s->stop) && s->awaited.test == NULL)
		shutdown(fd, SHUT_RD);
	pthread_mutex_unlock(&s->mutex);
	rc = threads_start(NULL, worker_main, w);
	if (rc != 0) {
		unregister(w);
		free(w);
	}
	return rc;
}
