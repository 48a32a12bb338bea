/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_GAP_H
#define BASE_GAP_H

/* The gap between datagrams that a client's options ask for. Pure. */

struct options;

/*
 * Nanoseconds from one datagram of length_bytes to the next at the (mean)
 * target rate, or as --ipg says; 0 for no limit. Not rounded, since at high
 * rates a part of a nanosecond matters.
 */
double gap_ns(const struct options *);

#endif
