/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/gap.h"
#include "base/options.h"
#include "base/timer.h"
#include "measure/slot.h"
#include "measure/tally.h"
#include "net/datagrams.h"
#include "pace/pacer.h"
#include "stream/udp_send.h"
#include "wire/bytes.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/* --economy: wake up this often at most, and send what is due. */
#define ECONOMY_NS (100 * NS_PER_US)

/* No wait for room in the socket is longer, so that deadlines hold. */
#define ROOM_MS 20

/* Out of buffers below the socket: the device needs a moment. */
#define NO_BUFFER_PAUSE_NS (100 * NS_PER_US)

/* How often a gate that is shut is asked. */
#define GATE_PAUSE_NS NS_PER_MS

/* What is kept for the end where a gate counts: a short final, some copies. */
#define FINAL_RESERVE (4 * DATAGRAM_BYTES)

static bool
is_stopped(void *arg)
{
	const struct udp_send *s = arg;

	return atomic_load_explicit(s->stop, memory_order_relaxed);
}

static bool
is_over(const struct udp_send *s, int64_t now_ns)
{
	return now_ns >= s->deadline_ns ||
	       atomic_load_explicit(s->stop, memory_order_relaxed);
}

static void
stamp(uint8_t *buf, int64_t id, int64_t wall_ns)
{
	struct datagram d = {.id = id, .sent = stamp_from_ns(wall_ns)};

	datagram_encode(&d, buf, DATAGRAM_BYTES);
}

static void
fill(uint8_t *buf, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		buf[i] = (uint8_t)('0' + i % 10);
}

/* Writes the header; returns the least that the first datagram must have. */
static size_t
encode_header(const struct client_header *header, size_t length, uint8_t *buf,
    size_t size)
{
	if (header == NULL)
		return DATAGRAM_BYTES;
	/* Trip times in a small datagram have a form of their own. */
	if (header->trip_times && !header->full_duplex && !header->dual &&
	    length <= CLIENT_HEADER_SMALL_MOST_BYTES) {
		client_header_encode_udp_small(header, buf, size);
		return DATAGRAM_BYTES;
	}
	client_header_encode_udp(header, buf, size);
	return CLIENT_HEADER_UDP_LEAST_BYTES;
}

/*
 * The first datagram leaves room for the final one in an amount that is not
 * larger than a datagram.
 */
static size_t
first_length(const struct udp_send *s, size_t least)
{
	size_t length = s->length;

	if (s->remaining_bytes <= length)
		length = s->remaining_bytes < DATAGRAM_BYTES
			     ? 0
			     : (size_t)s->remaining_bytes - DATAGRAM_BYTES;
	return length < least ? least : length;
}

void
udp_send_init(struct udp_send *s, const struct client_header *header)
{
	const struct options *o = s->options;
	uint8_t buf[OPTIONS_UDP_LENGTH_MAX];
	size_t least;
	unsigned i;

	s->length = (size_t)o->length_bytes;
	s->next_id = 1;
	s->sent_bytes = 0;
	s->was_refused = false;
	s->is_one_way |= o->no_udp_fin;
	s->out = datagrams_out_new(s->fd, s->length);
	fill(buf, sizeof(buf));
	least = encode_header(header, s->length, buf, sizeof(buf));
	s->header_flags = bytes_get_u32(buf + DATAGRAM_BYTES);
	/* The first datagram has what the server must know, whatever -l says.
	 */
	s->first_length = first_length(s, least);
	s->first = NULL;
	if (header != NULL || s->input.fd == -1) {
		s->first = xcalloc(1, s->first_length);
		memcpy(s->first, buf, s->first_length);
	}
	for (i = 0; i < DATAGRAMS_BATCH; i++)
		memcpy(datagrams_out_buffer(s->out, i), buf, s->length);
	kalman_init(&s->oversleep);
}

void
udp_send_fini(struct udp_send *s)
{
	datagrams_out_free(s->out);
	free(s->first);
}

static void
count_sent(struct udp_send *s, unsigned n, size_t bytes, int64_t forgiven_ns)
{
	struct tally *t = slot_take(s->slot);

	t->bytes += bytes;
	t->calls++;
	t->datagrams += n;
	if (n > 1)
		t->coalesced += n;
	t->forgiven_ns += (uint64_t)forgiven_ns;
	slot_give(s->slot, t);
}

