/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/socket.h>

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "relay_rules.h"
#include "udp_wire.h"

/*
 * relay PORT [RULE ...]: a UDP relay on 127.0.0.1 between clients and a
 * server there, for tests of what the ends count. It prints its port; on
 * SIGTERM it prints what became of each flow, and ends. The rules for
 * the datagrams of clients are in relay_rules.h.
 *
 * It shares no code with the program under test, and knows the truth: each
 * id that it passed on, and in which order, up to the first final.
 */

#define LIFE_S 60
#define FLOWS_MAX 256
#define HELD_MAX 4096
#define IDS_MAX (1 << 20) /* that a flow may have */
#define BUFFER_BYTES (4 * 1024 * 1024)
#define DATAGRAM_MAX 65536
#define POLL_MS 5

struct flow {
	int fd; /* towards the server */
	struct sockaddr_in client;
	uint64_t arrived;
	uint64_t finals, reports, back_finals;
	uint64_t data, dropped, doubled, held;

	/* What the server got up to the final, itself included. */
	bool ended;
	int64_t highest;
	uint64_t passed, bytes, late, duplicates;
	uint8_t seen[IDS_MAX / 8];
};

struct held {
	struct flow *flow;
	uint64_t after;	  /* arrivals */
	int64_t until_ms; /* INT64_MAX: does not matter */
	size_t len;
	uint8_t *data;
};

struct relay {
	struct rules rules;
	struct sockaddr_in server;
	int fd; /* towards the clients */
	struct flow *flows[FLOWS_MAX];
	int n_flows;
	struct held held[HELD_MAX];
	int n_held;
	uint8_t buf[DATAGRAM_MAX];
};

/* Whether the id has been passed on; from now on it has. */
static bool
test_and_set(struct flow *f, int64_t id)
{
	uint8_t bit = (uint8_t)(1 << id % 8);
	bool was;

	if (id >= IDS_MAX)
		errx(1, "id %" PRId64 " is too high", id);
	was = (f->seen[id / 8] & bit) != 0;
	f->seen[id / 8] |= bit;
	return was;
}

static void
account(struct flow *f, int64_t id, size_t len)
{
	int64_t n = id < 0 ? -id : id;

	if (f->ended)
		return;
	f->ended = id < 0;
	f->passed++;
	f->bytes += len;
	if (test_and_set(f, n))
		f->duplicates++;
	else if (n < f->highest)
		f->late++;
	if (n > f->highest)
		f->highest = n;
}

static void
pass(struct relay *r, struct flow *f, const uint8_t *data, size_t len)
{
	uint8_t copy[DATAGRAM_MAX];
	int64_t id = udp_get_id(data);
	uint64_t wire_id;

	account(f, id, len);
	memcpy(copy, data, len);
	wire_id = (uint64_t)id;
	wire_id += id < 0 ? 0 - r->rules.add : r->rules.add;
	udp_put_u32(copy, (uint32_t)wire_id);
	udp_put_u32(copy + 12,
	    r->rules.narrow != 0 ? 0 : (uint32_t)(wire_id >> 32));
	if (r->rules.narrow != 0 && len >= 20)
		udp_put_u32(copy + 16,
		    udp_get_u32(copy + 16) & ~UINT32_C(0x08000000));
	if (send(f->fd, copy, len, 0) == -1 && errno != ECONNREFUSED)
		err(1, "send");
}

static void
hold(struct relay *r, struct flow *f, size_t len, uint64_t after, int64_t ms)
{
	struct held *h = &r->held[r->n_held++];

	if (r->n_held == HELD_MAX || (h->data = malloc(len)) == NULL)
		errx(1, "too much held back");
	memcpy(h->data, r->buf, len);
	h->flow = f;
	h->len = len;
	h->after = after;
	h->until_ms = ms;
	f->held++;
}

/* Sends what was held back for long enough, in order. */
static void
release(struct relay *r)
{
	int64_t ms = r->n_held > 0 ? udp_now_ms() : 0;
	struct held h;
	int i, kept = 0;

	for (i = 0; i < r->n_held; i++) {
		h = r->held[i];
		if (h.flow->arrived < h.after && ms < h.until_ms) {
			r->held[kept++] = h;
			continue;
		}
		pass(r, h.flow, h.data, h.len);
		free(h.data);
	}
	r->n_held = kept;
}

static void
relay_data(struct relay *r, struct flow *f, size_t len)
{
	const struct rules *rules = &r->rules;
	int64_t id = udp_get_id(r->buf);
	uint64_t salt = rules->seed * 4;

	f->data++;
	if (ids_have(&rules->drop, id, salt)) {
		f->dropped++;
		return;
	}
	if (ids_have(&rules->hold, id, salt + 1)) {
		hold(r, f, len, f->arrived + rules->hold.by, INT64_MAX);
		return;
	}
	if (ids_have(&rules->delay, id, salt + 2)) {
		hold(r, f, len, UINT64_MAX,
		    udp_now_ms() + (int64_t)rules->delay.by);
		return;
	}
	pass(r, f, r->buf, len);
	if (ids_have(&rules->dup, id, salt + 3)) {
		f->doubled++;
		pass(r, f, r->buf, len);
	}
}

