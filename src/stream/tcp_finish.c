/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "measure/tcp_info.h"
#include "net/sock_os.h"
#include "stream/tcp_send.h"

/*
 * DESIGN
 *
 * Everything that the socket took is to reach the peer, and the stream ends
 * when the peer's close says so, or, where the peer goes on sending, its last
 * acknowledgement. But a stalled or vanished peer must not hold up the end, so
 * the wait goes on only while something moves:
 *
 *	- this stream: data leaves and acknowledgements come in;
 *	- any other stream of the test. With a thousand of them, each has to
 *	  wait for its turn on the processors of the other end.
 *
 * A pause is a stall when it is longer than losses explain, by the measure of
 * retransmission timeouts (RFC 6298). It is counted from the last movement,
 * which may lie before the end. So a peer that has been gone for a while ends
 * the stream at once. Whatever the verdict, the stream's end is the moment of
 * the last movement, not that of the verdict.
 */

#define POLL_MS 5

/* The end is not judged before this, nor by fewer looks: a busy machine may
   oversleep. */
#define QUIET_MIN_NS (60 * NS_PER_MS)
#define QUIET_LOOKS 8

/* The smallest retransmission timeout of Linux. */
#define RTO_MIN_US 200000

/* Among many streams, each waits for its reader's turn on a processor. */
#define TURN_NS NS_PER_MS

/* An interrupted test does not wait for longer, whatever moves. */
#define STOPPED_WAIT_NS (2 * NS_PER_S)

struct finish {
	struct tcp_send *send;
	int64_t begin_ns;	 /* when the wait began */
	uint64_t unacknowledged; /* bytes, at the last look */
	int64_t moved_ns;	 /* when this stream last moved */
	int64_t last_moved_ns;	 /* of the test, at the last look */
	int quiet_looks;	 /* looks since the test moved */
	int64_t quiet_ns;	 /* longest pause that is believed */
};

static int64_t
quiet_limit(const struct finish *f, const struct tcp_sample *sample)
{
	int64_t path_us = sample->rtt_us + 4 * (int64_t)sample->rttvar_us;

	if (path_us < RTO_MIN_US)
		return 2 * RTO_MIN_US * NS_PER_US +
		       f->send->shared->streams * TURN_NS;
	/* A slow path, with queues of its own, loses in rows. */
	return 6 * path_us * NS_PER_US;
}

/*
 * How long ago data moved. A dead peer acknowledges nothing; one that does
 * not read acknowledges probes, but no data leaves.
 */
static int64_t
idle_ns(const struct tcp_sample *sample)
{
	uint32_t ms = sample->ack_age_ms > sample->sent_age_ms
			  ? sample->ack_age_ms
			  : sample->sent_age_ms;

	return (int64_t)ms * NS_PER_MS;
}

static void
tell_others(struct finish *f, int64_t now_ns)
{
	atomic_store_explicit(&f->send->shared->progress_ns, now_ns,
	    memory_order_relaxed);
}

/* Looks at what has moved since the last look. */
static void
note_progress(struct finish *f, int64_t now_ns)
{
	struct tcp_sample sample;
	uint64_t left;

	if (sock_os_unacknowledged(f->send->fd, &left) == 0) {
		if (left < f->unacknowledged) {
			f->moved_ns = now_ns;
			tell_others(f, now_ns);
		}
		f->unacknowledged = left;
	}
	if (f->unacknowledged == 0 ||
	    tcp_sample_take(&sample, f->send->fd) == -1)
		return;
	if (now_ns - idle_ns(&sample) > f->moved_ns)
		f->moved_ns = now_ns - idle_ns(&sample);
	f->quiet_ns = quiet_limit(f, &sample);
}

