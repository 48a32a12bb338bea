/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/io.h"
#include "role/handshake.h"
#include "wire/ack.h"
#include "wire/bytes.h"

#define ANSWER_NS (2 * NS_PER_S)

/* An iperf 3 client begins with 36 characters of base 32 and a NUL. */
#define IPERF3_COOKIE_BYTES 37

static bool
is_iperf3_cookie(const uint8_t *buf, size_t len)
{
	size_t i;

	if (len != IPERF3_COOKIE_BYTES || buf[len - 1] != '\0')
		return false;
	for (i = 0; i < len - 1; i++) {
		if ((buf[i] < 'a' || buf[i] > 'z') &&
		    (buf[i] < '2' || buf[i] > '7'))
			return false;
	}
	return true;
}

/* Looks ahead, behind the bytes that were read, without taking any. */
static bool
came_from_iperf3(int fd, const uint8_t *buf, size_t len)
{
	uint8_t all[IPERF3_COOKIE_BYTES];
	ssize_t n;

	if (len >= sizeof(all))
		return false;
	memcpy(all, buf, len);
	n = recv(fd, all + len, sizeof(all) - len, MSG_PEEK | MSG_DONTWAIT);
	return n >= 0 && is_iperf3_cookie(all, len + (size_t)n);
}

static void
understand(struct hello *h, const uint8_t *buf)
{
	int rc;

	rc = client_header_decode_tcp(&h->header, buf, h->bytes);
	h->kind = HELLO_PLAIN;
	if (rc < 0) {
		h->why = "malformed test header, taken as plain data";
		return;
	}
	h->kind = HELLO_CLIENT;
}

/* The first word says that there is no header of a client's. */
static void
without_header(struct hello *h, const uint8_t *buf, int size)
{
	size_t coded;

	h->kind = HELLO_PLAIN;
	if (client_header_tcp_form(bytes_get_u32(buf), &coded) ==
	    HEADER_BOUNCEBACK) {
		h->kind = HELLO_REFUSED;
		h->why = "the client asks for bounceback, which is not "
			 "supported yet";
	} else if (size < 0) {
		h->why = "malformed test header, taken as plain data";
	}
}

void
handshake_read(struct hello *h, int fd, int64_t deadline_ns)
{
	uint8_t buf[CLIENT_HEADER_MAX_BYTES];
	size_t got, want = 4;
	ssize_t n;
	int size;

	memset(h, 0, sizeof(*h));
	h->wall_ns = clock_wall_ns();
	for (;;) {
		n = io_read_full(fd, buf + h->bytes, want - h->bytes,
		    deadline_ns, &got);
		h->bytes += got;
		if (h->first_ns == 0 && h->bytes > 0)
			h->first_ns = clock_now_ns();
		if (n == -1) {
			h->kind =
			    errno == ETIMEDOUT ? HELLO_SILENT : HELLO_FAILED;
			h->why = strerror(errno);
			return;
		}
		if (h->bytes < want) {
			/* The stream has ended; what came is its payload. */
			h->kind = HELLO_PLAIN;
			return;
		}
		/* Before the header: half of all cookies look like one. */
		if (came_from_iperf3(fd, buf, h->bytes)) {
			h->kind = HELLO_REFUSED;
			h->why = "this is an iperf 3 client, which speaks "
				 "another protocol";
			return;
		}
		size = client_header_tcp_size(buf, h->bytes);
		if (size <= 0) {
			without_header(h, buf, size);
			return;
		}
		if ((size_t)size <= h->bytes) {
			understand(h, buf);
			return;
		}
		want = (size_t)size;
	}
}

int
handshake_answer(const struct hello *h, int fd)
{
	uint8_t buf[ACK_MAX_BYTES];
	struct ack ack = {.version = version_ours()};
	const struct client_header *c = &h->header;
	int len;

	/* doc/PROTOCOL.md: who is answered. */
	if (h->kind != HELLO_CLIENT ||
	    (!c->peer_detect &&
		(!c->has_extension || c->reverse || c->full_duplex)))
		return 0;
	/* Such a client waits for just these times, to check its clock. */
	ack.has_times = c->peer_detect && c->trip_times;
	ack.sent = c->start;
	ack.received = stamp_from_ns(h->wall_ns);
	ack.answered = stamp_from_ns(clock_wall_ns());
	len = ack_encode(&ack, buf, sizeof(buf));
	if (len < 0) {
		errno = EMSGSIZE;
		return -1;
	}
	return io_write_full(fd, buf, (size_t)len, clock_now_ns() + ANSWER_NS);
}
