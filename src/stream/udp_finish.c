/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "stream/udp_send.h"
#include "wire/datagram.h"

/*
 * DESIGN
 *
 * A flow ends with a datagram whose id is negative. It is the last datagram
 * of the test: it counts, at both ends, and carries the last bytes of -n. It
 * is sent again until the server's report comes, each time with the same id,
 * so that a lost copy is not a lost datagram (iperf 2 counts on downwards).
 * Copies that nobody answers are cut short after a while: where fragments are
 * lost a host may take no datagram in fragments any more, for half a minute,
 * as its room for unfinished ones is full. Not so with a file, whose last
 * bytes they have.
 * The pauses grow, so that a hundred streams that end together do not drown
 * the answers they wait for.
 */

#define FIRST_PAUSE_MS 10
#define LAST_PAUSE_MS 250
#define COPY_PAUSE_NS (5 * NS_PER_MS)

/* The tries of the first 140 ms have full length. */
#define FULL_TRIES 6

/* Fits into the least MTU of IPv6, 1280 bytes. */
#define SHORT_BYTES 1200

/* As patient as iperf 2, which tries for 2 s. */
#define PATIENCE_NS (5 * NS_PER_S / 2)

static size_t
final_length(const struct udp_send *s)
{
	if (s->remaining_bytes >= s->length)
		return s->length;
	return s->remaining_bytes < DATAGRAM_BYTES ? DATAGRAM_BYTES
						   : (size_t)s->remaining_bytes;
}

/*
 * With a file: what is left of it, if time or amount ended the test. Nobody
 * waits for more, so the final datagram may be short.
 */
static size_t
fill_final(struct udp_send *s, uint8_t *buf, size_t length)
{
	size_t room = length - DATAGRAM_BYTES;

	if (s->input.fd == -1)
		return length;
	udp_input_load(&s->input, buf + DATAGRAM_BYTES, room);
	return DATAGRAM_BYTES +
	       (s->input.loaded < room ? s->input.loaded : room);
}

static void
count_final(struct udp_send *s, size_t bytes)
{
	struct tally *t = slot_take(s->slot);

	t->bytes += bytes;
	t->datagrams++;
	t->calls++;
	slot_give(s->slot, t);
}

/* Whether the gate lets one more of these datagrams pass. */
static bool
may_send(struct udp_send *s, size_t length)
{
	return s->gate == NULL ||
	       s->gate->allows(s->gate->arg, s->sent_bytes, 1, length) == 1;
}

/*
 * Nobody answers, and nobody asks for a lost final: some copies go after it.
 * Who has ended refuses them.
 */
static void
send_copies(struct udp_send *s, const uint8_t *buf, size_t length)
{
	unsigned i;

	for (i = 0; i < s->final_copies && may_send(s, length); i++) {
		clock_sleep_until(clock_now_ns() + COPY_PAUSE_NS);
		if (send(s->fd, buf, length, 0) == -1 && errno == ECONNREFUSED)
			break;
		s->sent_bytes += length;
	}
}

/* Takes what has come in; true when the exchange is over. */
static bool
read_replies(struct udp_send *s, struct udp_report *report,
    enum udp_finish *how)
{
	uint8_t buf[2048];
	ssize_t n;

	for (;;) {
		n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n == -1) {
			s->was_refused |= errno == ECONNREFUSED;
			return false;
		}
		switch (udp_report_decode(report, buf, (size_t)n,
		    s->header_flags)) {
		case UDP_REPLY_REPORT:
			*how = UDP_FINISH_REPORTED;
			return true;
		case UDP_REPLY_ECHO:
			*how = UDP_FINISH_NO_NUMBERS;
			return true;
		case UDP_REPLY_ACK:
		case UDP_REPLY_OTHER:
			break;
		}
	}
}

/* The pause before try number `tries` + 1: doubles at every second one. */
static int
pause_ms(unsigned tries)
{
	int ms = FIRST_PAUSE_MS << (tries / 2 < 5 ? tries / 2 : 5);

	return ms < LAST_PAUSE_MS ? ms : LAST_PAUSE_MS;
}

static bool
await_reply(struct udp_send *s, int ms, struct udp_report *report,
    enum udp_finish *how)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	int64_t until_ns = clock_now_ns() + ms * NS_PER_MS, left_ns;

	while ((left_ns = until_ns - clock_now_ns()) > 0) {
		poll(&p, 1, (int)(left_ns / NS_PER_MS) + 1);
		if (read_replies(s, report, how))
			return true;
		/* Refused: the error was taken, but there is no hurry. */
		if (p.revents & POLLERR)
			clock_sleep_until(until_ns);
	}
	return false;
}

enum udp_finish
udp_send_finish(struct udp_send *s, struct udp_report *report, int64_t *end_ns,
    unsigned *tries)
{
	uint8_t *buf = datagrams_out_buffer(s->out, 0);
	size_t length = fill_final(s, buf, final_length(s));
	struct datagram d = {.id = -s->next_id};
	enum udp_finish how = UDP_FINISH_SILENT;
	int64_t give_up_ns;
	ssize_t rc;

	d.sent = stamp_from_ns(clock_wall_ns());
	datagram_encode(&d, buf, DATAGRAM_BYTES);
	*end_ns = clock_now_ns();
	*tries = 0;
	/* Better a short one than none. */
	if (!may_send(s, length))
		length = DATAGRAM_BYTES;
	if (!may_send(s, length))
		return UDP_FINISH_HELD;
	count_final(s, length);
	give_up_ns = *end_ns + PATIENCE_NS;
	do {
		if (*tries == FULL_TRIES && s->input.fd == -1 &&
		    length > SHORT_BYTES)
			length = SHORT_BYTES;
		if (*tries > 0 && !may_send(s, length))
			length = DATAGRAM_BYTES;
		if (*tries > 0 && !may_send(s, length)) {
			if (await_reply(s, LAST_PAUSE_MS, report, &how))
				return how;
			continue;
		}
		rc = send(s->fd, buf, length, 0);
		if (rc == -1 && errno != EAGAIN && errno != EINTR &&
		    errno != ENOBUFS && errno != ECONNREFUSED)
			return UDP_FINISH_FAILED;
		/* Nobody asks for it again, so it is to leave. */
		if (s->is_one_way && rc == -1 && errno != ECONNREFUSED) {
			clock_sleep_until(clock_now_ns() + COPY_PAUSE_NS);
			continue;
		}
		s->sent_bytes += length;
		(*tries)++;
		if (s->is_one_way) {
			send_copies(s, buf, length);
			return UDP_FINISH_ONE_WAY;
		}
		if (await_reply(s, pause_ms(*tries - 1), report, &how))
			return how;
	} while (clock_now_ns() < give_up_ns);
	return how;
}
