/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/path_check.h"

/*
 * None of its upper bits is a flag of a header or a report, nor is the upper
 * half the small form.
 */
#define MAGIC UINT32_C(0x00e5a7c3)

#define MAGIC_AT 16
#define KIND_AT 20
#define TOKEN_AT 24

static const uint8_t no_id[MAGIC_AT];

enum path_check_kind
path_check_decode(const uint8_t *buf, size_t len, uint64_t *token)
{
	uint32_t kind;

	if (len != PATH_CHECK_BYTES || memcmp(buf, no_id, sizeof(no_id)) != 0 ||
	    bytes_get_u32(buf + MAGIC_AT) != MAGIC)
		return PATH_CHECK_NONE;
	kind = bytes_get_u32(buf + KIND_AT);
	if (kind < PATH_CHECK_CHALLENGE || kind > PATH_CHECK_PAUSE)
		return PATH_CHECK_NONE;
	*token = (uint64_t)bytes_get_u32(buf + TOKEN_AT) << 32 |
		 bytes_get_u32(buf + TOKEN_AT + 4);
	return (enum path_check_kind)kind;
}

int
path_check_encode(enum path_check_kind kind, uint64_t token, uint8_t *buf,
    size_t size)
{
	if (size < PATH_CHECK_BYTES)
		return WIRE_NO_SPACE;
	memset(buf, 0, PATH_CHECK_BYTES);
	bytes_put_u32(buf + MAGIC_AT, MAGIC);
	bytes_put_u32(buf + KIND_AT, (uint32_t)kind);
	bytes_put_u32(buf + TOKEN_AT, (uint32_t)(token >> 32));
	bytes_put_u32(buf + TOKEN_AT + 4, (uint32_t)token);
	return WIRE_OK;
}
