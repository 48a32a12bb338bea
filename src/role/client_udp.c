/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tally.h"
#include "net/sock_os.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/client_stream.h"
#include "stream/udp_send.h"
#include "wire/client_header.h"

/* No send blocks for longer, so that deadlines and the stop flag hold. */
#define SEND_CALL_NS (20 * NS_PER_MS)

static void
make_header(const struct client_stream *s, int64_t start_ns,
    struct client_header *h)
{
	const struct options *o = s->client->options;

	client_stream_header(s, start_ns, h);
	h->seqno64 = true;
	h->has_barrier = false;
	h->trip_times = o->trip_times;
	h->has_txstart = o->txstart_rt_ns >= 0;
	h->has_start |= o->trip_times;
	h->no_udp_fin = o->no_udp_fin;
	/* The server applies no rate; what it learns is how long gaps are. */
	if (o->rate.per_packet)
		h->rate_bps = (uint64_t)(o->rate.mean * 8 * o->length_bytes);
}

/* The server's figures as a tally of a receiver. */
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

/* Tells how the exchange at the end went. 0 when all is well, else -1. */
static int
judge_finish(struct client_stream *s, const struct udp_send *send,
    enum udp_finish finish, unsigned tries)
{
	struct reporter *r = s->client->reporter;
	int id = s->index + 1;

	switch (finish) {
	case UDP_FINISH_REPORTED:
	case UDP_FINISH_ONE_WAY:
		return 0;
	case UDP_FINISH_NO_NUMBERS:
		reporter_line(r,
		    "[%3d] WARNING: the report of the server was lost.", id);
		return 0;
	case UDP_FINISH_SILENT:
		if (send->was_refused) {
			reporter_warn(r, "[%3d] read failed: %s", id,
			    strerror(ECONNREFUSED));
			return -1;
		}
		reporter_line(r,
		    "[%3d] WARNING: did not receive ack of last datagram "
		    "after %u tries.",
		    id, tries);
		return 0;
	case UDP_FINISH_FAILED:
		break;
	}
	reporter_warn(r, "[%3d] write failed: %s", id, strerror(errno));
	return -1;
}

/* IP and UDP headers of a datagram, bytes (RFC 791, RFC 8200, RFC 768). */
#define HEADERS_V4 28
#define HEADERS_V6 48

/* Says once when datagrams are larger than the path takes in one piece. */
static void
warn_fragments(const struct client_stream *s)
{
	const struct client *c = s->client;
	int family = s->link.peer.ss.ss_family, mtu;
	int64_t size = c->options->length_bytes +
		       (family == AF_INET6 ? HEADERS_V6 : HEADERS_V4);

	if (s->index > 0 || sock_os_path_mtu(s->link.fd, family, &mtu) == -1 ||
	    size <= mtu)
		return;
	reporter_warn(c->reporter,
	    "datagrams of %lld bytes travel in fragments: the MTU is %d bytes",
	    (long long)c->options->length_bytes, mtu);
}

static void
open_input(struct udp_send *send, const char *path)
{
	send->input.fd = client_open_input(path);
	if (send->input.fd == -1)
		send->input.error = errno;
}

static void
configure(struct client_stream *s, struct udp_send *send, int64_t start_ns)
{
	struct client *c = s->client;
	const struct options *o = c->options;
	struct client_header h;

	memset(send, 0, sizeof(*send));
	send->fd = s->link.fd;
	send->slot = flow_slot(s->flow);
	send->stop = &c->stop;
	send->options = o;
	send->start_ns = start_ns;
	send->deadline_ns =
	    o->duration_ns > 0 ? start_ns + o->duration_ns : INT64_MAX;
	send->remaining_bytes =
	    o->amount_bytes >= 0 ? (uint64_t)o->amount_bytes : UINT64_MAX;
	send->input.fd = -1;
	if (o->input_path[0] != '\0')
		open_input(send, o->input_path);
	make_header(s, start_ns, &h);
	udp_send_init(send, o->compat ? NULL : &h);
}

/* The file, or standard input, could not be read. */
static void
tell_input(const struct client_stream *s, int error)
{
	const char *path = s->client->options->input_path;

	if (strcmp(path, "-") == 0)
		reporter_warn(s->client->reporter,
		    "[%3d] cannot read standard input: %s", s->index + 1,
		    strerror(error));
	else
		reporter_warn(s->client->reporter, "[%3d] cannot read '%s': %s",
		    s->index + 1, path, strerror(error));
}

/* Ends the stream at the server, and notes what that says of it. */
static int
finish(struct client_stream *s, struct udp_send *send, int64_t *end_ns)
{
	struct udp_report report;
	struct tally figures;
	enum udp_finish how;
	unsigned tries = 0;

	how = udp_send_finish(send, &report, end_ns, &tries);
	if (how == UDP_FINISH_REPORTED) {
		tally_of_report(&figures, &report);
		flow_server_report(s->flow, &figures, report.duration_ns);
	}
	return judge_finish(s, send, how, tries);
}

int
client_udp_run(struct client_stream *s, int64_t start_ns)
{
	struct client *c = s->client;
	struct udp_send send;
	int64_t end_ns;
	int rc;

	configure(s, &send, start_ns);
	warn_fragments(s);
	rc = socket_set_send_timeout(s->link.fd, SEND_CALL_NS);
	/* The server is to know the flow when it begins. */
	if (rc == 0 && send.input.error == 0 &&
	    c->options->txstart_rt_ns >= 0 && !c->options->compat)
		rc = udp_send_ahead(&send);
	clock_sleep_unless(start_ns, client_is_stopped, c);
	flow_start(s->flow, start_ns);
	if (rc == 0 && send.input.error == 0)
		rc = udp_send_run(&send);
	end_ns = clock_now_ns();
	if (send.input.error != 0) {
		tell_input(s, send.input.error);
		/* What was read before is a test that ends. */
		if (send.next_id > 1)
			finish(s, &send, &end_ns);
		rc = -1;
	} else if (rc == -1) {
		reporter_warn(c->reporter, "[%3d] write failed: %s",
		    s->index + 1, strerror(errno));
	} else {
		rc = finish(s, &send, &end_ns);
	}
	flow_end(s->flow, end_ns > start_ns ? end_ns : start_ns);
	udp_send_fini(&send);
	if (send.input.fd > STDERR_FILENO)
		close(send.input.fd);
	close(s->link.fd);
	return rc;
}
