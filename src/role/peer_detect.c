/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "net/io.h"
#include "report/reporter.h"
#include "role/client_stream.h"
#include "role/peer_detect.h"
#include "stream/late_answer.h"
#include "wire/client_header.h"

#define ANSWER_NS (2 * NS_PER_S)

bool
peer_detect_is_wanted(const struct options *o)
{
	return o->peer_detect || o->permit_key[0] != '\0';
}

void
peer_detect_ask(const struct options *o, struct client_header *h)
{
	/* Tests in which the client sends are answered without being asked. */
	h->peer_detect =
	    (o->peer_detect && !h->dual) ||
	    (o->permit_key[0] != '\0' && (h->reverse || h->full_duplex));
}

int
peer_detect_read(int fd, int64_t deadline_ns, struct ack *ack,
    struct late_answer *late)
{
	uint8_t *buf = late->buf;
	size_t got = 0;
	int total;
	ssize_t n;

	late->got = 0;
	/* Payload begins with a digit, an answer with a zero. */
	n = io_peek(fd, buf, 1, deadline_ns);
	if (n == 1 && buf[0] != 0) {
		errno = EPROTO;
		return -1;
	}
	if (n == 1)
		n = io_read_full(fd, buf, ACK_PREFIX_BYTES, deadline_ns,
		    &late->got);
	if (n != ACK_PREFIX_BYTES)
		goto ended;
	total = ack_size(buf, ACK_PREFIX_BYTES);
	if (total < 0) {
		errno = EBADMSG;
		return -1;
	}
	n = io_read_full(fd, buf + ACK_PREFIX_BYTES,
	    (size_t)total - ACK_PREFIX_BYTES, deadline_ns, &got);
	late->got += got;
	if (n != total - ACK_PREFIX_BYTES)
		goto ended;
	ack_decode(ack, buf, (size_t)total);
	return 0;
ended:
	if (n != -1)
		errno = ECONNRESET;
	return -1;
}

/* All streams have the same server, of which one warning tells enough. */
static void
warn_once(struct client *c, const char *what)
{
	if (!atomic_exchange(&c->has_warned, true))
		reporter_warn(c->reporter,
		    "the server did not answer the test header%s", what);
}

/* Tells what is wrong. Returns whether the connection is still of use. */
static bool
judge(struct client_stream *s, int error)
{
	switch (error) {
	case ETIMEDOUT:
		s->is_answer_due = true;
		warn_once(s->client, " in 2 s: it may be an old one");
		return true;
	case EPROTO:
		warn_once(s->client, ", but began to send");
		return true;
	case EBADMSG:
		net_error_set(&s->link.error,
		    "the answer to the test header makes no sense");
		return false;
	case ECONNRESET:
	case EPIPE:
		net_error_set(&s->link.error,
		    "the server closed the connection instead of answering the "
		    "test header: %s",
		    s->client->options->permit_key[0] != '\0'
			? "it does not accept the permit key"
			: "it may want a permit key");
		return false;
	default:
		net_error_set(&s->link.error,
		    "no answer to the test header: %s", strerror(error));
		return false;
	}
}

void
peer_detect_run(struct client_stream *s, int64_t start_ns)
{
	struct ack ack;

	if (s->link.fd == -1)
		return;
	if (client_stream_write_header(s, start_ns, UINT64_MAX) == 0 &&
	    peer_detect_read(s->link.fd, clock_now_ns() + ANSWER_NS, &ack,
		&s->late) == 0) {
		s->was_answered = true;
		version_format(ack.version, s->peer_version,
		    sizeof(s->peer_version));
	} else if (!judge(s, errno)) {
		close(s->link.fd);
		s->link.fd = -1;
	}
}
