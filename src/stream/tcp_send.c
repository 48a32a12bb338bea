/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/sock_os.h"
#include "pace/pacer.h"
#include "stream/payload.h"
#include "stream/tcp_send.h"

/* A call that took less makes room for larger ones, more for smaller. */
#define CALL_SHORT_NS (2 * NS_PER_MS)
#define CALL_LONG_NS (15 * NS_PER_MS)

#define CALL_MIN_BYTES 4096

/* The smallest block a rate is spread over: about 100 writes a second. */
#define PACED_WRITES_PER_S 100

/*
 * Looks, now and then, whether the peer has ended its direction, or all. The
 * error of a connection that broke stays where it is, for who tells it.
 */
static bool
has_left(struct tcp_send *s, int64_t now_ns)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	char unexpected[256];
	ssize_t n = -1;

	if (!s->heeds_peer || now_ns - s->looked_ns < TCP_SEND_CALL_NS)
		return s->peer_left;
	s->looked_ns = now_ns;
	if (poll(&p, 1, 0) != 1)
		return false;
	if ((p.revents & POLLERR) == 0)
		n = recv(s->fd, unexpected, sizeof(unexpected), MSG_DONTWAIT);
	s->was_answered |= n > 0;
	s->peer_left = n == 0 || (p.revents & POLLERR) != 0;
	return s->peer_left;
}

static bool
is_over(struct tcp_send *s, int64_t now_ns)
{
	return now_ns >= s->deadline_ns ||
	       atomic_load_explicit(s->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&s->cancelled, memory_order_relaxed) ||
	       has_left(s, now_ns);
}

/* EAGAIN is a call that its time limit ended, nothing went wrong. */
static bool
is_transient(int error)
{
	return error == EAGAIN || error == EINTR || error == ENOBUFS;
}

static void
count_bytes(struct tcp_send *s, size_t bytes, unsigned calls)
{
	struct tally *t = slot_take(s->slot);

	t->bytes += bytes;
	t->calls += calls;
	slot_give(s->slot, t);
}

/* Accounts for bytes that the socket took, as `calls` complete writes. */
static void
note_write(struct tcp_send *s, size_t bytes, unsigned calls, int64_t now_ns)
{
	int64_t limit;

	count_bytes(s, bytes, calls);
	s->accepted_ns = now_ns;
	if (!s->bounds_backlog)
		return;
	limit = backlog_note(&s->backlog, bytes, now_ns);
	if (limit > 0)
		sock_os_set_unsent_limit(s->fd, limit);
}

static void
count_error(struct tcp_send *s)
{
	struct tally *t = slot_take(s->slot);

	t->errors++;
	slot_give(s->slot, t);
}

bool
tcp_send_is_over(void *send)
{
	return is_over(send, clock_now_ns());
}

/* Decides on a failed write: 0 to try again, -1 to end. */
static int
failed_write(struct tcp_send *s)
{
	if (!is_transient(errno))
		return -1;
	if (errno == ENOBUFS)
		count_error(s);
	return 0;
}

/*
 * The default: as much as the path takes. The size of a call follows how
 * long calls take, so that fast streams save system calls and slow ones keep
 * their figures fine-grained.
 */
static int
send_adaptive(struct tcp_send *s)
{
	struct payload_iov p;
	size_t size = s->block_bytes;
	int64_t now_ns = clock_now_ns(), before_ns;
	ssize_t n;

	payload_iov_init(&p, s->chunk);
	while (!is_over(s, now_ns)) {
		n = payload_write(s->fd, &p, size);
		before_ns = now_ns;
		now_ns = clock_now_ns();
		if (n > 0)
			note_write(s, (size_t)n, 1, now_ns);
		else if (n == -1 && failed_write(s) == -1)
			return -1;
		if (now_ns - before_ns < CALL_SHORT_NS)
			size *= 2;
		else if (now_ns - before_ns > CALL_LONG_NS)
			size /= 2;
		if (size > PAYLOAD_CALL_MAX)
			size = PAYLOAD_CALL_MAX;
		if (size < CALL_MIN_BYTES)
			size = CALL_MIN_BYTES;
	}
	return 0;
}

/*
 * Writes one block, in as many calls as it takes. Returns 1 when it is
 * complete, 0 when the test ended within it, -1 with errno.
 */
static int
send_block(struct tcp_send *s, struct payload_iov *p, size_t bytes)
{
	size_t want;
	ssize_t n;

	while (bytes > 0) {
		want = bytes < PAYLOAD_CALL_MAX ? bytes : PAYLOAD_CALL_MAX;
		n = payload_write(s->fd, p, want);
		if (n > 0) {
			bytes -= (size_t)n;
			note_write(s, (size_t)n, bytes == 0, clock_now_ns());
			s->remaining_bytes -= (size_t)n;
		} else if (n == -1 && failed_write(s) == -1) {
			return -1;
		}
		if (bytes > 0 && is_over(s, clock_now_ns()))
			return 0;
	}
	return 1;
}

