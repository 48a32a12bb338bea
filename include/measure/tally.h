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

/* Reads are counted by size in this many bins (output.md, section 13). */
#define TALLY_READ_BINS 8

struct tally {
	uint64_t bytes;	      /* accepted by the socket, or delivered by it */
	uint64_t calls;	      /* completed writes or reads */
	uint64_t errors;      /* writes that failed for a temporary reason */
	uint64_t retransmits; /* segments, from TCP_INFO */
	uint64_t read_bins[TALLY_READ_BINS]; /* reads by size */
};

/* Empties a tally. */
void tally_zero(struct tally *);

/* True for a tally in which nothing was counted. */
bool tally_is_zero(const struct tally *);

/* Adds what `from` holds to `into`; `from` is unchanged. */
void tally_merge(struct tally *into, const struct tally *from);

/*
 * Counts one completed read of n bytes, n > 0. bin_bytes is the width of a
 * bin of the size distribution, > 0; the last bin takes all larger reads.
 */
void tally_add_read(struct tally *, size_t n, size_t bin_bytes);

#endif
