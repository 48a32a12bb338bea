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
#include "role/connection.h"
#include "role/handshake.h"
#include "role/server_impl.h"
#include "role/threads.h"
#include "stream/tcp_recv.h"

/* Payload that follows the header within this belongs to its moment. */
#define HEADER_GAP_NS (50 * NS_PER_MS)

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

/* Receives the test's data. Returns 0, or -1 with errno. */
static int
receive(struct worker *w, const struct hello *h, struct flow *flow)
{
	const struct options *o = w->server->options;
	struct tcp_recv recv = {.fd = w->fd, .stop = &w->server->stop};
	struct start start = {.flow = flow, .hello_ns = h->first_ns};
	int rc;

	tcp_recv_configure(&recv, o);
	recv.slot = flow_slot(flow);
	recv.quickack |= h->header.quickack;
	recv.deadline_ns =
	    o->duration_ns > 0 ? clock_now_ns() + o->duration_ns : INT64_MAX;
	count_header(recv.slot, h->bytes);
	rc = tcp_recv_run(&recv, start_clock, &start);
	if (recv.first_ns == 0 && h->bytes > 0)
		flow_start(flow, h->first_ns);
	return rc;
}

/*
 * Says what was wrong with a connection, in one line and only once. Scans
 * and probes that just close are ordinary: the report has a row for them.
 */
static void
remark(struct worker *w, const char *why)
{
	char text[ADDRESS_TEXT_MAX];

	if (w->has_remark)
		return;
	w->has_remark = true;
	reporter_warn(w->server->reporter, "[%3d] %s: %s", w->id,
	    address_text(&w->peer, text, sizeof(text)), why);
}

static void
describe(struct worker *w, const struct hello *h, struct connection_fact *c)
{
	if (h->kind != HELLO_CLIENT)
		return;
	version_format(h->header.version, c->peer_version,
	    sizeof(c->peer_version));
	if (h->header.tos != 0 && w->server->options->tos < 0)
		c->tos = h->header.tos;
	c->quickack |= h->header.quickack;
	c->txstart = h->header.has_txstart;
}

/* Runs the test of a connection that may have one. */
static void
serve_test(struct worker *w, const struct hello *h,
    const struct connection_fact *c)
{
	struct flow *flow;
	struct party *party;

	party = party_join(w->server, h, c, ROW_TCP_RECV, w->fd, &flow);
	if (party == NULL)
		return;
	if (h->why != NULL)
		remark(w, h->why);
	if (h->kind == HELLO_CLIENT && h->header.tos != 0 &&
	    w->server->options->tos < 0)
		socket_set_tos(w->fd, h->header.tos);
	if (handshake_answer(h, w->fd) == -1 || receive(w, h, flow) == -1)
		remark(w, strerror(errno));
	flow_end(flow, clock_now_ns());
	party_leave(w->server, party);
}

static void
serve(struct worker *w)
{
	const struct options *o = w->server->options;
	struct connection_fact c;
	struct hello h;
	int64_t deadline_ns = INT64_MAX;

	connection_describe(&c, w->fd, w->id, &w->peer, true, o);
	if (socket_accepted(w->fd, o) == -1) {
		remark(w, strerror(errno));
		return;
	}
	if (o->header_timeout_ns > 0)
		deadline_ns = clock_now_ns() + o->header_timeout_ns;
	handshake_read(&h, w->fd, deadline_ns);
	describe(w, &h, &c);
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
	server_worker_began(s);
	pthread_mutex_lock(&s->mutex);
	w->next = s->workers;
	s->workers = w;
	if (atomic_load(&s->stop))
		shutdown(fd, SHUT_RD);
	pthread_mutex_unlock(&s->mutex);
	rc = threads_start(NULL, worker_main, w);
	if (rc != 0) {
		unregister(w);
		free(w);
	}
	return rc;
}
