/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "measure/slot.h"
#include "net/datagrams.h"
#include "stream/udp_recv.h"
#include "wire/datagram.h"

/* What is older when it is read has a stamp of another clock. */
#define QUEUED_MAX_NS (60 * NS_PER_S)

void
udp_recv_init(struct udp_recv *r, int64_t first_id)
{
	sequence_init(&r->sequence, first_id, r->is_wide);
	memset(&r->total, 0, sizeof(r->total));
	r->first_rt_ns = 0;
	r->last_rt_ns = 0;
	r->first_ns = 0;
	r->last_ns = 0;
	r->drops = 0;
	r->has_final = false;
	r->final_sent_ns = 0;
	r->last_sent_ns = 0;
	r->aside = ASIDE_NONE;
}

/* Adds one datagram to a batch. */
static void
add(struct udp_recv *r, struct tally *batch, const struct datagram_in *in)
{
	struct datagram d;
	enum aside_kind aside;
	bool is_final;

	aside = aside_decode(in->data, in->stored, &r->aside_value);
	if (aside != ASIDE_NONE) {
		r->aside = aside;
		return;
	}
	/* What is no datagram of a test does not count as one. */
	if (datagram_decode(&d, in->data, in->stored, r->is_wide) < 0)
		return;
	if (r->first_rt_ns == 0)
		r->first_rt_ns = in->wall_ns;
	r->last_rt_ns = in->wall_ns;
	r->last_sent_ns = stamp_to_ns(d.sent);
	is_final = sequence_is_final(&r->sequence, d.id);
	if (is_final && !r->has_final)
		r->final_sent_ns = r->last_sent_ns;
	r->has_final |= is_final;
	sequence_add(&r->sequence, batch, d.id, in->bytes, r->last_sent_ns,
	    in->wall_ns, d.sent.s != 0);
	if (!is_final && r->expected_bytes != 0 &&
	    in->bytes != r->expected_bytes)
		batch->odd_sizes++;
}

/* Begins a batch that counts into the histograms of the slot's tally. */
static struct tally *
begin(struct udp_recv *r, struct tally *batch)
{
	struct tally *t = slot_take(r->slot);

	memset(batch, 0, sizeof(*batch));
	batch->delay_bins = t->delay_bins;
	batch->jitter_bins = t->jitter_bins;
	return t;
}

/*
 * How many of the drops so far were losses. Not all need be: copies of the
 * final are dropped too, and what was dropped last is missed with the next
 * datagram only.
 */
static uint64_t
lost_drops(struct udp_recv *r, const struct tally *batch)
{
	uint64_t gaps = r->total.gaps + batch->gaps;
	uint64_t filled = r->total.late + batch->late + r->total.queue_drops;
	uint64_t n = gaps > filled ? gaps - filled : 0;

	if (n > r->drops)
		n = r->drops;
	r->drops -= n;
	return n;
}

/* Before the wall clock may be set; `before_rt_ns` is the arrival before. */
static void
note_time(struct udp_recv *r, int64_t before_rt_ns)
{
	if (r->last_rt_ns == before_rt_ns)
		return;
	if (r->first_ns == 0) {
		r->first_ns = clock_arrival_ns(r->first_rt_ns,
		    clock_now_ns() - QUEUED_MAX_NS);
		r->last_ns = r->first_ns;
	}
	r->last_ns = clock_arrival_ns(r->last_rt_ns, r->last_ns);
}

static void
end(struct udp_recv *r, struct tally *batch, struct tally *t)
{
	batch->queue_drops = lost_drops(r, batch);
	batch->delay_bins = NULL;
	batch->jitter_bins = NULL;
	tally_merge(t, batch);
	slot_give(r->slot, t);
	tally_merge(&r->total, batch);
}

unsigned
udp_recv_account(struct udp_recv *r, const struct datagrams_in *in, unsigned n,
    uint64_t drops)
{
	struct tally batch, *t = begin(r, &batch);
	int64_t before_rt_ns = r->last_rt_ns;
	unsigned i;

	batch.calls = 1;
	r->drops += drops;
	for (i = 0; i < n && !r->has_final; i++)
		add(r, &batch, datagrams_in_get(in, i));
	note_time(r, before_rt_ns);
	end(r, &batch, t);
	return i;
}

void
udp_recv_account_one(struct udp_recv *r, const struct datagram_in *in,
    uint64_t drops)
{
	struct tally batch, *t = begin(r, &batch);
	int64_t before_rt_ns = r->last_rt_ns;

	batch.calls = 1;
	r->drops += drops;
	add(r, &batch, in);
	note_time(r, before_rt_ns);
	end(r, &batch, t);
}

void
udp_recv_add_drops(struct udp_recv *r, uint64_t drops)
{
	struct tally batch, *t;

	if (drops == 0)
		return;
	r->drops += drops;
	t = begin(r, &batch);
	end(r, &batch, t);
}
