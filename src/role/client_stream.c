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
#include "report/reporter.h"
#include "role/client_stream.h"
#include "role/connection.h"
#include "role/peer_detect.h"
#include "role/tcp_receiver.h"
#include "role/tcp_sender.h"
#include "role/threads.h"
#include "role/trouble.h"
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
	char why[TROUBLE_TEXT_MAX];
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
		net_error_set(err, "%s",
		    trouble_input(o->input_path, errno, why));
		return -1;
	}
	close(fd);
	return 0;
}

/* A FIFO need not have a writer yet: the sender waits for its data. */
int
client_open_input(const char *path)
{
	return strcmp(path, "-") == 0
		   ? STDIN_FILENO
		   : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void
client_stream_announce(struct client_stream *s)
{
	struct client *c = s->client;
	bool is_udp = c->options->protocol == PROTOCOL_UDP;
	enum row_kind sends = is_udp ? ROW_UDP_SEND : ROW_TCP_SEND;
	enum row_kind receives = is_udp ? ROW_UDP_RECV : ROW_TCP_RECV;
	struct connection_fact fact;

	connection_describe(&fact, s->link.fd, s->index + 1, &s->link.peer,
	    false, c->options);
	fact.connect_ns = s->link.connect_ns;
	strlcpy(fact.peer_version, s->peer_version, sizeof(fact.peer_version));
	fact.reverse = c->options->direction == DIRECTION_REVERSE;
	fact.full_duplex = c->options->direction == DIRECTION_FULL_DUPLEX;
	fact.no_udp_fin |= is_udp && fact.full_duplex;
	s->flow = flow_open(c->test, &fact, fact.reverse ? receives : sends,
	    s->link.fd);
	if (fact.full_duplex)
		s->received = flow_open_second(s->flow, receives);
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

/* Where the server is to connect back to. */
static uint16_t
listen_port(const struct client_stream *s)
{
	const struct client *c = s->client;
	int ports = c->back_ports.last - c->back_ports.first + 1;

	if (c->back_ports.first == 0)
		return c->options->ports.first;
	return (uint16_t)(c->back_ports.first + s->index % ports);
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
	h->has_transfer_id = o->sync_transfer_id;
	h->transfer_id = o->sync_transfer_id ? (uint16_t)(s->index + 1) : 0;
	h->test_tag = c->tag;
	h->listen_port = listen_port(s);
	h->length_bytes = o->length_given ? (uint32_t)o->length_bytes : 0;
	h->amount_bytes = o->amount_bytes;
	h->duration_ns = announced_duration(o);
	h->tos = o->tos > 0 ? (uint8_t)o->tos : 0;
	h->rate_bps = o->rate.mean > 0 ? (uint64_t)o->rate.mean : 0;
	h->reverse = o->direction == DIRECTION_REVERSE;
	h->full_duplex = o->direction == DIRECTION_FULL_DUPLEX;
	h->dual = o->direction == DIRECTION_DUAL ||
		  o->direction == DIRECTION_TRADEOFF;
	h->run_now = o->direction == DIRECTION_DUAL;
	h->has_txstart =
	    o->txstart_rt_ns >= 0 && (h->reverse || h->full_duplex);
	peer_detect_ask(o, h);
	strlcpy(h->permit_key, o->permit_key, sizeof(h->permit_key));
	h->quickack = o->quickack && !h->reverse;
	if (o->write_prefetch_bytes >= 0 && (h->reverse || h->full_duplex)) {
		h->has_write_prefetch = true;
		h->write_prefetch_bytes = (uint32_t)o->write_prefetch_bytes;
	}
	h->has_fq_rate = o->fq_rate_bps >= 0;
	h->fq_rate_Bps = h->has_fq_rate ? (uint64_t)o->fq_rate_bps / 8 : 0;
	h->has_start =
	    h->has_fq_rate || o->txstart_rt_ns >= 0 || o->congestion[0] != '\0';
	h->start = stamp_from_ns(start_wall_ns);
	strlcpy(h->congestion, o->congestion, sizeof(h->congestion));
	if (c->has_gate && waited_us >= BARRIER_MIN_US) {
		h->has_barrier = true;
		h->barrier_us =
		    waited_us < UINT32_MAX ? (uint32_t)waited_us : UINT32_MAX;
	}
}

/* Returns the bytes of the stream's header, or -1 with errno. */
static int
make_header(struct client_stream *s, int64_t start_ns,
    uint8_t buf[CLIENT_HEADER_MAX_BYTES])
{
	struct client_header h;
	int len;

	client_stream_header(s, start_ns, &h);
	len = client_header_encode_tcp(&h, buf, CLIENT_HEADER_MAX_BYTES);
	if (len >= 0)
		return len;
	errno = EMSGSIZE;
	return -1;
}

int
client_stream_write_header(struct client_stream *s, int64_t start_ns,
    uint64_t most)
{
	uint8_t buf[CLIENT_HEADER_MAX_BYTES];
	int len;

	if (s->header_bytes > 0)
		return 0;
	len = make_header(s, start_ns, buf);
	if (len == -1)
		return -1;
	if ((uint64_t)len > most)
		return 0;
	s->header_bytes = (size_t)len;
	return io_write_full(s->link.fd, buf, (size_t)len,
	    clock_now_ns() + HEADER_WRITE_NS);
}

/*
 * Sends the header, whose bytes count as payload. A test of fewer bytes goes
 * without one, so that exactly the bytes asked for are sent, unless nothing
 * but the header makes it what it is.
 */
static int
send_header(struct client_stream *s, struct tcp_send *send)
{
	const struct options *o = s->client->options;
	uint64_t most = UINT64_MAX;
	struct tally *t;

	if (o->compat)
		return 0;
	if (o->direction == DIRECTION_FORWARD)
		most = send->remaining_bytes;
	if (client_stream_write_header(s, send->start_ns, most) == -1)
		return -1;
	send->remaining_bytes -= s->header_bytes < send->remaining_bytes
				     ? s->header_bytes
				     : send->remaining_bytes;
	t = slot_take(send->slot);
	t->bytes += s->header_bytes;
	slot_give(send->slot, t);
	return 0;
}

bool
client_is_stopped(void *arg)
{
	struct client *c = arg;

	return atomic_load_explicit(&c->stop, memory_order_relaxed);
}

/* The sending half of the stream, but for the start of the header. */
static int
prepare_sender(struct client_stream *s, struct tcp_sender *sender,
    int64_t start_ns)
{
	struct client *c = s->client;
	const struct options *o = c->options;
	int rc;

	memset(sender, 0, sizeof(*sender));
	sender->trouble = &s->trouble;
	sender->input_path = o->input_path;
	sender->send.stop = &c->stop;
	sender->send.shared = &c->shared;
	sender->send.chunk = c->chunk;
	sender->send.is_read = s->received != NULL;
	/* With -d and -r the server says when it ends. */
	sender->send.heeds_peer = o->direction == DIRECTION_DUAL ||
				  o->direction == DIRECTION_TRADEOFF;
	sender->needs_peer = o->amount_bytes >= 0 || o->duration_ns > 0;
	sender->ends_with_write = o->ignore_shutdown;
	sender->expects_answer = s->received == NULL && !s->was_answered;
	rc = tcp_sender_init(sender, o, s->flow, s->link.fd, start_ns);
	if (rc == 0 && o->input_path[0] != '\0') {
		sender->send.input_fd = client_open_input(o->input_path);
		sender->send.input_failed = sender->send.input_fd == -1;
		rc = sender->send.input_failed ? -1 : 0;
	}
	return rc == 0 ? send_header(s, &sender->send) : -1;
}

/* The stream sends only. */
static int
run_forward(struct client_stream *s, int64_t start_ns)
{
	struct tcp_sender sender;
	int rc;

	rc = prepare_sender(s, &sender, start_ns);
	rc =
	    rc == 0 ? tcp_sender_run(&sender) : tcp_sender_fail(&sender, errno);
	if (sender.send.input_fd > STDERR_FILENO)
		close(sender.send.input_fd);
	return rc;
}

static void
prepare_receiver(struct client_stream *s, struct tcp_receiver *receiver,
    struct flow *flow, int64_t start_ns)
{
	tcp_receiver_init(receiver, s->client->options, flow, s->link.fd,
	    start_ns);
	receiver->recv.stop = &s->client->stop;
	if (s->is_answer_due)
		receiver->recv.late = &s->late;
	receiver->trouble = &s->trouble;
}

/* The stream receives only. */
static int
run_reverse(struct client_stream *s, int64_t start_ns)
{
	struct tcp_receiver receiver;

	if (client_stream_write_header(s, start_ns, UINT64_MAX) == -1) {
		trouble_fail(&s->trouble, "write failed: %s", strerror(errno));
		flow_end(s->flow, clock_now_ns());
		return -1;
	}
	prepare_receiver(s, &receiver, s->flow, start_ns);
	receiver.recv.asks_end = true;
	return tcp_receiver_run(&receiver);
}

struct both {
	struct tcp_sender sender;
	struct tcp_receiver receiver;
	atomic_bool has_sent; /* and the server knows that all has come */
};

/* Where the server has ended the test, what is sent to it ends in order. */
static void *
receiver_main(void *arg)
{
	struct both *both = arg;
	int rc = tcp_receiver_run(&both->receiver);

	if (tcp_receiver_was_left(&both->receiver))
		atomic_store(&both->sender.send.cancelled, true);
	return rc == 0 ? NULL : arg;
}

/* The stream does both at a time; a second thread receives. */
static int
run_full_duplex(struct client_stream *s, int64_t start_ns)
{
	struct both both;
	pthread_t thread;
	void *failed = NULL;
	int rc, error;

	error = prepare_sender(s, &both.sender, start_ns) == -1 ? errno : 0;
	prepare_receiver(s, &both.receiver, s->received, start_ns);
	atomic_init(&both.has_sent, false);
	both.receiver.recv.was_asked = &both.has_sent;
	if (error == 0)
		error = threads_start(&thread, receiver_main, &both);
	if (error != 0) {
		flow_end(s->received, clock_now_ns());
		return tcp_sender_fail(&both.sender, error);
	}
	rc = tcp_sender_run(&both.sender);
	atomic_store(&both.has_sent, true);
	pthread_join(thread, &failed);
	return failed == NULL ? rc : -1;
}

const struct client_runs *
client_tcp_runs(void)
{
	static const struct client_runs runs = {run_forward, run_reverse,
	    run_full_duplex};

	return &runs;
}
