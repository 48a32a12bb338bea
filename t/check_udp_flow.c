/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/datagrams.h"
#include "net/udp_flow.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "run_suite.h"

#define FLOWS 200
#define ROUNDS 20

/* What the senders write and the server looks for. */
struct mark {
	uint32_t flow;
	uint32_t round;
};

struct flow {
	int fd;		     /* the server's flow socket; -1 none yet */
	struct address peer; /* the sender's address */
	int sender;	     /* its socket */
	uint32_t handed;     /* datagrams that came in front, in order */
};

struct server {
	struct options options;
	struct net_error error;
	struct address address;
	int listener;
	int front;
	struct datagrams_in *listener_in;
	struct datagrams_in *front_in;
	struct flow flow[FLOWS];
	unsigned peers; /* with a socket */
};

static void
start_server(struct server *s, const char *bind, const char *host)
{
	struct address any = net_fixture_address(bind, 0);
	unsigned i;

	memset(s, 0, sizeof(*s));
	s->options = net_fixture_options();
	s->listener = udp_socket_listen(&any, &s->options, &s->error);
	ck_assert_msg(s->listener != -1, "%s", s->error.text);
	s->listener_in = datagrams_in_new(s->listener, false);
	ck_assert_int_eq(address_of_local(&any, s->listener), 0);
	s->address = net_fixture_address(host, address_port(&any));
	s->front = -1;
	for (i = 0; i < FLOWS; i++)
		s->flow[i].fd = s->flow[i].sender = -1;
}

static void
stop_server(struct server *s)
{
	unsigned i;

	for (i = 0; i < FLOWS; i++) {
		if (s->flow[i].fd != -1)
			close(s->flow[i].fd);
		if (s->flow[i].sender != -1)
			close(s->flow[i].sender);
	}
	datagrams_in_free(s->listener_in);
	datagrams_in_free(s->front_in);
	close(s->listener);
	if (s->front != -1 && s->front != s->listener)
		close(s->front);
}

static void
open_senders(struct server *s, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		struct flow *f = &s->flow[i];

		f->sender = udp_socket_client(&s->address, NULL, &s->options,
		    &s->error);
		ck_assert_msg(f->sender != -1, "%s", s->error.text);
	}
}

static void
send_mark(const struct server *s, uint32_t flow, uint32_t round)
{
	struct mark mark = {flow, round};

	/* A mark that is not sent is missed later. */
	if (send(s->flow[flow].sender, &mark, sizeof(mark), 0) == -1)
		return;
}

