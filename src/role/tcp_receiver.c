/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/tcp_receiver.h"
#include "role/trouble.h"

/* A sender whose clock or start differs by less has not ended early. */
#define EARLY_NS (500 * NS_PER_MS)

void
tcp_receiver_init(struct tcp_receiver *r, const struct options *o,
    struct flow *flow, int fd, int64_t start_ns)
{
	tcp_recv_configure(&r->recv, o);
	/* The rate is the sender's. */
	r->recv.rate_bps = 0;
	r->recv.fd = fd;
	r->recv.slot = flow_slot(flow);
	r->recv.drains = true;
	r->flow = flow;
	r->start_ns = start_ns;
	r->duration_ns = o->duration_ns;
	r->amount_bytes = o->amount_bytes;
	if (o->duration_ns > 0)
		r->recv.planned_end_ns = start_ns + o->duration_ns;
}

static void
start_clock(void *arg, int64_t now_ns)
{
	struct tcp_receiver *r = arg;

	flow_start(r->flow, now_ns);
}

static bool
ended_early(const struct tcp_receiver *r)
{
	if (r->amount_bytes >= 0)
		return r->recv.bytes < (uint64_t)r->amount_bytes;
	return r->duration_ns > 0 &&
	       r->recv.last_ns < r->start_ns + r->duration_ns - EARLY_NS;
}

/* Tells what went wrong. Returns 0 when all is well, else -1. */
static int
judge(struct tcp_receiver *r, int rc, int error)
{
	if (atomic_load(r->recv.stop))
		return 0;
	if (rc == -1)
		trouble_fail(r->trouble, "read failed: %s", strerror(error));
	else if (!r->recv.has_ended)
		trouble_fail(r->trouble,
		    "the peer did not end its stream in time");
	else if (r->recv.bytes == 0)
		trouble_fail(r->trouble,
		    "the server closed the connection without sending "
		    "anything: it may not allow such tests");
	else if (ended_early(r))
		trouble_fail(r->trouble, "the peer ended its stream early");
	else
		return 0;
	return -1;
}

bool
tcp_receiver_was_left(const struct tcp_receiver *r)
{
	bool is_endless = r->amount_bytes < 0 && r->duration_ns <= 0;

	return r->recv.has_ended && r->recv.bytes > 0 &&
	       (is_endless || ended_early(r));
}

int
tcp_receiver_run(struct tcp_receiver *r)
{
	int rc, error;

	socket_set_keepalive(r->recv.fd);
	rc = tcp_recv_run(&r->recv, start_clock, r);
	error = errno;
	/* What was waited for in vain is none of the stream's time. */
	flow_end(r->flow, !r->recv.has_ended && r->recv.heard_ns > 0
			      ? r->recv.heard_ns
			      : r->recv.last_ns);
	return judge(r, rc, error);
}
