/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_STAMP_H
#define WIRE_STAMP_H

/*
 * A time stamp as all messages carry it: wall time in two 32-bit words. It
 * is kept as sent, because a peer may put more than 999999 into the second.
 * Pure; any thread.
 */

#include <stdint.h>

#define STAMP_BYTES 8

struct stamp {
	uint32_t s;  /* since 1970 */
	uint32_t us; /* to be added; a peer may exceed a second */
};

/* ns since 1970, and back; rt_ns >= 0, cut to microseconds. */
int64_t stamp_to_ns(struct stamp);
struct stamp stamp_from_ns(int64_t rt_ns);

/* STAMP_BYTES at p. */
struct stamp stamp_get(const uint8_t *p);
void stamp_put(uint8_t *p, struct stamp);

#endif
