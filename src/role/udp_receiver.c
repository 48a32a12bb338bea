/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/gap.h"
#include "base/options.h"
#include "net/address.h"
#include "net/datagrams.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/udp_path.h"
#include "role/udp_receiver.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/* As iperf 2: so many requests, so far apart at most. */
#define REQUESTS_MAX 100
#define REQUEST_GAP_MS 20

/* What pads a request: the least that data may be worth to its sender. */
#define REQUEST_LEAST CLIENT_HEADER_UDP_BYTES

/* No read blocks for longer, so that the stop flag holds. */
#define READ_CALL_NS (20 * NS_PER_MS)

/* A peer that is silent after the planned end has ended. */
#define SILENCE_NS (2 * NS_PER_S)

/* Before it the path may be broken for a while. */
#define OUTAGE_NS (10 * NS_PER_S)
#define OUTAGE_GAPS 3

/* A sender whose clock or start differs by less has not ended early. */
#define EARLY_NS (500 * NS_PER_MS)

struct udp_receiver *
udp_receiver_new(const struct options *o, struct flow *flow, int fd,
    int64_t start_ns)
{
	struct udp_receiver *r = xcalloc(1, sizeof(*r));

	r->flow = flow;
	r->fd = fd;
	r->start_ns = start_ns;
	r->heard_ns = start_ns;
	r->duration_ns = o->duration_ns;
	r->patience_ns = OUTAGE_NS + (int64_t)(gap_ns(o) * OUTAGE_GAPS);
	r->recv.slot = flow_slot(flow);
	r->recv.is_wide = true;
	udp_recv_init(&r->recv, 1);
	socket_set_receive_timeout(fd, READ_CALL_NS);
	r->in = datagrams_in_new(fd, o->histogram.width_ns < 0);
	return r;
}

void
udp_receiver_free(struct udp_receiver *r)
{
	datagrams_in_free(r->in);
	free(r);
}

static bool
is_stopped(void *arg)
{
	const struct udp_receiver *r = arg;

	return atomic_load_explicit(r->recv.stop, memory_order_relaxed);
}

/* The first datagram of data tells how ids are to be read. */
static void
learn_width(struct udp_receiver *r, unsigned n)
{
	const struct datagram_in *in;
	uint64_t token;
	unsigned i;

	for (i = 0; i < n && r->data_ns == 0; i++) {
		in = datagrams_in_get(r->in, i);
		if (aside_decode(in->data, in->stored, &token) != ASIDE_NONE)
			continue;
		r->recv.is_wide =
		    datagram_from_server_is_wide(in->data, in->stored);
		udp_recv_init(&r->recv, 1);
		return;
	}
}

/* A server wants to know whether we are where we claim to be. */
static void
answer_challenge(struct udp_receiver *r)
{
	if (r->recv.aside != ASIDE_CHALLENGE)
		return;
	r->recv.aside = ASIDE_NONE;
	udp_path_answer(r->fd, NULL, r->recv.aside_value);
	r->pauses.may_ask = true;
}

/* Takes what is there, or waits a little for it. 0, or -1 with errno. */
static int
receive(struct udp_receiver *r)
{
	int n = datagrams_in_receive(r->in);

	if (n == -1) {
		r->was_refused |= errno == ECONNREFUSED;
		return errno == EAGAIN || errno == EINTR ||
			       errno == ECONNREFUSED
			   ? 0
			   : -1;
	}
	learn_width(r, (unsigned)n);
	udp_recv_account(&r->recv, r->in, (unsigned)n,
	    datagrams_in_take_drops(r->in));
	answer_challenge(r);
	udp_pause_ask(&r->pauses, r->fd, r->in);
	if (r->recv.first_rt_ns == 0)
		return 0;
	r->heard_ns = clock_now_ns();
	if (r->data_ns == 0) {
		r->data_ns = r->recv.first_ns;
		flow_start(r->flow, r->data_ns);
	}
	return 0;
}