/* All senders begin within a few ms and go on while flows are made. */
static void *
send_all(void *arg)
{
	struct server *s = arg;
	uint32_t flow, round;
	cpu_set_t one;

	/* Moving to another processor would reorder datagrams in the kernel. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	for (round = 0; round < ROUNDS; round++)
		for (flow = 0; flow < FLOWS; flow++)
			send_mark(s, flow, round);
	return NULL;
}

static void
open_flow(struct server *s, struct flow *f, const struct datagram_in *d)
{
	struct address local;

	ck_assert_ptr_nonnull(d->to);
	udp_flow_address(&local, d->to);
	udp_flow_address(&f->peer, d->from);
	if (s->front == -1) {
		s->front =
		    udp_flow_front(s->listener, &local, &s->options, &s->error);
		ck_assert_msg(s->front != -1, "%s", s->error.text);
		if (s->front != s->listener)
			s->front_in = datagrams_in_new(s->front, false);
	}
	f->fd = udp_flow_open(s->listener, s->front, &f->peer, &s->options,
	    &s->error);
	ck_assert_msg(f->fd != -1, "%s", s->error.text);
	s->peers++;
}

/* Takes what is there, once. Returns how many datagrams that was. */
static int
take(struct server *s, struct datagrams_in *in)
{
	struct mark mark;
	int i, n;

	n = datagrams_in_receive(in);
	if (n == -1) {
		ck_assert_int_eq(errno, EAGAIN);
		return 0;
	}
	for (i = 0; i < n; i++) {
		const struct datagram_in *d = datagrams_in_get(in, (unsigned)i);
		struct flow *f;

		ck_assert_uint_eq(d->bytes, sizeof(mark));
		memcpy(&mark, d->data, sizeof(mark));
		f = &s->flow[mark.flow];
		if (f->fd == -1)
			open_flow(s, f, d);
		ck_assert_uint_eq(mark.round, f->handed);
		f->handed++;
	}
	return n;
}

/* Reads listener and front until both have been empty for a while. */
static void
serve(struct server *s, int idle_ms)
{
	struct pollfd p[2];

	do {
		while (take(s, s->listener_in) > 0)
			continue;
		if (s->front_in != NULL)
			take(s, s->front_in);
		p[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
		p[1] =
		    (struct pollfd){.fd = s->front_in != NULL ? s->front : -1,
			.events = POLLIN};
	} while (poll(p, 2, idle_ms) > 0);
}

/* Reads what a flow's socket has; all of it must be the peer's. */
static uint32_t
count_own(struct flow *f, uint32_t index)
{
	struct datagrams_in *in;
	struct mark mark;
	uint32_t n = 0;
	int i, got;

	ck_assert_int_eq(socket_set_receive_timeout(f->fd, NS_PER_MS), 0);
	in = datagrams_in_new(f->fd, true);
	while ((got = datagrams_in_receive(in)) > 0) {
		for (i = 0; i < got; i++) {
			const struct datagram_in *d =
			    datagrams_in_get(in, (unsigned)i);

			memcpy(&mark, d->data, sizeof(mark));
			ck_assert_uint_eq(mark.flow, index);
			ck_assert_uint_eq(mark.round, f->handed + n);
			n++;
		}
	}
	datagrams_in_free(in);
	return n;
}

static const struct {
	const char *bind;
	const char *host;
} places[] = {
    {"127.0.0.1", "127.0.0.1"},
    {"0.0.0.0", "127.0.0.2"},
    {"::", "127.0.0.3"},
    {"::", "::1"},
    {"::1", "::1"},
};

/* Whether the place needs IPv6 and this system has none. */
static bool
is_missing(int place)
{
	struct address a = net_fixture_address(places[place].host, 0);
	int fd = socket(a.ss.ss_family, SOCK_DGRAM, 0);
	int rc = bind(fd, (const struct sockaddr *)&a.ss, a.len);

	close(fd);
	return rc == -1;
}

/* 200 flows begin at once, and no datagram is lost, doubled or misled. */
START_TEST(test_udp_flow_storm)
{
	static struct server s;
	pthread_t thread;
	uint32_t i;

	if (is_missing(_i))
		return;
	start_server(&s, places[_i].bind, places[_i].host);
	open_senders(&s, FLOWS);
	ck_assert_int_eq(pthread_create(&thread, NULL, send_all, &s), 0);
	serve(&s, 50);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	serve(&s, 50);
	ck_assert_uint_eq(s.peers, FLOWS);
	/* From now on the kernel sorts all of them. */
	for (i = 0; i < FLOWS; i++)
		send_mark(&s, i, ROUNDS);
	for (i = 0; i < FLOWS; i++) {
		uint32_t n = count_own(&s.flow[i], i);

		ck_assert_uint_ge(n, 1);
		ck_assert_uint_eq(s.flow[i].handed + n, ROUNDS + 1);
	}
	stop_server(&s);
}
END_TEST

/* Replies leave from the address that the client used. */
START_TEST(test_udp_flow_reply)
{
	static struct server s;
	char byte = 'x';

	if (is_missing(_i))
		return;
	start_server(&s, places[_i].bind, places[_i].host);
	open_senders(&s, 1);
	send_mark(&s, 0, 0);
	serve(&s, 20);
	ck_assert_int_eq(send(s.flow[0].fd, &byte, 1, 0), 1);
	ck_assert_int_eq(recv(s.flow[0].sender, &byte, 1, MSG_DONTWAIT), 1);
	send_mark(&s, 0, 1);
	ck_assert_uint_eq(count_own(&s.flow[0], 0), 1);
	stop_server(&s);
}
END_TEST

/* A second server must not share the traffic, whatever it asks for. */
START_TEST(test_udp_flow_exclusive)
{
	static struct server s;
	struct address again;
	int fd, on = 1;

	if (is_missing(_i))
		return;
	start_server(&s, places[_i].bind, places[_i].host);
	again = net_fixture_address(places[_i].bind, address_port(&s.address));
	open_senders(&s, 1);
	send_mark(&s, 0, 0);
	serve(&s, 20);
	ck_assert_int_eq(udp_socket_listen(&again, &s.options, &s.error), -1);
	ck_assert_int_eq(s.error.code, EADDRINUSE);
	fd = socket(again.ss.ss_family, SOCK_DGRAM, 0);
	ck_assert_int_ne(fd, -1);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&again.ss, again.len), -1);
	ck_assert_int_eq(errno, EADDRINUSE);
	close(fd);
	stop_server(&s);
}
END_TEST

/* A flow that ends leaves the rest alone; its peer is new again. */
START_TEST(test_udp_flow_close)
{
	static struct server s;
	unsigned i;

	if (is_missing(_i))
		return;
	start_server(&s, places[_i].bind, places[_i].host);
	open_senders(&s, 3);
	for (i = 0; i < 3; i++)
		send_mark(&s, i, 0);
	serve(&s, 20);
	ck_assert_uint_eq(s.peers, 3);
	close(s.flow[0].fd);
	s.flow[0].fd = -1;
	for (i = 0; i < 3; i++)
		send_mark(&s, i, 1);
	serve(&s, 20);
	ck_assert_uint_eq(s.peers, 4);
	ck_assert_uint_eq(s.flow[0].handed, 2);
	ck_assert_uint_eq(s.flow[1].handed, 1);
	ck_assert_uint_eq(count_own(&s.flow[1], 1), 1);
	ck_assert_uint_eq(count_own(&s.flow[2], 2), 1);
	stop_server(&s);
}
END_TEST

static Suite *
udp_flow_suite(void)
{
	Suite *s = suite_create("udp_flow");
	TCase *tc = tcase_create("flow");
	int n = sizeof(places) / sizeof(places[0]);

	tcase_set_timeout(tc, 20);
	tcase_add_loop_test(tc, test_udp_flow_storm, 0, n);
	tcase_add_loop_test(tc, test_udp_flow_reply, 0, n);
	tcase_add_loop_test(tc, test_udp_flow_exclusive, 0, n);
	tcase_add_loop_test(tc, test_udp_flow_close, 0, n);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(udp_flow_suite());
}
