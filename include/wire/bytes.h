/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

/*
 * Big-endian integers at any alignment. The caller has checked that the
 * bytes are there. Pure; any thread.
 */

#include <stdint.h>

static inline uint16_t
bytes_get_u16(const uint8_t *p)
{
	return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

static inline uint32_t
bytes_get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline void
bytes_put_u16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline void
bytes_put_u32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 24);
	p[1] = (uint8_t)(value >> 16);
	p[2] = (uint8_t)(value >> 8);
	p[3] = (uint8_t)value;
}

#endif
