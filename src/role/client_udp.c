/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "net/sock_os.h"
#include "report/reporter.h"
#include "role/client_stream.h"
#include "role/threads.h"
#include "role/udp_receiver.h"
#include "role/udp_sender.h"
#include "wire/client_header.h"

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
	h->no_udp_fin = o->no_udp_fin || h->full_duplex;
	/* The server applies no rate; what it learns is how long gaps are. */
	if (o->rate.per_packet)
		h->rate_bps = (uint64_t)(o->rate.mean * 8 * o->length_bytes);
	/* Without a limit, too: some 100 Mbit/s are all that 2.1 makes of 0. */
	if (o->direction != DIRECTION_FORWARD && o->rate.mean == 0)
		h->rate_bps = CLIENT_HEADER_RATE_MAX_BPS;
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
prepare_sender(struct client_stream *s, struct udp_sender *sender,
    int64_t start_ns)
{
	struct client *c = s->client;
	const struct options *o = c->options;

	udp_sender_init(sender, o, s->flow, s->link.fd, start_ns);
	sender->reporter = c->reporter;
	sender->id = s->index + 1;
	sender->send.stop = &c->stop;
	if (o->input_path[0] != '\0')
		open_input(&sender->send, o->input_path);
	if (s->received != NULL)
		udp_sender_set_one_way(sender);
	else
		sender->send.heeds_pauses = true;
}

/* The stream sends. */
static int
run_sender(struct client_stream *s, int64_t start_ns)
{
	struct udp_sender sender;
	struct client_header h;
	int rc;

	prepare_sender(s, &sender, start_ns);
	make_header(s, start_ns, &h);
	warn_fragments(s);
	rc = udp_sender_run(&sender, s->client->options->compat ? NULL : &h);
	if (sender.send.input.fd > STDERR_FILENO)
		close(sender.send.input.fd);
	return rc;
}

static struct udp_receiver *
new_receiver(struct client_stream *s, struct flow *flow, int64_t start_ns)
{
	struct client *c = s->client;
	struct udp_receiver *r;

	r = udp_receiver_new(c->options, flow, s->link.fd, start_ns);
	r->reporter = c->reporter;
	r->id = s->index + 1;
	r->peer = &s->link.peer;
	r->recv.stop = &c->stop;
	return r;
}

/* The stream receives only. */
static int
run_reverse(struct client_stream *s, int64_t start_ns)
{
	struct udp_receiver *r = new_receiver(s, s->flow, start_ns);
	struct client_header h;
	int rc;

	make_header(s, start_ns, &h);
	rc = udp_receiver_ask(r, &h);
	if (rc == 0)
		rc = udp_receiver_run(r);
	udp_receiver_free(r);
	return rc;
}

static void *
receiver_main(void *arg)
{
	return udp_receiver_run(arg) == 0 ? NULL : arg;
}

/* The stream does both at a time; a second thread receives. */
static int
run_full_duplex(struct client_stream *s, int64_t start_ns)
{
	struct udp_receiver *r = new_receiver(s, s->received, start_ns);
	pthread_t thread;
	void *failed = NULL;
	int rc;

	rc = threads_start(&thread, receiver_main, r);
	if (rc != 0) {
		reporter_fail(s->client->reporter,
		    "[%3d] cannot start a thread: %s", s->index + 1,
		    strerror(rc));
		flow_end(s->received, clock_now_ns());
		flow_end(s->flow, clock_now_ns());
		udp_receiver_free(r);
		return -1;
	}
	rc = run_sender(s, start_ns);
	pthread_join(thread, &failed);
	udp_receiver_free(r);
	return failed == NULL ? rc : -1;
}

const struct client_runs *
client_udp_runs(void)
{
	static const struct client_runs runs = {run_sender, run_reverse,
	    run_full_duplex};

	return &runs;
}
