/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "udp_far.h"
#include "wire/ack.h"
#include "wire/datagram.h"
#include "wire/udp_report.h"

static void
send_report(const struct udp_far *f)
{
	struct udp_report report = {.bytes = f->bytes, .datagrams = f->n};
	uint8_t buf[UDP_REPORT_BYTES];
	int len = udp_report_encode(&report, buf, sizeof(buf));

	send(f->fd, buf, (size_t)len, 0);
}

static void
answer(const struct udp_far *f, const uint8_t *final, size_t size)
{
	const struct ack ack = {.version = {1, 1}};
	uint8_t buf[ACK_BYTES];
	int len;

	switch (f->answer) {
	case UDP_FAR_NOTHING:
		break;
	case UDP_FAR_REPORT:
		send_report(f);
		break;
	case UDP_FAR_SECOND:
		if (f->finals == 2)
			send_report(f);
		break;
	case UDP_FAR_ECHO:
		send(f->fd, final, size < 128 ? size : 128, 0);
		break;
	case UDP_FAR_AFTER_OTHERS:
		memset(buf, 'x', sizeof(buf));
		send(f->fd, buf, 5, 0);
		send(f->fd, buf, 0, 0);
		len = ack_encode(&ack, buf, sizeof(buf));
		send(f->fd, buf, len > 0 ? (size_t)len : 0, 0);
		send_report(f);
		break;
	}
}

static void
note(struct udp_far *f, const uint8_t *buf, size_t size)
{
	struct datagram d = {.id = 0};

	datagram_decode(&d, buf, size, true);
	if (f->n < UDP_FAR_IDS) {
		f->id[f->n] = d.id;
		f->size[f->n] = size;
	}
	f->n++;
	if (d.id < 0)
		f->finals++;
	if (d.id >= 0 || f->finals == 1)
		f->bytes += size;
	if (d.id < 0)
		answer(f, buf, size);
}

static void *
far_main(void *arg)
{
	struct udp_far *f = arg;
	struct pollfd p = {.fd = f->fd, .events = POLLIN};
	uint8_t buf[65536];
	ssize_t n;

	while (poll(&p, 1, 20) > 0 || !atomic_load(&f->stop)) {
		n = recv(f->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n >= 0)
			note(f, buf, (size_t)n);
	}
	return NULL;
}

void
udp_far_start(struct udp_far *f, enum udp_far_answer a)
{
	f->answer = a;
	ck_assert_int_eq(pthread_create(&f->thread, NULL, far_main, f), 0);
}

void
udp_far_join(struct udp_far *f)
{
	atomic_store(&f->stop, true);
	ck_assert_int_eq(pthread_join(f->thread, NULL), 0);
}
