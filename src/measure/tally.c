/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "measure/tally.h"

void
tally_zero(struct tally *t)
{
	memset(t, 0, sizeof(*t));
}

bool
tally_is_zero(const struct tally *t)
{
	/* Reads by size are also counted in `calls`. */
	return t->bytes == 0 && t->calls == 0 && t->errors == 0 &&
	       t->retransmits == 0;
}

void
tally_merge(struct tally *into, const struct tally *from)
{
	size_t i;

	into->bytes += from->bytes;
	into->calls += from->calls;
	into->errors += from->errors;
	into->retransmits += from->retransmits;
	for (i = 0; i < TALLY_READ_BINS; i++)
		into->read_bins[i] += from->read_bins[i];
}

void
tally_add_read(struct tally *t, size_t n, size_t bin_bytes)
{
	size_t bin = n / bin_bytes;

	t->bytes += n;
	t->calls++;
	t->read_bins[bin < TALLY_READ_BINS ? bin : TALLY_READ_BINS - 1]++;
}
