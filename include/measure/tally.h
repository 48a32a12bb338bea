/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_TALLY_H
#define MEASURE_TALLY_H

/*
 * A tally holds what was measured since it was last emptied. Tallies form a
 * monoid: tally_zero() is its neutral element and tally_merge() its
 * operation, so an interval, a total and a sum over streams are the same
 * type made by the same fold (doc/DESIGN.md, "everything is a fold").
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/moments.h"

struct histogram;

/* Reads are counted by size in this many bins (output.md, section 13). */
#define TALLY_READ_BINS 8

struct tally {
	uint64_t bytes;	      /* accepted by the socket, or delivered by it */
	uint64_t calls;	      /* completed writes or reads */
	uint64_t errors;      /* writes that failed for a temporary reason */
	uint64_t retransmits; /* segments, from TCP_INFO */
	uint64_t read_bins[TALLY_READ_BINS]; /* reads by size */

	/* UDP, both ends. */
	uint64_t datagrams; /* sent, or received, of any kind */

	/* UDP sender. */
	uint64_t coalesced;   /* datagrams that left in a call with others */
	uint64_t forgiven_ns; /* schedule given up when it fell far behind */
	uint64_t full_ns;     /* waited for room in the socket */
	uint64_t starved_ns;  /* waited for buffers of the system, ENOBUFS */
	uint64_t input_ns;    /* waited for the file that is sent */
	uint64_t held_ns;     /* waited for a proof of the peer's address */
	uint64_t paused_ns;   /* the receiver asked to, as its queue filled */

	/* UDP receiver; see measure/sequence.h. */
	uint64_t advanced; /* growth of the highest id: "total" */
	uint64_t gaps;	   /* ids jumped over */
	uint64_t late;	   /* arrivals that filled a gap */
	uint64_t duplicates;
	uint64_t queue_drops; /* lost in this host's receive queue */
	uint64_t odd_sizes;   /* datagrams not of the expected size */
	struct moments delay; /* one-way, ns */
	bool has_jitter;
	double jitter_ns; /* the latest value; merging keeps `from`'s */

	/* Optional; NULL when not asked for. Owned by the tally's owner. */
	struct histogram *delay_bins;
	struct histogram *jitter_bins;
};

/* Lost datagrams of a receiver: gaps less late arrivals, not below 0. */
static inline uint64_t
tally_lost(const struct tally *t)
{
	return t->gaps > t->late ? t->gaps - t->late : 0;
}

/*
 * Empties a tally; its histograms are emptied, not forgotten. One that was
 * never used has to be set to {0} instead.
 */
void tally_zero(struct tally *);

/* True for a tally in which nothing was counted. */
bool tally_is_zero(const struct tally *);

/* Adds what `from` holds to `into`; `from` is unchanged. Histograms of
   which `into` has none are left out. */
void tally_merge(struct tally *into, const struct tally *from);

/*
 * Counts one completed read of n bytes, n > 0. bin_bytes is the width of a
 * bin of the size distribution, > 0; the last bin takes all larger reads.
 */
void tally_add_read(struct tally *, size_t n, size_t bin_bytes);

#endif
