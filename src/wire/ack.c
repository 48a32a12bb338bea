/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/ack.h"
#include "wire/bytes.h"

#define TYPE_ACK 2

/* Offsets; words not named are 0. */
#define TYPE_AT 0
#define LENGTH_AT 4
#define VERSION_UPPER_AT 12
#define VERSION_LOWER_AT 16
#define SENT_AT 28
#define RECEIVED_AT 36
#define ANSWERED_AT 44

int
ack_size(const uint8_t *buf, size_t len)
{
	uint32_t length;

	if (len < ACK_PREFIX_BYTES)
		return ACK_PREFIX_BYTES;
	length = bytes_get_u32(buf + LENGTH_AT);
	if (bytes_get_u32(buf + TYPE_AT) != TYPE_ACK || length < ACK_BYTES ||
	    length > ACK_MAX_BYTES)
		return WIRE_INVALID;
	return (int)length;
}

bool
ack_may_begin(const uint8_t *buf, size_t len)
{
	static const uint8_t type[] = {0, 0, 0, TYPE_ACK};

	return memcmp(buf, type, len < sizeof(type) ? len : sizeof(type)) == 0;
}

int
ack_decode(struct ack *ack, const uint8_t *buf, size_t len)
{
	int total = ack_size(buf, len);

	memset(ack, 0, sizeof(*ack));
	if (total < 0)
		return total;
	if (len < (size_t)total)
		return WIRE_SHORT;
	ack->version.upper = bytes_get_u32(buf + VERSION_UPPER_AT);
	ack->version.lower = bytes_get_u32(buf + VERSION_LOWER_AT);
	ack->has_times = total >= ACK_TIMES_BYTES;
	if (ack->has_times) {
		ack->sent = stamp_get(buf + SENT_AT);
		ack->received = stamp_get(buf + RECEIVED_AT);
		ack->answered = stamp_get(buf + ANSWERED_AT);
	}
	return total;
}

int
ack_encode(const struct ack *ack, uint8_t *buf, size_t size)
{
	int total = ack->has_times ? ACK_TIMES_BYTES : ACK_BYTES;

	if (size < (size_t)total)
		return WIRE_NO_SPACE;
	memset(buf, 0, (size_t)total);
	bytes_put_u32(buf + TYPE_AT, TYPE_ACK);
	bytes_put_u32(buf + LENGTH_AT, (uint32_t)total);
	bytes_put_u32(buf + VERSION_UPPER_AT, ack->version.upper);
	bytes_put_u32(buf + VERSION_LOWER_AT, ack->version.lower);
	if (ack->has_times) {
		stamp_put(buf + SENT_AT, ack->sent);
		stamp_put(buf + RECEIVED_AT, ack->received);
		stamp_put(buf + ANSWERED_AT, ack->answered);
	}
	return total;
}
