/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tally.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/trouble.h"
#include "role/udp_sender.h"

/* No send blocks for longer, so that deadlines and the stop flag hold. */
#define SEND_CALL_NS (20 * NS_PER_MS)

/* Nobody repeats a lost final of a test without reports. */
#define FINAL_COPIES 3

void
udp_sender_init(struct udp_sender *s, const struct options *o,
    struct flow *flow, int fd, int64_t start_ns)
{
	struct udp_send *send = &s->send;

	memset(s, 0, sizeof(*s));
	s->flow = flow;
	send->fd = fd;
	send->slot = flow_slot(flow);
	send->options = o;
	send->start_ns = start_ns;
	send->deadline_ns =
	    o->duration_ns > 0 ? start_ns + o->duration_ns : INT64_MAX;
	send->remaining_bytes =
	    o->amount_bytes >= 0 ? (uint64_t)o->amount_bytes : UINT64_MAX;
	send->input.fd = -1;
}

void
udp_sender_set_one_way(struct udp_sender *s)
{
	s->send.is_one_way = true;
	s->send.final_copies = FINAL_COPIES;
}

/* The peer's figures as a tally of a receiver. */
static void
tally_of_report(struct tally *t, const struct udp_report *r)
{
	memset(t, 0, sizeof(*t));
	t->bytes = r->bytes;
	t->advanced = r->datagrams;
	t->late = r->late;
	t->gaps = r->lost + r->late;
	t->datagrams = r->datagrams > r->lost ? r->datagrams - r->lost : 0;
	t->calls = t->datagrams;
	t->has_jitter = true;
	t->jitter_ns = (double)r->jitter_ns;
	if (!r->has_delays || r->delay_count == 0)
		return;
	t->delay.count = r->delay_count;
	t->delay.mean = (double)r->delay_sum_ns / (double)r->delay_count;
	t->delay.min = (double)r->delay_min_ns;
	t->delay.max = (double)r->delay_max_ns;
	t->delay.m2 =
	    r->delay_m2_us2 > 0 ? r->delay_m2_us2 * NS_PER_US * NS_PER_US : 0;
}

/* Tells why the gate let no final datagram pass. */
static int
judge_held(struct udp_sender *s)
{
	const char *why = s->send.gate->why(s->send.gate->arg);

	if (why == NULL)
		return 0;
	reporter_fail(s->reporter, "[%3d] stopped sending: %s", s->id, why);
	return -1;
}

/* Tells how the exchange at the end went. 0 when all is well, else -1. */
static int
judge_finish(struct udp_sender *s, enum udp_finish finish, unsigned tries)
{
	switch (finish) {
	case UDP_FINISH_REPORTED:
	case UDP_FINISH_ONE_WAY:
		return 0;
	case UDP_FINISH_NO_NUMBERS:
		reporter_line(s->reporter,
		    "[%3d] WARNING: the report of the server was lost.", s->id);
		return 0;
	case UDP_FINISH_SILENT:
		if (s->send.was_refused) {
			reporter_fail(s->reporter, "[%3d] read failed: %s",
			    s->id, strerror(ECONNREFUSED));
			return -1;
		}
		reporter_line(s->reporter,
		    "[%3d] WARNING: did not receive ack of last datagram "
		    "after %u tries.",
		    s->id, tries);
		return 0;
	case UDP_FINISH_HELD:
		return judge_held(s);
	case UDP_FINISH_FAILED:
		break;
	}
	reporter_fail(s->reporter, "[%3d] write failed: %s", s->id,
	    strerror(errno));
	return -1;
}

/* Sends the final datagram until the peer's report is here. 0 or -1. */
static int
finish(struct udp_sender *s, int64_t *end_ns)
{
	struct udp_report report;
	struct tally figures;
	enum udp_finish how;
	unsigned tries = 0;

	how = udp_send_finish(&s->send, &report, end_ns, &tries);
	if (how == UDP_FINISH_REPORTED) {
		tally_of_report(&figures, &report);
		flow_server_report(s->flow, &figures, report.duration_ns);
	}
	return judge_finish(s, how, tries);
}

/* The file, or standard input, could not be read. */
static void
tell_input(const struct udp_sender *s, int error)
{
	char why[TROUBLE_TEXT_MAX];

	reporter_fail(s->reporter, "[%3d] %s", s->id,
	    trouble_input(s->send.options->input_path, error, why));
}

static bool
is_stopped(void *arg)
{
	const struct udp_sender *s = arg;

	return atomic_load_explicit(s->send.stop, memory_order_relaxed);
}

int
udp_sender_run(struct udp_sender *s, const struct client_header *header)
{
	int64_t end_ns;
	int rc;

	udp_send_init(&s->send, header);
	rc = socket_set_send_timeout(s->send.fd, SEND_CALL_NS);
	/* The server is to know the flow when it begins. */
	if (rc == 0 && s->send.input.error == 0 &&
	    s->send.options->txstart_rt_ns >= 0 && header != NULL)
		rc = udp_send_ahead(&s->send);
	clock_sleep_unless(s->send.start_ns, is_stopped, s);
	flow_start(s->flow, s->send.start_ns);
	if (rc == 0 && s->send.input.error == 0)
		rc = udp_send_run(&s->send);
	end_ns = clock_now_ns();
	if (s->send.input.error != 0) {
		tell_input(s, s->send.input.error);
		/* What was read before is a test that ends. */
		if (s->send.next_id > 1)
			finish(s, &end_ns);
		rc = -1;
	} else if (rc == -1) {
		reporter_fail(s->reporter, "[%3d] write failed: %s", s->id,
		    strerror(errno));
	} else {
		rc = finish(s, &end_ns);
	}
	flow_end(s->flow,
	    end_ns > s->send.start_ns ? end_ns : s->send.start_ns);
	udp_send_fini(&s->send);
	return rc;
}
