/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "report/reporter.h"
#include "role/server_impl.h"
#include "role/udp_ending.h"
#include "role/udp_peer.h"
#include "role/udp_reverse.h"
#include "role/udp_worker.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"
#include "wire/udp_report.h"

/* After the report the flow is kept for a client whose copy was lost. */
#define LINGER_NS NS_PER_S

/* A client that was called back is to end soon, and its server is quick. */
#define LINGER_AWAITED_NS (300 * NS_PER_MS)
#define REPORTS_MAX 64

/* The longest report, and what a copy of the final counts for at most. */
#define ANSWER_MAX OPTIONS_UDP_LENGTH

/* The largest number that an int64_t and a double share, nearly. */
#define FIGURE_MAX 9.2e18

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

/* These clients expect a datagram like theirs; any ends their wait. */
static size_t
old_report_bytes(const struct udp_worker *w)
{
	return w->hello.bytes < ANSWER_MAX ? w->hello.bytes : ANSWER_MAX;
}

size_t
udp_ending_report_bytes(const struct udp_worker *w)
{
	const struct client_header *h = &w->hello.header;

	if (h->no_udp_fin || h->reverse || h->full_duplex)
		return 0;
	if (w->form == HEADER_OLD && old_report_bytes(w) > UDP_REPORT_BYTES)
		return old_report_bytes(w);
	return UDP_REPORT_BYTES;
}

/* Writes the report as the client reads it; its length, or -1. */
static int
encode_report(const struct udp_worker *w, uint8_t buf[ANSWER_MAX])
{
	struct udp_report r;
	int len = -1;

	make_report(w, &r);
	if (w->form == HEADER_OLD)
		len = udp_report_encode_old(&r, buf, old_report_bytes(w));
	return len > 0 ? len : udp_report_encode(&r, buf, ANSWER_MAX);
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
	int64_t until_ns =
	    clock_now_ns() +
	    (w->server->awaited.test != NULL ? LINGER_AWAITED_NS : LINGER_NS);
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

/* Who misses a report that could not be sent asks again. */
static bool
is_passing(int error)
{
	return error == ECONNREFUSED || error == ENOBUFS || error == EAGAIN ||
	       error == EINTR;
}

/* How much of what has come is left for reports. */
static uint64_t
credit_left(const struct udp_worker *w)
{
	uint64_t bytes = w->recv.total.bytes;

	return w->reverse != NULL
		   ? udp_path_report_credit(&w->reverse->path, bytes)
		   : bytes;
}

static bool
is_proven(const struct udp_worker *w)
{
	return w->reverse != NULL && udp_path_is_proven(&w->reverse->path);
}

bool
udp_ending_answer(struct udp_worker *w)
{
	uint64_t credit = credit_left(w);
	uint8_t answer[ANSWER_MAX];
	enum after after;
	size_t len;
	int i, rc;

	rc = encode_report(w, answer);
	if (rc < 0)
		return false;
	len = (size_t)rc;
	for (i = 0; i < REPORTS_MAX; i++) {
		if (credit >= len || is_proven(w)) {
			if (send(w->peer->fd, answer, len, 0) == -1 &&
			    !is_passing(errno))
				return false;
			credit -= credit < len ? credit : len;
		}
		after = linger(w, &credit);
		if (after != AFTER_FINAL)
			return after == AFTER_NEXT_FLOW;
	}
	reporter_line(w->server->reporter,
	    "[%3d] WARNING: ack of last datagram failed.", w->peer->id);
	return false;
}

/*
 * Judges a datagram of a flow that has been ended here. Unlike after a final,
 * data may be of this flow still, unless the numbers begin anew.
 */
static enum after
judge_rest(struct udp_worker *w, const struct datagram_in *in)
{
	struct datagram d;

	w->heard_ns = clock_now_ns();
	if (datagram_decode(&d, in->data, in->stored, w->recv.is_wide) < 0)
		return AFTER_SILENCE;
	if (sequence_is_final(&w->recv.sequence, d.id)) {
		w->recv.has_final = true;
		w->recv.final_sent_ns = stamp_to_ns(d.sent);
		return AFTER_FINAL;
	}
	return d.id >= 0 && d.id <= 1 && is_of_next_flow(w, in)
		   ? AFTER_NEXT_FLOW
		   : AFTER_SILENCE;
}

/* What the listener hands on. */
static enum after
drain_handed(struct udp_worker *w)
{
	enum after after = AFTER_SILENCE;
	struct udp_handed *h;
	uint64_t dropped;

	udp_peers_take(&w->server->peers, w->peer,
	    clock_now_ns() + UDP_WORKER_LOOK_NS, &h, &dropped);
	if (h != NULL)
		after = judge_rest(w, &h->in);
	if (after == AFTER_NEXT_FLOW)
		udp_peers_put_back(&w->server->peers, w->peer, h);
	else
		free(h);
	return after;
}

/* What comes in our own socket. */
static enum after
drain_own(struct udp_worker *w)
{
	enum after after = AFTER_SILENCE;
	int i, n = datagrams_in_receive(w->in);

	for (i = 0; i < n; i++) {
		const struct datagram_in *in =
		    datagrams_in_get(w->in, (unsigned)i);

		if (after == AFTER_SILENCE)
			after = judge_rest(w, in);
		if (after == AFTER_NEXT_FLOW)
			udp_peers_hand(&w->server->peers, &w->peer->address,
			    &w->peer->local, in);
	}
	return after;
}

bool
udp_ending_drain(struct udp_worker *w)
{
	enum after after = AFTER_SILENCE;

	while (after == AFTER_SILENCE && !server_is_closing(w->server) &&
	       clock_now_ns() - w->heard_ns <= w->idle_ns)
		after = w->in != NULL ? drain_own(w) : drain_handed(w);
	if (after == AFTER_FINAL && w->in != NULL &&
	    !w->hello.header.no_udp_fin)
		return udp_ending_answer(w);
	return after == AFTER_NEXT_FLOW;
}
