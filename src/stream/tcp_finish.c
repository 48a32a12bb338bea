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
 * when the peer's close says so. But a stalled or vanished peer must not
 * hold up the end, so the wait goes on only while something moves:
 *
 *	- this stream: acknowledgements come in, or its last write was
 *	  accepted a moment ago;
 *	- any other stream of the test. With a thousand of them, each has to
 *	  wait for its turn on the processors of the other end.
 *
 * How long a pause is believed depends on who must move. With segments under
 * way that is the network, which may have lost them: TCP's own
 * retransmission timeout (RFC 6298) bounds the pause. With nothing under way
 * it is the peer's program, which reads or does not.
 */

#define POLL_MS 5
#define WAIT_MIN_NS (2 * NS_PER_S)

struct finish {
	struct tcp_send *send;
	uint64_t unacknowledged; /* bytes, at the last look */
	int64_t moved_ns;	 /* when this stream last moved */
	int64_t quiet_ns;	 /* longest pause that is believed */
};

/* Twice the timeout, since a retransmission may be lost as well. */
static int64_t
quiet_limit(const struct tcp_sample *sample)
{
	int64_t rto_ns = 2 * (int64_t)sample->rto_us * NS_PER_US;

	if (sample->unacked_packets == 0 || rto_ns < TCP_SEND_QUIET_NS)
		return TCP_SEND_QUIET_NS;
	return rto_ns;
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
	int64_t acked_ns;
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
	acked_ns = now_ns - (int64_t)sample.ack_age_ms * NS_PER_MS;
	if (sample.unacked_packets > 0 && acked_ns > f->moved_ns)
		f->moved_ns = acked_ns;
	f->quiet_ns = quiet_limit(&sample);
}

static bool
is_quiet(const struct finish *f, int64_t now_ns)
{
	int64_t moved_ns;

	moved_ns = atomic_load_explicit(&f->send->shared->progress_ns,
	    memory_order_relaxed);
	if (moved_ns < f->moved_ns)
		moved_ns = f->moved_ns;
	return now_ns - moved_ns > f->quiet_ns;
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

/* Waits for the peer's close. Results as discard_input(). */
static int
await_close(struct finish *f, int64_t last_ns, int64_t *now_ns)
{
	struct pollfd p = {.fd = f->send->fd, .events = POLLIN};
	int rc;

	for (;;) {
		rc = discard_input(f->send);
		*now_ns = clock_now_ns();
		if (rc != 0)
			return rc;
		note_progress(f, *now_ns);
		if (is_quiet(f, *now_ns) || *now_ns > last_ns)
			return 0;
		poll(&p, 1, POLL_MS);
	}
}

enum tcp_finish
tcp_send_finish(struct tcp_send *s, int64_t wait_ns, int64_t *end_ns,
    uint64_t *unacknowledged_bytes)
{
	struct finish f = {.send = s, .quiet_ns = TCP_SEND_QUIET_NS};
	int64_t now_ns = clock_now_ns();
	int rc;

	*unacknowledged_bytes = 0;
	*end_ns = now_ns;
	/* Where the kernel does not say, only the peer's close counts. */
	if (sock_os_unacknowledged(s->fd, &f.unacknowledged) == -1)
		f.unacknowledged = 0;
	f.moved_ns = f.unacknowledged > 0 ? s->accepted_ns : now_ns;
	s->was_answered = false;
	if (shutdown(s->fd, SHUT_WR) == -1)
		return TCP_FINISH_FAILED;
	if (wait_ns < WAIT_MIN_NS)
		wait_ns = WAIT_MIN_NS;
	rc = await_close(&f, now_ns + wait_ns, &now_ns);
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
