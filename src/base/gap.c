/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/clock.h"
#include "base/gap.h"
#include "base/options.h"

#define BITS_PER_BYTE 8

double
gap_ns(const struct options *o)
{
	double datagrams_per_s;

	if (o->ipg_ns >= 0)
		return (double)o->ipg_ns;
	if (o->rate.mean <= 0)
		return 0;
	datagrams_per_s = (double)o->rate.mean;
	if (!o->rate.per_packet)
		datagrams_per_s /= (double)(o->length_bytes * BITS_PER_BYTE);
	return NS_PER_S / datagrams_per_s;
}
