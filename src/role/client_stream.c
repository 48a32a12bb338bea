/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/io.h"
#include "net/sock_os.h"
#include "report/reporter.h"
#include "role/client_stream.h"
#include "role/connection.h"
#include "wire/client_header.h"

/* A server that does not take the header for so long is not there. */
#define HEADER_WRITE_NS (10 * NS_PER_S)

/* Waits of a stream at the gate below this are not worth telling. */
#define BARRIER_MIN_US 100

uint16_t
client_tag(int streams)
{
	uint64_t x;

	if (streams < 2)
		return 0;
	x = (uint64_t)clock_wall_ns() ^ (uint64_t)getpid() << 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint16_t)(x >> 48 | 1);
}

int
client_check_input(const struct options *o, struct net_error *err)
{
	struct stat st;
	int fd;

	if (o->input_path[0] == '\0' || strcmp(o->input_path, "-") == 0)
		return 0;
	fd = open(o->input_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd != -1 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd == -1) {
		net_error_set(err, "cannot read '%s': %s", o->input_path,
		    strerror(errno));
		return -1;
	}
	close(fd);
	return 0;
}

/* A FIFO need not have a writer yet: the sender waits for its data. */
static int
open_input(const char *path)
{
	return strcmp(path, "-") == 0
		   ? STDIN_FILENO
		   : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void
client_stream_announce(struct client_stream *s)
{
	struct client *c = s->client;
	struct connection_fact fact;

	connection_describe(&fact, s->link.fd, s->index + 1, &s->link.peer,
	    false, c->options);
	fact.connect_ns = s->link.connect_ns;
	s->flow = flow_open(c->test, &fact,
	    c->options->protocol == PROTOCOL_UDP ? ROW_UDP_SEND : ROW_TCP_SEND,
	    s->link.fd);
}

/* What the header says of the time; an endless test is a very long one. */
static int64_t
announced_duration(const struct options *o)
{
	if (o->amount_bytes >= 0)
		return -1;
	return o->duration_ns > 0 ? o->duration_ns
				  : CLIENT_HEADER_DURATION_MAX_NS;
}

void
client_stream_header(const struct client_stream *s, int64_t start_ns,
    struct client_header *h)
{
	const struct client *c = s->client;
	const struct options *o = c->options;
	int64_t start_wall_ns = clock_wall_ns() + start_ns - clock_now_ns();
	int64_t waited_us = (clock_now_ns() - s->connected_ns) / NS_PER_US;

	client_header_init(h);
	h->num_threads = (uint32_t)c->n;
	h->test_tag = c->tag;
	h->listen_port = o->ports.first;
	h->length_bytes = o->length_given ? (uint32_t)o->length_bytes : 0;
	h->amount_bytes = o->amount_bytes;
	h->duration_ns = announced_duration(o);
	h->tos = o->tos > 0 ? (uint8_t)o->tos : 0;
	h->rate_bps = o->rate.mean > 0 ? (uint64_t)o->rate.mean : 0;
	h->quickack = o->quickack;
	h->has_fq_rate = o->fq_rate_bps >= 0;
	h->fq_rate_Bps = h->has_fq_rate ? (uint64_t)o->fq_rate_bps / 8 : 0;
	h->has_start =
	    h->has_fq_rate || o->txstart_rt_ns >= 0 || o->congestion[0] != '\0';
	h->start = stamp_from_ns(start_wall_ns);
	strlcpy(h->congestion, o->congestion, sizeof(h->congestion));
	if (c->has_gate && waited_us >= BARRIER_MIN_US) {
		h->has_barrier = true;
		h->barrier_us = (uint32_t)waited_us;
	}
}

/*
 * Sends the header, whose bytes count as payload. A test of fewer bytes goes
 * without one, so that exactly the bytes asked for are sent.
 */
static int
send_header(struct client_stream *s, struct tcp_send *send)
{
	uint8_t buf[CLIENT_HEADER_MAX_BYTES];
	struct client_header h;
	struct tally *t;
	int len;

	if (s->client->options->compat)
		return 0;
	client_stream_header(s, send->start_ns, &h);
	len = client_header_encode_tcp(&h, buf, sizeof(buf));
	if (len < 0) {
		errno = EMSGSIZE;
		return -1;
	}
	if ((uint64_t)len > send->remaining_bytes)
		return 0;
	if (io_write_full(s->link.fd, buf, (size_t)len,
		clock_now_ns() + HEADER_WRITE_NS) == -1)
		return -1;
	send->remaining_bytes -= (uint64_t)len;
	t = slot_take(send->slot);
	t->bytes += (uint64_t)len;
	slot_give(send->slot, t);
	return 0;
}

bool
client_is_stopped(void *arg)
{
	struct client *c = arg;

	return atomic_load_explicit(&c->shared.stop, memory_order_relaxed);
}

static int
configure(struct client_stream *s, struct tcp_send *send, int64_t start_ns)
{
	struct client *c = s->client;
	const struct options *o = c->options;

	tcp_send_configure(send, o);
	send->fd = s->link.fd;
	send->slot = flow_slot(s->flow);
	send->shared = &c->shared;
	send->chunk = c->chunk;
	send->input_fd = -1;
	send->start_ns = start_ns;
	send->deadline_ns =
	    o->duration_ns > 0 ? start_ns + o->duration_ns : INT64_MAX;
	if (socket_set_send_timeout(s->link.fd, TCP_SEND_CALL_NS) == -1)
		return -1;
	if (o->quickack)
		sock_os_set_quickack(s->link.fd);
	if (o->input_path[0] != '\0') {
		send->input_fd = open_input(o->input_path);
		return send->input_fd == -1 ? -1 : 0;
	}
	return 0;
}

/* Tells how the connection ended. Returns 0 when all is well, else -1. */
static int
judge_finish(struct client_stream *s, enum tcp_finish finish, uint64_t left,
    bool was_answered)
{
	struct reporter *r = s->client->reporter;
	int id = s->index + 1;

	switch (finish) {
	case TCP_FINISH_CLOSED:
		return 0;
	case TCP_FINISH_OPEN:
		reporter_warn(r,
		    "[%3d] the peer took all data but did not "
		    "close the connection",
		    id);
		return 0;
	case TCP_FINISH_STALLED:
		reporter_warn(r,
		    "[%3d] the peer stalled: %llu bytes were not "
		    "acknowledged%s",
		    id, (unsigned long long)left,
		    was_answered ? ""
				 : " (it never took up the test; a server "
				   "with -1 may be busy)");
		return -1;
	case TCP_FINISH_FAILED:
		break;
	}
	reporter_warn(r, "[%3d] write failed: %s", id, strerror(errno));
	return -1;
}

int
client_tcp_run(struct client_stream *s, int64_t start_ns)
{
	struct client *c = s->client;
	struct tcp_send send;
	enum tcp_finish finish;
	int64_t end_ns;
	uint64_t left = 0;
	int rc;

	rc = configure(s, &send, start_ns);
	if (rc == 0)
		rc = send_header(s, &send);
	clock_sleep_unless(start_ns, client_is_stopped, c);
	flow_start(s->flow, start_ns);
	if (rc == 0)
		rc = tcp_send_run(&send);
	if (rc == -1) {
		reporter_warn(c->reporter, "[%3d] write failed: %s",
		    s->index + 1, strerror(errno));
		end_ns = clock_now_ns();
	} else {
		finish = tcp_send_finish(&send, &end_ns, &left);
		rc = judge_finish(s, finish, left, send.was_answered);
	}
	if (send.input_fd > STDERR_FILENO)
		close(send.input_fd);
	flow_end(s->flow, end_ns > start_ns ? end_ns : start_ns);
	close(s->link.fd);
	return rc;
}
