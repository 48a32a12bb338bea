/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "measure/histogram.h"
#include "measure/sequence.h"
#include "measure/tally.h"

/*
 * DESIGN. Only a datagram above the highest id moves the flow forward; it
 * alone gives a delay and a difference for the jitter. RFC 3550 compares
 * neighbours in order of arrival, late ones included, but then one datagram
 * that took a detour counts its detour twice; leaving it out is what iperf
 * 2.2 does, so both ends of a test agree. The final datagram has a delay, but
 * no part in the jitter: it is not sent on schedule but when the test is over,
 * and what arrives may be a copy of it, stamped when the first one left.
 *
 * A negative id is the final, but 32-bit ids become negative as data too,
 * at 2^31, and positive as finals. The rule is that of serial numbers (RFC
 * 1982): what is nearer to the id expected next. Where both are near, about
 * the multiples of 2^31, long flows go through and hardly any ends: there
 * it is data unless it is exactly the final that is due.
 */

#define ID_BITS 64
#define JITTER_GAIN 16

void
sequence_init(struct sequence *s, int64_t first_id, bool is_64_bit)
{
	memset(s, 0, sizeof(*s));
	s->is_64_bit = is_64_bit;
	s->highest = first_id - 1;
	/* What is below the first id was never missing. */
	memset(s->seen, 0xff, sizeof(s->seen));
}

static bool
is_in_window(const struct sequence *s, int64_t id)
{
	return id <= s->highest && s->highest - id < SEQUENCE_WINDOW;
}

/* Of an id in the window. */
static bool
is_seen(const struct sequence *s, int64_t id)
{
	uint64_t place = (uint64_t)id % SEQUENCE_WINDOW;

	return (s->seen[place / ID_BITS] >> place % ID_BITS & 1) != 0;
}

static bool
is_missing(const struct sequence *s, int64_t id)
{
	return is_in_window(s, id) && !is_seen(s, id);
}

static void
mark_seen(struct sequence *s, int64_t id)
{
	uint64_t place = (uint64_t)id % SEQUENCE_WINDOW;

	s->seen[place / ID_BITS] |= UINT64_C(1) << place % ID_BITS;
}

/* Marks n ids as missing, a word at a time: n may be anything. */
static void
mark_missing(struct sequence *s, uint64_t id, uint64_t n)
{
	uint64_t shift, take;

	if (n >= SEQUENCE_WINDOW) {
		memset(s->seen, 0, sizeof(s->seen));
		return;
	}
	for (; n > 0; id += take, n -= take) {
		shift = id % ID_BITS;
		take = n < ID_BITS - shift ? n : ID_BITS - shift;
		s->seen[id % SEQUENCE_WINDOW / ID_BITS] &=
		    ~(UINT64_MAX >> (ID_BITS - take) << shift);
	}
}

/* The id nearest to the highest that ends in these 32 bits; may be < 0. */
static int64_t
nearest(const struct sequence *s, uint32_t low)
{
	return s->highest + (int32_t)(low - (uint32_t)s->highest);
}

bool
sequence_is_final(const struct sequence *s, int64_t wire_id)
{
	int64_t expected = s->highest + 1;
	int64_t data = nearest(s, (uint32_t)wire_id);
	int64_t final = nearest(s, 0 - (uint32_t)wire_id);

	if (s->is_64_bit)
		return wire_id < 0;
	/* Nothing is before the first round. */
	if (data < 0)
		return wire_id < 0;
	if (llabs(data - expected) < SEQUENCE_WINDOW)
		return final == expected && data != expected &&
		       !is_missing(s, data);
	return llabs(final - expected) < llabs(data - expected);
}

static int64_t
unwrap(const struct sequence *s, int64_t wire_id)
{
	uint64_t id = (uint64_t)wire_id;
	int64_t near;

	if (sequence_is_final(s, wire_id))
		id = 0 - id;
	if (!s->is_64_bit) {
		near = nearest(s, (uint32_t)id);
		id = (uint64_t)(near < 0 ? near + (INT64_C(1) << 32) : near);
	}
	return id < SEQUENCE_ID_MAX ? (int64_t)id : SEQUENCE_ID_MAX;
}

static void
advance(struct sequence *s, struct tally *t, int64_t id)
{
	uint64_t gap = (uint64_t)(id - s->highest - 1);

	mark_missing(s, (uint64_t)(s->highest + 1), gap);
	mark_seen(s, id);
	s->highest = id;
	s->missing += gap;
	t->gaps += gap;
	t->advanced += gap + 1;
}

/* A datagram that does not advance; one that fills no gap was there before. */
static void
count_behind(struct sequence *s, struct tally *t, int64_t id)
{
	bool in_window = is_in_window(s, id);

	if (s->missing == 0 || (in_window && is_seen(s, id))) {
		t->duplicates++;
		return;
	}
	if (in_window)
		mark_seen(s, id);
	s->missing--;
	t->late++;
}

static void
measure_delay(struct tally *t, int64_t transit_ns, int64_t received_rt_ns)
{
	moments_add(&t->delay, (double)transit_ns);
	if (t->delay_bins != NULL)
		histogram_add(t->delay_bins, transit_ns, received_rt_ns);
}

static void
measure_jitter(struct sequence *s, struct tally *t, int64_t transit_ns,
    int64_t received_rt_ns)
{
	int64_t change_ns = llabs(transit_ns - s->last_transit_ns);

	if (s->has_reference) {
		s->jitter_ns +=
		    ((double)change_ns - s->jitter_ns) / JITTER_GAIN;
		t->jitter_ns = s->jitter_ns;
		t->has_jitter = true;
		if (t->jitter_bins != NULL)
			histogram_add(t->jitter_bins, change_ns,
			    received_rt_ns);
	}
	s->last_transit_ns = transit_ns;
	s->has_reference = true;
}

int64_t
sequence_add(struct sequence *s, struct tally *t, int64_t wire_id, size_t bytes,
    int64_t sent_rt_ns, int64_t received_rt_ns, bool has_delay)
{
	bool is_final = sequence_is_final(s, wire_id);
	int64_t id = unwrap(s, wire_id), transit_ns;

	t->datagrams++;
	t->bytes += bytes;
	if (id <= s->highest) {
		count_behind(s, t, id);
	} else {
		advance(s, t, id);
		if (!has_delay)
			return id;
		transit_ns = received_rt_ns - sent_rt_ns;
		measure_delay(t, transit_ns, received_rt_ns);
		if (!is_final)
			measure_jitter(s, t, transit_ns, received_rt_ns);
	}
	return id;
}