/*
 * Waits: the socket is full, as a slow link makes it, or the system is out of
 * buffers. Notes for how long; a burst afterwards would only be dropped.
 */
static void
await_room(struct udp_send *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLOUT};
	int64_t from_ns = clock_now_ns(), now_ns;
	struct tally *t;

	poll(&p, 1, ROOM_MS);
	now_ns = clock_now_ns();
	t = slot_take(s->slot);
	t->full_ns += (uint64_t)(now_ns - from_ns);
	slot_give(s->slot, t);
	cadence_overslept(&s->cadence, now_ns);
}

static void
await_buffers(struct udp_send *s)
{
	int64_t from_ns = clock_now_ns(), now_ns;
	struct tally *t;

	clock_sleep_until(from_ns + NO_BUFFER_PAUSE_NS);
	now_ns = clock_now_ns();
	t = slot_take(s->slot);
	t->errors++;
	t->starved_ns += (uint64_t)(now_ns - from_ns);
	slot_give(s->slot, t);
	cadence_overslept(&s->cadence, now_ns);
}

/* What it held back is not sent in a burst either. */
static void
await_gate(struct udp_send *s)
{
	int64_t from_ns = clock_now_ns(), now_ns;
	struct tally *t;

	clock_sleep_until(from_ns + GATE_PAUSE_NS);
	now_ns = clock_now_ns();
	t = slot_take(s->slot);
	t->held_ns += (uint64_t)(now_ns - from_ns);
	slot_give(s->slot, t);
	cadence_overslept(&s->cadence, now_ns);
}

/*
 * Decides on a failed send: 0 to try again, -1 to end. A refused datagram is
 * news of an earlier one; iperf 2 servers refuse for a moment while they
 * start a flow, so it ends nothing.
 */
static int
failed_send(struct udp_send *s)
{
	switch (errno) {
	case ECONNREFUSED:
		s->was_refused = true;
		return s->heeds_refusal ? -1 : 0;
	case EAGAIN:
		await_room(s);
		return 0;
	case ENOBUFS:
		await_buffers(s);
		return 0;
	case EINTR:
		return 0;
	default:
		return -1;
	}
}

static bool
is_first(const struct udp_send *s)
{
	return s->next_id == 1 && s->first != NULL;
}

/* What a datagram has that is not the first. */
static size_t
length_of_next(const struct udp_send *s)
{
	return s->input.fd == -1 ? s->length : DATAGRAM_BYTES + s->input.loaded;
}

/* Bytes of n datagrams from the next one on. */
static size_t
bytes_of(const struct udp_send *s, unsigned n)
{
	size_t length = length_of_next(s), bytes = n * length;

	return is_first(s) ? bytes - length + s->first_length : bytes;
}

/* The first datagram opens the flow at the server. */
static int
send_first(struct udp_send *s)
{
	stamp(s->first, s->next_id, clock_wall_ns());
	return send(s->fd, s->first, s->first_length, MSG_DONTWAIT) == -1 ? -1
									  : 1;
}

static int
send_batch(struct udp_send *s, unsigned n)
{
	int64_t wall_ns = clock_wall_ns();
	unsigned i;

	for (i = 0; i < n; i++)
		stamp(datagrams_out_buffer(s->out, i), s->next_id + i, wall_ns);
	return datagrams_out_send(s->out, n, length_of_next(s));
}

/*
 * Sends up to n datagrams that are due, now if there is a schedule: the time
 * that the call takes is none of the pause after it. Returns 0, or -1 with
 * errno.
 */
static int
send_due(struct udp_send *s, unsigned n, bool on_schedule, int64_t now_ns)
{
	int64_t forgiven_ns = 0;
	size_t bytes;
	int sent;

	sent = is_first(s) ? send_first(s) : send_batch(s, n);
	if (sent == -1)
		return failed_send(s);
	if (on_schedule)
		forgiven_ns = cadence_sent(&s->cadence, (unsigned)sent, now_ns);
	bytes = bytes_of(s, (unsigned)sent);
	if (!is_first(s))
		s->input.loaded = 0;
	count_sent(s, (unsigned)sent, bytes, forgiven_ns);
	s->next_id += sent;
	s->sent_bytes += bytes;
	if (s->remaining_bytes != UINT64_MAX)
		s->remaining_bytes -=
		    bytes < s->remaining_bytes ? bytes : s->remaining_bytes;
	return 0;
}

