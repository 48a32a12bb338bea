/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/aside.h"
#include "wire/bytes.h"

/*
 * None of its upper bits is a flag of a header or a report, nor is the upper
 * half the small form.
 */
#define MAGIC UINT32_C(0x00e5a7c3)

#define MAGIC_AT 16
#define KIND_AT 20
#define VALUE_AT 24

static const uint8_t no_id[MAGIC_AT];

enum aside_kind
aside_decode(const uint8_t *buf, size_t len, uint64_t *value)
{
	uint32_t kind;

	if (len != ASIDE_BYTES || memcmp(buf, no_id, sizeof(no_id)) != 0 ||
	    bytes_get_u32(buf + MAGIC_AT) != MAGIC)
		return ASIDE_NONE;
	kind = bytes_get_u32(buf + KIND_AT);
	if (kind < ASIDE_CHALLENGE || kind > ASIDE_PAUSE)
		return ASIDE_NONE;
	*value = (uint64_t)bytes_get_u32(buf + VALUE_AT) << 32 |
		 bytes_get_u32(buf + VALUE_AT + 4);
	return (enum aside_kind)kind;
}

int
aside_encode(enum aside_kind kind, uint64_t value, uint8_t *buf, size_t size)
{
	if (size < ASIDE_BYTES)
		return WIRE_NO_SPACE;
	memset(buf, 0, ASIDE_BYTES);
	bytes_put_u32(buf + MAGIC_AT, MAGIC);
	bytes_put_u32(buf + KIND_AT, (uint32_t)kind);
	bytes_put_u32(buf + VALUE_AT, (uint32_t)(value >> 32));
	bytes_put_u32(buf + VALUE_AT + 4, (uint32_t)value);
	return WIRE_OK;
}