static bool
is_quiet(struct finish *f, int64_t now_ns)
{
	int64_t moved_ns;

	moved_ns = atomic_load_explicit(&f->send->shared->progress_ns,
	    memory_order_relaxed);
	if (moved_ns < f->moved_ns)
		moved_ns = f->moved_ns;
	f->quiet_looks = moved_ns > f->last_moved_ns ? 0 : f->quiet_looks + 1;
	f->last_moved_ns = moved_ns;
	return now_ns - moved_ns > f->quiet_ns &&
	       now_ns - f->begin_ns > QUIET_MIN_NS &&
	       f->quiet_looks >= QUIET_LOOKS;
}

/*
 * Reads what the peer sends. Returns 1 at the end of its stream, 0 when
 * there is nothing now, -1 with errno.
 */
static int
discard_input(struct tcp_send *s)
{
	unsigned char buf[4096];
	ssize_t n;

	do {
		n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT);
		s->was_answered |= n > 0;
	} while (n > 0 || (n == -1 && errno == EINTR));
	if (n == 0)
		return 1;
	return errno == EAGAIN ? 0 : -1;
}

/* Whether the connection broke. Results as discard_input(), but never 1. */
static int
check_connection(int fd)
{
	struct pollfd p = {.fd = fd, .events = 0};

	if (poll(&p, 1, 0) != 1 || (p.revents & POLLERR) == 0)
		return 0;
	errno = ECONNRESET;
	return -1;
}

/*
 * Looks for the end of the stream: the peer's close or, where that does not
 * depend on ours, the last acknowledgement. Results as discard_input().
 */
static int
look_for_end(struct finish *f)
{
	struct tcp_send *s = f->send;
	uint64_t left;

	if (!s->is_read && !s->peer_left)
		return discard_input(s);
	if (check_connection(s->fd) == -1)
		return -1;
	return sock_os_unacknowledged(s->fd, &left) == 0 && left == 0;
}

/* Waits for the end of the stream. Results as discard_input(). */
static int
await_end(struct finish *f, int64_t *now_ns)
{
	struct pollfd p = {.fd = f->send->fd, .events = POLLIN};
	int rc;

	/* What comes in then is no sign of anything. */
	if (f->send->is_read || f->send->peer_left)
		p.fd = -1;
	for (;;) {
		rc = look_for_end(f);
		*now_ns = clock_now_ns();
		if (rc != 0)
			return rc;
		note_progress(f, *now_ns);
		if (is_quiet(f, *now_ns) ||
		    (atomic_load(f->send->stop) &&
			*now_ns - f->begin_ns > STOPPED_WAIT_NS))
			return 0;
		poll(&p, 1, POLL_MS);
	}
}

/* What broke the connection, rather than that it is none. */
static void
set_reason(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (errno == ENOTCONN &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0)
		errno = error != 0 ? error : ENOTCONN;
}

enum tcp_finish
tcp_send_finish(struct tcp_send *s, int64_t *end_ns,
    uint64_t *unacknowledged_bytes)
{
	struct finish f = {.send = s};
	struct tcp_sample none = {.rtt_us = 0};
	int64_t now_ns = clock_now_ns();
	int rc;

	f.begin_ns = now_ns;
	f.quiet_ns = quiet_limit(&f, &none);
	*unacknowledged_bytes = 0;
	*end_ns = now_ns;
	/* Where the kernel does not say, only the peer's close counts. */
	if (sock_os_unacknowledged(s->fd, &f.unacknowledged) == -1)
		f.unacknowledged = 0;
	f.moved_ns = f.unacknowledged > 0 ? s->accepted_ns : now_ns;
	if (shutdown(s->fd, SHUT_WR) == -1) {
		set_reason(s->fd);
		return TCP_FINISH_FAILED;
	}
	rc = await_end(&f, &now_ns);
	if (rc == 1) {
		tell_others(&f, now_ns);
		*end_ns = now_ns;
		return TCP_FINISH_CLOSED;
	}
	*end_ns = f.moved_ns > *end_ns ? f.moved_ns : *end_ns;
	if (rc == -1)
		return TCP_FINISH_FAILED;
	*unacknowledged_bytes = f.unacknowledged;
	return f.unacknowledged > 0 ? TCP_FINISH_STALLED : TCP_FINISH_OPEN;
}
