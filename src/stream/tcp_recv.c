/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/sock_os.h"
#include "net/socket.h"
#include "pace/pacer.h"
#include "stream/late_answer.h"
#include "stream/payload.h"
#include "stream/tcp_recv.h"

/* After its planned end a sender that is silent for so long has gone. */
#define SILENCE_NS (2 * NS_PER_S)

/* Data may be queued on the way, but a sender that never ends is to be left. */
#define OVERTIME_NS (10 * NS_PER_S)

/* An interrupted test waits so long for the peer to end, or to send on. */
#define STOPPED_WAIT_NS NS_PER_S

static bool
is_overdue(const struct tcp_recv *r, int64_t now_ns)
{
	int64_t over_ns = now_ns - r->planned_end_ns;

	return over_ns > r->overtime_ns ||
	       (over_ns > r->silence_ns &&
		   now_ns - r->heard_ns > r->silence_ns);
}

/*
 * Whether what was under way at a stop has been read, or was waited for in
 * vain. Tells the peer to end when this begins.
 */
static bool
has_drained(struct tcp_recv *r, int64_t now_ns)
{
	int64_t moved_ns;

	if (r->was_asked != NULL && !atomic_load(r->was_asked))
		return false;
	if (r->stopped_ns == 0) {
		r->stopped_ns = now_ns;
		if (r->asks_end)
			shutdown(r->fd, SHUT_WR);
	}
	moved_ns = r->heard_ns > r->stopped_ns ? r->heard_ns : r->stopped_ns;
	return now_ns - moved_ns > STOPPED_WAIT_NS ||
	       now_ns - r->stopped_ns > r->drain_ns;
}

static bool
is_over(void *arg)
{
	struct tcp_recv *r = arg;
	bool is_stopped = atomic_load_explicit(r->stop, memory_order_relaxed);
	int64_t now_ns;

	if (!is_stopped && r->deadline_ns == INT64_MAX &&
	    r->planned_end_ns == INT64_MAX)
		return false;
	now_ns = clock_now_ns();
	if (is_stopped || now_ns >= r->deadline_ns)
		return !r->drains || has_drained(r, now_ns);
	return r->planned_end_ns != INT64_MAX && is_overdue(r, now_ns);
}

static void
count_read(struct tcp_recv *r, size_t bytes)
{
	struct tally *t = slot_take(r->slot);

	tally_add_read(t, bytes, r->bin_bytes);
	slot_give(r->slot, t);
}

/* Before the first payload. */
static ssize_t
read_late(struct tcp_recv *r)
{
	bool is_over;
	ssize_t n = late_answer_skip(r->late, r->fd, &is_over);

	if (is_over)
		r->late = NULL;
	return n;
}

static ssize_t
read_once(struct tcp_recv *r, struct payload_iov *p)
{
	ssize_t n;

	if (r->late != NULL)
		return read_late(r);
	n = r->discard ? sock_os_discard(r->fd, r->read_bytes)
		       : payload_read(r->fd, p, r->read_bytes);
	if (r->quickack)
		sock_os_set_quickack(r->fd);
	return n;
}

/* Holds the reader back to its rate, but not beyond the end of the test. */
static void
hold_back(struct tcp_recv *r, struct pacer *pacer, size_t bytes)
{
	pacer_sent(pacer, bytes, clock_now_ns());
	clock_sleep_unless(pacer_due_ns(pacer), is_over, r);
}

void
tcp_recv_configure(struct tcp_recv *r, const struct options *o)
{
	r->bin_bytes = (size_t)o->length_bytes / TALLY_READ_BINS;
	if (r->bin_bytes == 0)
		r->bin_bytes = 1;
	r->rate_bps = o->rate.mean > 0 ? o->rate.mean : 0;
	r->read_bytes = PAYLOAD_CALL_MAX;
	if ((o->length_given || r->rate_bps > 0) &&
	    (size_t)o->length_bytes < PAYLOAD_CALL_MAX)
		r->read_bytes = (size_t)o->length_bytes;
	r->late = NULL;
	r->discard = o->skip_rx_copy;
	r->quickack = o->quickack;
	r->deadline_ns = INT64_MAX;
	r->planned_end_ns = INT64_MAX;
	r->silence_ns = SILENCE_NS;
	r->overtime_ns = OVERTIME_NS;
	r->drains = false;
	r->asks_end = false;
	r->was_asked = NULL;
	r->drain_ns = STOPPED_WAIT_NS;
	r->first_ns = 0;
	r->last_ns = 0;
	r->has_ended = false;
	r->bytes = 0;
	r->heard_ns = 0;
	r->stopped_ns = 0;
}

int
tcp_recv_run(struct tcp_recv *r, void (*started)(void *, int64_t now_ns),
    void *arg)
{
	struct payload_iov p;
	struct pacer pacer;
	unsigned char *chunk = payload_new();
	ssize_t n = 0;
	int error;

	payload_iov_init(&p, chunk);
	if (r->deadline_ns != INT64_MAX || r->drains)
		socket_set_receive_timeout(r->fd, CLOCK_NAP_NS);
	while (!is_over(r)) {
		n = read_once(r, &p);
		if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
			n = 0;
			continue;
		}
		r->has_ended = n == 0;
		if (n <= 0)
			break;
		if (r->drains)
			r->heard_ns = clock_now_ns();
		if (r->first_ns == 0) {
			r->first_ns = clock_now_ns();
			started(arg, r->first_ns);
			if (r->rate_bps > 0)
				pacer_init(&pacer, (double)r->rate_bps, 0, 0,
				    r->first_ns);
		}
		r->bytes += (size_t)n;
		count_read(r, (size_t)n);
		if (r->rate_bps > 0)
			hold_back(r, &pacer, (size_t)n);
	}
	error = errno;
	r->last_ns = clock_now_ns();
	free(chunk);
	errno = error;
	return n == -1 ? -1 : 0;
}
