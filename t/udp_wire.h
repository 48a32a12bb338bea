/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef T_UDP_WIRE_H
#define T_UDP_WIRE_H

/* What the tests' own ends of UDP flows share. */

#include <stdint.h>
#include <time.h>

static inline int64_t
udp_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static inline uint32_t
udp_get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline void
udp_put_u32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

/* The 64-bit id of a datagram of at least 16 bytes. */
static inline int64_t
udp_get_id(const uint8_t *p)
{
	return (int64_t)((uint64_t)udp_get_u32(p + 12) << 32 | udp_get_u32(p));
}

#endif