static size_t
next_block(const struct tcp_send *s)
{
	return s->remaining_bytes < s->block_bytes ? (size_t)s->remaining_bytes
						   : s->block_bytes;
}

/* Exact blocks: -l or -n asks for them. */
static int
send_blocks(struct tcp_send *s)
{
	struct payload_iov p;
	int rc = 1;

	payload_iov_init(&p, s->chunk);
	while (rc == 1 && s->remaining_bytes > 0 && !is_over(s, clock_now_ns()))
		rc = send_block(s, &p, next_block(s));
	return rc == -1 ? -1 : 0;
}

/* Blocks on a schedule: -b. */
static int
send_paced(struct tcp_send *s)
{
	struct payload_iov p;
	struct pacer pacer;
	size_t block;
	int rc = 1;

	payload_iov_init(&p, s->chunk);
	pacer_init(&pacer, (double)s->rate_bps, (double)s->rate_stddev_bps,
	    (uint32_t)s->fd ^ (uint32_t)s->start_ns, clock_now_ns());
	while (rc == 1 && s->remaining_bytes > 0 &&
	       clock_sleep_unless(pacer_due_ns(&pacer), tcp_send_is_over, s)) {
		block = next_block(s);
		rc = send_block(s, &p, block);
		pacer_sent(&pacer, block, clock_now_ns());
	}
	return rc == -1 ? -1 : 0;
}

/* Writes all of a buffer; results as send_block(). */
static int
send_buffer(struct tcp_send *s, const unsigned char *buf, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = write(s->fd, buf, len);
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
			note_write(s, (size_t)n, len == 0, clock_now_ns());
			s->remaining_bytes -= (size_t)n;
		} else if (n == -1 && failed_write(s) == -1) {
			return -1;
		}
		if (len > 0 && is_over(s, clock_now_ns()))
			return 0;
	}
	return 1;
}

/* True when input can be read (or ended), false when the test is over. */
static bool
wait_input(struct tcp_send *s)
{
	struct pollfd p = {.fd = s->input_fd, .events = POLLIN};

	while (!is_over(s, clock_now_ns())) {
		if (poll(&p, 1, (int)(TCP_SEND_CALL_NS / NS_PER_MS)) != 0)
			return true;
	}
	return false;
}

/* The bytes of a file or of standard input, once, in order: -F, -I. */
static int
send_input(struct tcp_send *s)
{
	unsigned char *buf = xaligned(4096, s->block_bytes);
	ssize_t n = 1;
	int rc = 1, error;

	while (rc == 1 && n != 0 && s->remaining_bytes > 0 && wait_input(s)) {
		n = read(s->input_fd, buf, next_block(s));
		if (n > 0)
			rc = send_buffer(s, buf, (size_t)n);
		else if (n == -1 && errno != EINTR && errno != EAGAIN)
			rc = -1;
		s->input_failed |= n == -1 && rc == -1;
	}
	error = errno;
	free(buf);
	errno = error;
	return rc == -1 ? -1 : 0;
}

/*
 * A block is small enough to be due PACED_WRITES_PER_S times a second, unless
 * -l names its size: that holds while it is due at least once a second.
 */
static size_t
paced_block(const struct options *o, int64_t rate_bps)
{
	int64_t per_second = o->length_given ? 1 : PACED_WRITES_PER_S;
	int64_t block = rate_bps / 8 / per_second;

	if (block > o->length_bytes)
		block = o->length_bytes;
	return block < 1 ? 1 : (size_t)block;
}

void
tcp_send_configure(struct tcp_send *s, const struct options *o)
{
	s->rate_bps = o->rate.mean > 0 ? o->rate.mean : 0;
	s->rate_stddev_bps = o->rate.stddev;
	s->block_bytes = (size_t)o->length_bytes;
	if (s->rate_bps > 0)
		s->block_bytes = paced_block(o, s->rate_bps);
	s->remaining_bytes =
	    o->amount_bytes >= 0 ? (uint64_t)o->amount_bytes : UINT64_MAX;
	/* Who sets a buffer or a limit by hand shall have it. */
	s->bounds_backlog = o->window_bytes < 0 && o->write_prefetch_bytes < 0;
	s->adaptive = !o->length_given && s->rate_bps == 0 &&
		      o->amount_bytes < 0 && o->input_path[0] == '\0';
}

int
tcp_send_run(struct tcp_send *s)
{
	int64_t now_ns = clock_now_ns();

	s->accepted_ns = now_ns;
	if (s->bounds_backlog) {
		backlog_init(&s->backlog, now_ns);
		sock_os_set_unsent_limit(s->fd, s->backlog.limit_bytes);
	}
	if (s->input_fd != -1)
		return send_input(s);
	if (s->adaptive)
		return send_adaptive(s);
	return s->rate_bps > 0 ? send_paced(s) : send_blocks(s);
}