/* A random pause, which data ends. */
static void
await_data(struct udp_receiver *r, unsigned short seed[3])
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	int64_t until_ns, left_ns;

	until_ns =
	    clock_now_ns() + nrand48(seed) % (REQUEST_GAP_MS * NS_PER_MS);
	while (r->data_ns == 0 && !is_stopped(r) &&
	       (left_ns = until_ns - clock_now_ns()) > 0) {
		if (poll(&p, 1, (int)(left_ns / NS_PER_MS) + 1) > 0 &&
		    receive(r) == -1)
			return;
		/* Refused: the error was taken, but there is no hurry. */
		if (p.revents & POLLERR)
			clock_sleep_unless(until_ns, is_stopped, r);
	}
}

static int
tell_no_data(struct udp_receiver *r)
{
	char text[ADDRESS_TEXT_MAX];

	flow_end(r->flow, clock_now_ns());
	if (is_stopped(r))
		return 0;
	address_text(r->peer, text, sizeof(text));
	if (r->was_refused)
		reporter_fail(r->reporter, "[%3d] no data came from %s: %s",
		    r->id, text, strerror(ECONNREFUSED));
	else
		reporter_fail(r->reporter,
		    "[%3d] no data came from %s; the server may refuse "
		    "UDP reverse tests",
		    r->id, text);
	return -1;
}

int
udp_receiver_ask(struct udp_receiver *r, const struct client_header *header)
{
	uint8_t buf[REQUEST_LEAST] = {0};
	struct datagram d = {.id = 1};
	unsigned short seed[3];
	int64_t now_ns;
	int i;

	clock_sleep_unless(r->start_ns, is_stopped, r);
	client_header_encode_udp(header, buf, sizeof(buf));
	now_ns = clock_now_ns() ^ (int64_t)r->id << 20;
	memcpy(seed, &now_ns, sizeof(seed));
	for (i = 0; i < REQUESTS_MAX && r->data_ns == 0 && !is_stopped(r);
	     i++) {
		d.sent = stamp_from_ns(clock_wall_ns());
		datagram_encode(&d, buf, sizeof(buf));
		if (send(r->fd, buf, sizeof(buf), 0) == -1)
			r->was_refused |= errno == ECONNREFUSED;
		await_data(r, seed);
	}
	r->heard_ns = clock_now_ns();
	while (r->data_ns == 0 && !is_stopped(r) &&
	       clock_now_ns() - r->heard_ns < SILENCE_NS)
		receive(r);
	return r->data_ns != 0 ? 0 : tell_no_data(r);
}

static int64_t
planned_end_ns(const struct udp_receiver *r)
{
	if (r->duration_ns <= 0)
		return INT64_MAX;
	return (r->data_ns != 0 ? r->data_ns : r->start_ns) + r->duration_ns;
}

static bool
is_over(struct udp_receiver *r)
{
	int64_t now_ns = clock_now_ns(), silent_ns = now_ns - r->heard_ns;

	if (r->recv.has_final || is_stopped(r))
		return true;
	if (now_ns > planned_end_ns(r) && silent_ns > SILENCE_NS)
		return true;
	return silent_ns > r->patience_ns && r->duration_ns <= 0;
}

/* Tells what is missing. Returns 0 when all is well, else -1. */
static int
judge(struct udp_receiver *r)
{
	if (r->recv.has_final || is_stopped(r))
		return 0;
	if (r->duration_ns > 0 && r->heard_ns > planned_end_ns(r) - EARLY_NS) {
		reporter_line(r->reporter,
		    "[%3d] WARNING: the final datagram of the server was "
		    "lost.",
		    r->id);
		return 0;
	}
	reporter_fail(r->reporter, "[%3d] the server fell silent", r->id);
	return -1;
}

int
udp_receiver_run(struct udp_receiver *r)
{
	int rc = 0;

	clock_sleep_unless(r->start_ns, is_stopped, r);
	while (rc == 0 && !is_over(r))
		rc = receive(r);
	if (rc == -1)
		reporter_fail(r->reporter, "[%3d] read failed: %s", r->id,
		    strerror(errno));
	if (r->data_ns == 0)
		return tell_no_data(r);
	udp_recv_add_drops(&r->recv, datagrams_in_take_drops(r->in));
	flow_end(r->flow, r->recv.last_ns);
	return rc == 0 ? judge(r) : -1;
}