static void
count_input(struct udp_send *s, int64_t waited_ns)
{
	struct tally *t = slot_take(s->slot);

	t->input_ns += (uint64_t)waited_ns;
	slot_give(s->slot, t);
}

/*
 * Loads the next datagram with what is in the file, if any. Returns 1; 0 when
 * file or test has ended; -1 with errno. A flow is opened by a datagram that is
 * not its last, also of an empty file.
 */
static int
prepare_next(struct udp_send *s)
{
	uint8_t *buf = datagrams_out_buffer(s->out, 0) + DATAGRAM_BYTES;
	int64_t from_ns = clock_now_ns(), now_ns = from_ns;
	size_t size = s->next_id == 1 ? s->first_length : s->length;
	int rc;

	if (s->input.fd == -1 || is_first(s))
		return 1;
	size -= DATAGRAM_BYTES;
	while ((rc = udp_input_load(&s->input, buf, size)) == 0 &&
	       !is_over(s, now_ns)) {
		udp_input_await(&s->input);
		now_ns = clock_now_ns();
	}
	if (now_ns > from_ns)
		count_input(s, now_ns - from_ns);
	if (rc == 0)
		return 0;
	return rc == 1 ? s->input.loaded > 0 || s->next_id == 1 : -1;
}

int
udp_send_ahead(struct udp_send *s)
{
	return send_due(s, 1, false, 0);
}

/*
 * How many datagrams may go before the final one, which carries the last
 * bytes of -n. Those of a file leave one by one: the last of them is short.
 */
static unsigned
limit_count(const struct udp_send *s, unsigned n)
{
	uint64_t before_final;

	if (s->input.fd != -1)
		n = 1;
	if (s->remaining_bytes == UINT64_MAX)
		return n;
	before_final = (s->remaining_bytes + s->length - 1) / s->length;
	before_final -= before_final > 0;
	/* A flow is opened by a datagram that is not its last. */
	if (before_final == 0 && s->next_id == 1)
		before_final = 1;
	return before_final < n ? (unsigned)before_final : n;
}

/*
 * Sends as many of n datagrams as the gate allows, as send_due() does; the
 * first goes alone. Returns 1, also when it allows none for now; 0 when it ends
 * the test; -1 with errno.
 */
static int
send_gated(struct udp_send *s, unsigned n, bool on_schedule, int64_t now_ns)
{
	int allowed = (int)n;

	if (s->gate != NULL && is_first(s))
		allowed = s->gate->allows(s->gate->arg, s->sent_bytes, 1,
		    s->first_length);
	else if (s->gate != NULL)
		allowed = s->gate->allows(s->gate->arg,
		    s->sent_bytes + FINAL_RESERVE, n, s->length);
	if (allowed == -1)
		return 0;
	if (allowed > 0)
		return send_due(s, (unsigned)allowed, on_schedule, now_ns) == 0
			   ? 1
			   : -1;
	await_gate(s);
	return 1;
}

/*
 * Pauses if the receiver has asked for it. Returns 1 if it has, 0 if not; -1
 * with errno.
 */
static int
heed_pauses(struct udp_send *s, int64_t now_ns)
{
	struct tally *t;
	int rc;

	if (!s->heeds_pauses ||
	    (s->gate != NULL && !s->gate->is_open(s->gate->arg)))
		return 0;
	rc = udp_pause_heed(&s->pause, s->fd, now_ns);
	if (rc == -1)
		return failed_send(s);
	if (rc == 0)
		return 0;
	clock_sleep_unless(s->pause.until_ns, is_stopped, s);
	t = slot_take(s->slot);
	t->paused_ns += (uint64_t)(clock_now_ns() - now_ns);
	slot_give(s->slot, t);
	return 1;
}

/*
 * As fast as it goes: -b 0. Gives way after each batch: a receiver that shares
 * the CPU would else wait for a whole time slice, in which more is sent than
 * its buffer holds.
 */
static int
send_unlimited(struct udp_send *s)
{
	unsigned n, max = datagrams_out_max(s->out);
	int64_t now_ns;
	int rc;

	while (!is_over(s, now_ns = clock_now_ns())) {
		rc = heed_pauses(s, now_ns);
		if (rc == -1)
			return -1;
		if (rc == 1)
			continue;
		n = limit_count(s, max);
		if (n == 0)
			return 0;
		rc = prepare_next(s);
		if (rc != 1)
			return rc;
		rc = send_gated(s, n, false, 0);
		if (rc != 1)
			return rc;
		sched_yield();
	}
	return 0;
}

