/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tcp_pair.h"

#define BUFFER_BYTES 65536

void
tcp_pair_open(struct tcp_pair *p)
{
	struct sockaddr_in sin = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(sin);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&sin, len), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&sin, &len),
	    0);
	p->near = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(p->near, (struct sockaddr *)&sin, len), 0);
	p->far = accept(listener, NULL, NULL);
	ck_assert_int_ge(p->far, 0);
	close(listener);
}

void
tcp_pair_close(struct tcp_pair *p)
{
	if (p->near != -1)
		close(p->near);
	if (p->far != -1)
		close(p->far);
	p->near = -1;
	p->far = -1;
}

void
tcp_pair_reset(struct tcp_pair *p)
{
	struct linger linger = {.l_onoff = 1};

	ck_assert_int_eq(setsockopt(p->far, SOL_SOCKET, SO_LINGER, &linger,
			     sizeof(linger)),
	    0);
	close(p->far);
	p->far = -1;
}

static void
compare(struct tcp_reader *r, const unsigned char *buf, size_t n)
{
	size_t i, at, len = r->text != NULL ? strlen(r->text) : 0;

	for (i = 0; i < n; i++) {
		at = len > 0 ? (size_t)((r->bytes + i) % len) : 0;
		if (len > 0 ? buf[i] != r->text[at]
			    : buf[i] < '0' || buf[i] > '9')
			r->bad++;
	}
	r->bytes += n;
}

static void *
read_all(void *arg)
{
	static const char answer[28];
	struct tcp_reader *r = arg;
	unsigned char *buf = malloc(BUFFER_BYTES);
	ssize_t n;

	if (buf == NULL)
		return NULL;
	while ((n = recv(r->pair->far, buf, BUFFER_BYTES, 0)) > 0)
		compare(r, buf, (size_t)n);
	free(buf);
	r->answered = send(r->pair->far, answer, sizeof(answer), 0) > 0;
	close(r->pair->far);
	r->pair->far = -1;
	return NULL;
}

void
tcp_reader_start(struct tcp_reader *r, struct tcp_pair *pair, const char *text)
{
	*r = (struct tcp_reader){.pair = pair, .text = text};
	ck_assert_int_eq(pthread_create(&r->thread, NULL, read_all, r), 0);
}

void
tcp_reader_join(struct tcp_reader *r)
{
	pthread_join(r->thread, NULL);
}
