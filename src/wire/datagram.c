/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/datagram.h"
#include "wire/header_blocks.h"

#define ID_AT 0
#define SENT_AT 4
#define ID_HIGH_AT 12
#define FLAGS_AT 16

bool
datagram_is_filler(uint32_t word)
{
	int i;

	for (i = 0; i < 4; i++, word >>= 8) {
		if ((word & 0xff) < '0' || (word & 0xff) > '9')
			return false;
	}
	return true;
}

bool
datagram_from_server_is_wide(const uint8_t *buf, size_t len)
{
	uint32_t high;

	if (len < DATAGRAM_BYTES)
		return false;
	high = bytes_get_u32(buf + ID_HIGH_AT);
	return high == 0 || high == UINT32_MAX;
}

bool
datagram_from_client_is_wide(const uint8_t *buf, size_t len)
{
	/* The flag alone is not enough: 2.0.13 starts with filler there. */
	return len >= FLAGS_AT + 4 &&
	       (bytes_get_u32(buf + FLAGS_AT) & FLAG_SEQNO64) != 0 &&
	       !datagram_is_filler(bytes_get_u32(buf + ID_HIGH_AT));
}

int
datagram_decode(struct datagram *datagram, const uint8_t *buf, size_t len,
    bool wide)
{
	uint64_t id;

	memset(datagram, 0, sizeof(*datagram));
	if (len < (size_t)(wide ? DATAGRAM_BYTES : DATAGRAM_NARROW_BYTES))
		return WIRE_SHORT;
	id = bytes_get_u32(buf + ID_AT);
	if (wide)
		id |= (uint64_t)bytes_get_u32(buf + ID_HIGH_AT) << 32;
	else if (id & UINT32_C(0x80000000))
		id |= UINT64_C(0xffffffff00000000);
	datagram->id = (int64_t)id;
	datagram->sent = stamp_get(buf + SENT_AT);
	return WIRE_OK;
}

int
datagram_encode(const struct datagram *datagram, uint8_t *buf, size_t size)
{
	uint64_t id = (uint64_t)datagram->id;

	if (size < DATAGRAM_BYTES)
		return WIRE_NO_SPACE;
	bytes_put_u32(buf + ID_AT, (uint32_t)id);
	stamp_put(buf + SENT_AT, datagram->sent);
	bytes_put_u32(buf + ID_HIGH_AT, (uint32_t)(id >> 32));
	return WIRE_OK;
}
