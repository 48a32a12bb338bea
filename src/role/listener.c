/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/reporter.h"
#include "role/server_impl.h"

/* Out of descriptors or memory: connections wait in the kernel meanwhile. */
#define PAUSE_MS 50

/* Connections accepted before the listener looks around. */
#define ACCEPTS_MAX 64

struct listener {
	struct server *server;
	int64_t troubled_ns; /* when trouble was told last */
};

static void
tell_trouble(struct listener *l, const char *what, int error)
{
	if (trouble_is_bearable(&l->troubled_ns, clock_now_ns()))
		reporter_warn(l->server->reporter, "%s: %s", what,
		    strerror(error));
}

/* Waits until the server is told to stop, at most a moment. */
static void
pause_accepting(const struct listener *l)
{
	struct pollfd p = {.fd = l->server->wake[0], .events = POLLIN};

	poll(&p, 1, PAUSE_MS);
}

/* Closes a connection of somebody who was not asked. */
static void
turn_away(struct listener *l, int fd, const struct address *peer)
{
	char text[ADDRESS_TEXT_MAX];

	if (trouble_is_bearable(&l->troubled_ns, clock_now_ns()))
		reporter_warn(l->server->reporter,
		    "closed a connection from %s, which is not the server",
		    address_text(peer, text, sizeof(text)));
	close(fd);
}

/* Accepts some of what waits on one socket, and leaves time for others. */
static void
accept_all(struct listener *l, int listen_fd)
{
	struct server *s = l->server;
	struct address peer;
	int fd, i, rc;

	for (i = 0; i < ACCEPTS_MAX && !server_is_full(s); i++) {
		peer.len = sizeof(peer.ss);
		fd = accept4(listen_fd, (struct sockaddr *)&peer.ss, &peer.len,
		    SOCK_CLOEXEC);
		if (fd == -1) {
			/* Gone before it was accepted: the next, please. */
			if (errno == ECONNABORTED || errno == EINTR ||
			    errno == EPROTO)
				continue;
			if (errno != EAGAIN) {
				tell_trouble(l,
				    "new connections wait, accept failed",
				    errno);
				pause_accepting(l);
			}
			return;
		}
		if (!server_admits(s, &peer)) {
			turn_away(l, fd, &peer);
			continue;
		}
		server_count_accepted(s);
		rc = worker_start(s, fd, &peer, server_next_id(s));
		if (rc != 0) {
			tell_trouble(l,
			    "connection dropped, cannot start a thread", rc);
			pause_accepting(l);
		}
	}
}

void *
listener_main(void *arg)
{
	struct listener l = {.server = arg};
	struct server *s = l.server;
	struct pollfd p[SERVER_PORTS_MAX + 1];
	nfds_t n = 0;
	int i;

	for (i = 0; i < s->n_fds; i++)
		p[n++] = (struct pollfd){.fd = s->fds[i], .events = POLLIN};
	p[n++] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
	while (!server_is_full(s)) {
		if (poll(p, n, server_accept_wait_ms(s)) == -1) {
			if (errno == EINTR)
				continue;
			tell_trouble(&l, "poll failed", errno);
			pause_accepting(&l);
			continue;
		}
		if (p[n - 1].revents != 0)
			break;
		for (i = 0; i < s->n_fds; i++) {
			if (p[i].revents != 0)
				accept_all(&l, s->fds[i]);
		}
	}
	server_end_accepting(s);
	return NULL;
}
