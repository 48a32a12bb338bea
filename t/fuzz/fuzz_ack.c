/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "fuzz.h"
#include "wire/ack.h"

/* Any bytes: size and decoder agree, and what is decoded survives. */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ack ack, again;
	uint8_t bytes[ACK_TIMES_BYTES];
	int used = ack_decode(&ack, data, size);
	int total = ack_size(data, size);
	int length;

	require(total <= ACK_MAX_BYTES);
	require(used < 0 || used == total);
	if (used < 0)
		return 0;
	length = ack_encode(&ack, bytes, sizeof(bytes));
	require(length > 0);
	require(ack_decode(&again, bytes, (size_t)length) == length);
	require(memcmp(&ack, &again, sizeof(ack)) == 0);
	return 0;
}