static struct flow *
find_flow(struct relay *r, const struct sockaddr_in *client)
{
	struct flow *f;
	int i, size = BUFFER_BYTES;

	for (i = 0; i < r->n_flows; i++) {
		if (r->flows[i]->client.sin_port == client->sin_port)
			return r->flows[i];
	}
	if (r->n_flows == FLOWS_MAX || (f = calloc(1, sizeof(*f))) == NULL)
		errx(1, "too many flows");
	f->client = *client;
	f->fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (f->fd == -1 || connect(f->fd, (struct sockaddr *)&r->server,
			       sizeof(r->server)) == -1)
		err(1, "connect");
	(void)setsockopt(f->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	r->flows[r->n_flows++] = f;
	return f;
}

/* Whether what has just arrived is to be lost, whatever it is. */
static bool
is_lost_early(const struct relay *r, const struct flow *f)
{
	return f->arrived <= r->rules.firsts ||
	       (r->rules.mute > 0 && f == r->flows[r->rules.mute - 1]);
}

static void
from_clients(struct relay *r)
{
	struct sockaddr_in client;
	struct flow *f;
	socklen_t size = sizeof(client);
	ssize_t n;

	while ((n = recvfrom(r->fd, r->buf, sizeof(r->buf), MSG_DONTWAIT,
		    (struct sockaddr *)&client, &size)) > 0) {
		if (n < 16)
			errx(1, "a datagram without an id");
		f = find_flow(r, &client);
		f->arrived++;
		if (is_lost_early(r, f))
			f->dropped++;
		else if (udp_get_id(r->buf) > 0)
			relay_data(r, f, (size_t)n);
		else if (f->finals++ >= r->rules.finals)
			pass(r, f, r->buf, (size_t)n);
		release(r);
	}
}

/* Whether the server's datagram is to be lost for its id. */
static bool
is_lost_back(struct relay *r, struct flow *f, size_t len)
{
	int64_t id;

	if (len < 16)
		return false;
	id = udp_get_id(r->buf);
	if (id < 0)
		return f->back_finals++ < r->rules.backfinals;
	return ids_have(&r->rules.back, id, r->rules.seed);
}

static void
from_server(struct relay *r, struct flow *f)
{
	ssize_t n;

	while ((n = recv(f->fd, r->buf, sizeof(r->buf), MSG_DONTWAIT)) > 0) {
		if (is_lost_back(r, f, (size_t)n))
			continue;
		if (f->reports++ >= r->rules.reports)
			(void)sendto(r->fd, r->buf, (size_t)n, 0,
			    (struct sockaddr *)&f->client, sizeof(f->client));
	}
}

/* What the server must have counted, and what was done to the flow. */
static void
print_flow(const struct relay *r, const struct flow *f)
{
	struct sockaddr_in self;
	socklen_t size = sizeof(self);
	uint64_t total = (uint64_t)f->highest + r->rules.add;

	if (getsockname(f->fd, (struct sockaddr *)&self, &size) == -1)
		err(1, "getsockname");
	printf("flow client %u server %u total %" PRIu64 " lost %" PRIu64
	       " late %" PRIu64 " duplicates %" PRIu64 " passed %" PRIu64
	       " bytes %" PRIu64 " data %" PRIu64 " finals %" PRIu64
	       " reports %" PRIu64 " dropped %" PRIu64 " doubled %" PRIu64
	       " held %" PRIu64 "\n",
	    ntohs(f->client.sin_port), ntohs(self.sin_port), total,
	    total - (f->passed - f->duplicates), f->late, f->duplicates,
	    f->passed, f->bytes, f->data, f->finals, f->reports, f->dropped,
	    f->doubled, f->held);
}

static bool
is_ended(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

static void
run(struct relay *r)
{
	struct pollfd p[FLOWS_MAX + 1];
	int i, n;

	while (!is_ended()) {
		n = r->n_flows;
		p[n] = (struct pollfd){.fd = r->fd, .events = POLLIN};
		for (i = 0; i < n; i++)
			p[i] = (struct pollfd){.fd = r->flows[i]->fd,
			    .events = POLLIN};
		(void)poll(p, (nfds_t)n + 1, POLL_MS);
		if (p[n].revents != 0)
			from_clients(r);
		for (i = 0; i < n; i++) {
			if (p[i].revents != 0)
				from_server(r, r->flows[i]);
		}
		release(r);
	}
	for (i = 0; i < r->n_flows; i++)
		print_flow(r, r->flows[i]);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in self = {.sin_family = AF_INET};
	struct relay *r = calloc(1, sizeof(*r));
	socklen_t len = sizeof(self);
	sigset_t term;
	int i, size = BUFFER_BYTES;

	if (argc < 2 || r == NULL)
		errx(2, "usage: relay PORT [RULE ...]");
	(void)alarm(LIFE_S);
	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &term, NULL);
	self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	r->server = self;
	r->server.sin_port = htons((uint16_t)atoi(argv[1]));
	for (i = 2; i < argc; i++)
		rules_parse(&r->rules, argv[i]);
	r->fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (r->fd == -1 ||
	    bind(r->fd, (struct sockaddr *)&self, sizeof(self)) == -1 ||
	    getsockname(r->fd, (struct sockaddr *)&self, &len) == -1)
		err(1, "bind");
	(void)setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	printf("port %u\n", ntohs(self.sin_port));
	(void)fflush(stdout);
	run(r);
	return fclose(stdout) == EOF;
}