/*
 * Waits for a moment: asleep as long as that is safe, then spinning.
 * Returns the time then; the test may be over before.
 */
static int64_t
await(struct udp_send *s, int64_t due_ns)
{
	int64_t now_ns = clock_now_ns(), margin_ns, wake_ns;

	if (s->options->economy) {
		clock_sleep_unless(due_ns, is_stopped, s);
		return clock_now_ns();
	}
	if (now_ns >= due_ns)
		return now_ns;
	margin_ns = kalman_margin_ns(&s->oversleep);
	wake_ns = due_ns - margin_ns;
	if (wake_ns > now_ns) {
		if (!clock_sleep_unless(wake_ns, is_stopped, s))
			return clock_now_ns();
		now_ns = clock_now_ns();
		kalman_learn(&s->oversleep, now_ns - wake_ns);
	}
	while (now_ns < due_ns)
		now_ns = clock_now_ns();
	cadence_overslept(&s->cadence, now_ns);
	return now_ns;
}

/* -b mean,stddev: another gap now and then. */
static void
vary_gap(struct udp_send *s, int64_t now_ns)
{
	const struct target_rate *rate = &s->options->rate;
	double bps;

	if (rate->stddev <= 0 || now_ns < s->vary_ns)
		return;
	bps =
	    pacer_log_normal((double)rate->mean, (double)rate->stddev, s->seed);
	cadence_set_gap(&s->cadence, (double)s->length * 8e9 / bps);
	s->vary_ns = now_ns + PACER_VARY_NS;
}

/*
 * What is late when the time is up is not sent any more, and that is told,
 * unless it is less than a datagram or there is an amount to send.
 */
static void
give_up_rest(struct udp_send *s, double gap, int64_t now_ns)
{
	struct tally *t;
	int64_t lag_ns;

	if (now_ns > s->deadline_ns)
		now_ns = s->deadline_ns;
	lag_ns = cadence_lag_ns(&s->cadence, now_ns);
	if ((double)lag_ns < gap || s->options->amount_bytes >= 0)
		return;
	t = slot_take(s->slot);
	t->forgiven_ns += (uint64_t)lag_ns;
	slot_give(s->slot, t);
}

static int
send_on_schedule(struct udp_send *s, double gap)
{
	unsigned n, max = datagrams_out_max(s->out);
	int64_t now_ns = clock_now_ns(), due_ns;
	int rc;

	cadence_init(&s->cadence, gap, s->start_ns,
	    s->options->economy ? 1 : CADENCE_TOGETHER);
	/* A late start is made up for, but without a burst. */
	s->cadence.free_ns = now_ns;
	s->vary_ns = now_ns;
	memcpy(s->seed, &s->start_ns, sizeof(s->seed));
	for (;;) {
		vary_gap(s, now_ns);
		due_ns = cadence_due_ns(&s->cadence);
		if (s->options->economy)
			due_ns += ECONOMY_NS;
		if (due_ns >= s->deadline_ns) {
			give_up_rest(s, gap, await(s, s->deadline_ns));
			return 0;
		}
		now_ns = await(s, due_ns);
		n = limit_count(s, cadence_count(&s->cadence, now_ns, max));
		if (n == 0 || is_over(s, now_ns)) {
			give_up_rest(s, gap, now_ns);
			return 0;
		}
		rc = prepare_next(s);
		/* A file may have been waited for. */
		if (s->input.fd != -1)
			now_ns = clock_now_ns();
		if (rc == 0)
			give_up_rest(s, gap, now_ns);
		if (rc != 1)
			return rc;
		rc = send_gated(s, n, true, now_ns);
		if (rc != 1)
			return rc;
	}
}

/*
 * Opens the flow of a stream whose time was up before it could begin, as one
 * of many on a busy machine: nobody answers a final that belongs to no flow.
 */
static int
open_late(struct udp_send *s)
{
	if (s->next_id > 1)
		return 0;
	return send_gated(s, 1, false, 0) == -1 ? -1 : 0;
}

int
udp_send_run(struct udp_send *s)
{
	double gap = gap_ns(s->options);
	int rc;

	timer_be_precise();
	rc = gap > 0 ? send_on_schedule(s, gap) : send_unlimited(s);
	return rc == 0 ? open_late(s) : rc;
}
