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
 * The end of a sending stream. Everything that was accepted by the socket is
 * to reach the peer, and the stream ends when the peer's close says so. But
 * a stalled or vanished peer must not hold up the end, so the wait goes on
 * only while something moves: this stream's unacknowledged bytes, or any
 * other stream of the test (with a thousand of them, each has to wait for
 * its turn on the processor).
 */

#define POLL_MS 5
#define WAIT_MIN_NS (2 * NS_PER_S)

struct finish {
	struct tcp_send *send;
	uint64_t unacknowledged; /* bytes, at the last look */
	int64_t moved_ns;	 /* when this stream last moved */
	int64_t quiet_ns;	 /* longest pause without a verdict */
};

/* A pause within the path's own delay says nothing. */
static int64_t
quiet_limit(int fd)
{
	struct tcp_sample sample;
	int64_t rtt_ns;

	if (tcp_sample_take(&sample, fd) == -1)
		return TCP_SEND_QUIET_NS;
	rtt_ns = ((int64_t)sample.rtt_us + 4 * (int64_t)sample.rttvar_us) *
		 NS_PER_US;
	return rtt_ns > TCP_SEND_QUIET_NS ? rtt_ns : TCP_SEND_QUIET_NS;
}

/* Notes whether acknowledgements have come in since the last look. */
static void
note_progress(struct finish *f, int64_t now_ns)
{
	uint64_t left;

	if (sock_os_unacknowledged(f->send->fd, &left) == -1)
		return;
	if (left < f->unacknowledged) {
		f->moved_ns = now_ns;
		atomic_store_explicit(&f->send->shared->progress_ns, now_ns,
		    memory_order_relaxed);
	}
	f->unacknowledged = left;
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
discard_input(int fd)
{
	unsigned char buf[4096];
	ssize_t n;

	do
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	while (n > 0 || (n == -1 && errno == EINTR));
	if (n == 0)
		return 1;
	return errno == EAGAIN ? 0 : -1;
}

enum tcp_finish
tcp_send_finish(struct tcp_send *s, int64_t wait_ns, int64_t *end_ns,
    uint64_t *unacknowledged_bytes)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	struct finish f = {.send = s, .unacknowledged = UINT64_MAX};
	int64_t now_ns = clock_now_ns(), last_ns;
	int rc = 0;

	/* The quiet time counts from the planned end, not from a late one. */
	f.moved_ns = s->deadline_ns < now_ns ? s->deadline_ns : now_ns;
	f.quiet_ns = quiet_limit(s->fd);
	last_ns = now_ns + (wait_ns > WAIT_MIN_NS ? wait_ns : WAIT_MIN_NS);
	*unacknowledged_bytes = 0;
	if (sock_os_unacknowledged(s->fd, &f.unacknowledged) == -1)
		f.unacknowledged = 0;
	if (shutdown(s->fd, SHUT_WR) == -1) {
		*end_ns = now_ns;
		return TCP_FINISH_FAILED;
	}
	for (;;) {
		rc = discard_input(s->fd);
		now_ns = clock_now_ns();
		if (rc != 0)
			break;
		note_progress(&f, now_ns);
		if (is_quiet(&f, now_ns) || now_ns > last_ns)
			break;
		poll(&p, 1, POLL_MS);
	}
	if (rc == 1) {
		*end_ns = now_ns;
		atomic_store_explicit(&s->shared->progress_ns, now_ns,
		    memory_order_relaxed);
		return TCP_FINISH_CLOSED;
	}
	*end_ns = f.moved_ns;
	if (rc == -1)
		return TCP_FINISH_FAILED;
	*unacknowledged_bytes = f.unacknowledged;
	return f.unacknowledged > 0 ? TCP_FINISH_STALLED : TCP_FINISH_OPEN;
}
