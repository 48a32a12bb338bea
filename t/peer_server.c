/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/socket.h>

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

#define VICTIMS_MAX 256
#define READ_BYTES 65536

/* Small, so that a stalled connection is full at once. */
#define RECEIVE_BUFFER 65536

/*
 * Servers. Each connection is read until it has brought so many bytes or has
 * lasted so long; then it stalls, is closed or is reset.
 */

struct victim {
	int64_t left_bytes; /* -1: no limit */
	int64_t end_ms;	    /* INT64_MAX: none */
};

enum cruelty {
	STALL,
	CLOSE,
	RESET
};

static enum cruelty
parse_cruelty(const char *name)
{
	static const char *const names[] = {"stall", "close", "reset"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) == 0)
			return (enum cruelty)i;
	}
	errx(2, "%s: unknown end", name);
}

/* Reads what is there; true when the victim has lived long enough. */
static bool
serve_victim(struct victim *v, struct pollfd *p, uint8_t *buf)
{
	size_t want = READ_BYTES;
	ssize_t n;

	if (peer_now_ms() >= v->end_ms || v->left_bytes == 0)
		return true;
	if (p->revents == 0)
		return false;
	if (v->left_bytes > 0 && v->left_bytes < READ_BYTES)
		want = (size_t)v->left_bytes;
	n = recv(p->fd, buf, want, MSG_DONTWAIT);
	if (n == 0 || (n == -1 && errno != EAGAIN)) {
		close(p->fd);
		p->fd = -1;
	} else if (n > 0 && v->left_bytes > 0) {
		v->left_bytes -= n;
	}
	return v->left_bytes == 0;
}

static void
end_victim(struct pollfd *p, enum cruelty end)
{
	if (end == CLOSE)
		close(p->fd);
	else if (end == RESET)
		peer_reset(p->fd);
	/* A stalled one stays open, unread, until this process ends. */
	p->fd = -1;
}

static int
listen_somewhere(const struct run *r)
{
	struct sockaddr_in a = r->to;
	socklen_t len = sizeof(a);
	int size = RECEIVE_BUFFER;
	int fd;

	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) == -1 ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    listen(fd, VICTIMS_MAX) == -1 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) == -1)
		err(1, "listen");
	printf("port %u\n", ntohs(a.sin_port));
	fflush(stdout);
	return fd;
}

void
peer_serve(const struct run *r)
{
	enum cruelty end = parse_cruelty(r->args[0]);
	long long bytes = peer_number(r->args[1], -1, INT64_MAX);
	long long ms = peer_number(r->args[2], -1, RUN_MAX_S * 1000);
	struct pollfd p[VICTIMS_MAX + 1];
	struct victim v[VICTIMS_MAX + 1];
	uint8_t *buf = malloc(READ_BYTES);
	nfds_t n = 1;

	if (buf == NULL)
		err(1, NULL);
	p[0] = (struct pollfd){.fd = listen_somewhere(r), .events = POLLIN};
	for (;;) {
		poll(p, n, 10);
		for (nfds_t i = 1; i < n; i++) {
			if (p[i].fd != -1 && serve_victim(&v[i], &p[i], buf))
				end_victim(&p[i], end);
		}
		if (p[0].revents == 0 || n == VICTIMS_MAX + 1)
			continue;
		p[n] = (struct pollfd){.fd = accept(p[0].fd, NULL, NULL),
		    .events = POLLIN};
		v[n] = (struct victim){.left_bytes = bytes,
		    .end_ms = ms < 0 ? INT64_MAX : peer_now_ms() + ms};
		n++;
	}
}

/*
 * A server that answers the header of its one client in two parts, the second
 * after SIGUSR1, and then sends payload and reads to the end.
 */

#define ANSWER_MAX 255

static void
await_signal(const sigset_t *set)
{
	int number;

	if (sigwait(set, &number) != 0)
		errx(1, "sigwait");
}

static void
send_whole(int fd, const uint8_t *buf, size_t n)
{
	if (n > 0 && send(fd, buf, n, MSG_NOSIGNAL) != (ssize_t)n)
		err(1, "send");
}

void
peer_answer(const struct run *r)
{
	size_t part = (size_t)peer_number(r->args[0], 0, ANSWER_MAX);
	size_t length = (size_t)peer_number(r->args[1], 0, ANSWER_MAX);
	size_t bytes = (size_t)peer_number(r->args[2], 0, READ_BYTES);
	uint8_t answer[ANSWER_MAX] = {0}, *buf = malloc(READ_BYTES);
	sigset_t set;
	int fd;

	if (buf == NULL)
		err(1, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	peer_put_u32(answer, 2);
	peer_put_u32(answer + 4, (uint32_t)length);
	fd = accept(listen_somewhere(r), NULL, NULL);
	if (fd == -1 || recv(fd, buf, READ_BYTES, 0) == -1)
		err(1, "accept");
	send_whole(fd, answer, part);
	await_signal(&set);
	if (length > part)
		send_whole(fd, answer + part, length - part);
	memset(buf, '7', READ_BYTES);
	send_whole(fd, buf, bytes);
	shutdown(fd, SHUT_WR);
	while (recv(fd, buf, READ_BYTES, 0) > 0)
		continue;
	close(fd);
}
