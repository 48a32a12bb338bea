/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "net/udp_socket.h"
#include "net_fixture.h"
#include "udp_path_fixture.h"
#include "wire/aside.h"
#include "wire/client_header.h"
#include "wire/datagram.h"

struct options path_options;
struct server *path_server;
struct udp_path path;
struct udp_peer *path_peer;
int path_here;
int path_there;

void
path_set_up(void)
{
	struct address a = net_fixture_address("127.0.0.1", 0), client;
	struct net_error error;

	path_options = net_fixture_options();
	path_there = udp_socket_listen(&a, &path_options, &error);
	ck_assert_msg(path_there != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&client, path_there), 0);
	path_here = udp_socket_client(&client, NULL, &path_options, &error);
	ck_assert_msg(path_here != -1, "%s", error.text);
	ck_assert_int_eq(address_of_local(&a, path_here), 0);
	ck_assert_int_eq(connect(path_there, (struct sockaddr *)&a.ss, a.len),
	    0);

	path_server = xcalloc(1, sizeof(*path_server));
	path_server->options = &path_options;
	udp_peers_init(&path_server->peers);
	penalties_init(&path_server->penalties);
	path_peer = xcalloc(1, sizeof(*path_peer));
	path_peer->address = client;
	path_peer->local = a;
	path_peer->fd = path_here;
	udp_peers_add(&path_server->peers, path_peer);
}

void
path_tear_down(void)
{
	udp_peers_remove(&path_server->peers, path_peer);
	penalties_fini(&path_server->penalties);
	udp_peers_fini(&path_server->peers);
	free(path_server);
	close(path_here);
	if (path_there != -1)
		close(path_there);
}

/* A path to a client of some version. */
void
path_begin(uint32_t version, size_t report_bytes)
{
	struct client_header h;

	client_header_init(&h);
	h.version.upper = version;
	h.version.lower = 1;
	memset(&path, 0, sizeof(path));
	path.server = path_server;
	path.fd = path_here;
	path.length = PATH_LENGTH;
	path.report_bytes = report_bytes;
	ck_assert_int_eq(udp_path_init(&path, &h), 0);
}

/* The same with -R, where the sender reads what comes. */
void
path_begin_reverse(uint32_t version)
{
	path_begin(version, 0);
	path.peer = path_peer;
	path.reads_fd = true;
}

/* The clock of no test here reaches it. */
void
path_set_heard_late(void)
{
	path.heard_ns = clock_now_ns() + PATH_HOUR_NS;
}

int
path_allowed(uint64_t sent_bytes, unsigned n)
{
	return path.gate.allows(path.gate.arg, sent_bytes, n, PATH_LENGTH);
}

/* A request as iperf 2 repeats it. */
size_t
path_make_request(uint8_t *buf, size_t size)
{
	struct datagram d = {.id = 1, .sent = {.s = 1000, .us = 5}};

	memset(buf, 0, size);
	ck_assert_int_eq(datagram_encode(&d, buf, size), WIRE_OK);
	return size;
}

void
path_take_request(size_t bytes)
{
	uint8_t buf[80];

	path_make_request(buf, sizeof(buf));
	udp_path_request(&path, buf, sizeof(buf), bytes);
}

void
path_send_proof(uint64_t token)
{
	uint8_t buf[ASIDE_BYTES];

	aside_encode(ASIDE_PROOF, token, buf, sizeof(buf));
	ck_assert_int_eq(send(path_there, buf, sizeof(buf), 0), sizeof(buf));
}

/* Takes the challenges that have come to the client, and their token. */
int
path_take_challenges(uint64_t *token)
{
	uint8_t buf[100];
	ssize_t n;
	int count = 0;

	while ((n = recv(path_there, buf, sizeof(buf), MSG_DONTWAIT)) >= 0) {
		ck_assert_int_eq(n, ASIDE_BYTES);
		ck_assert_int_eq(aside_decode(buf, (size_t)n, token),
		    ASIDE_CHALLENGE);
		count++;
	}
	return count;
}
