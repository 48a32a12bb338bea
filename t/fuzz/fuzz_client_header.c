/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "fuzz.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/*
 * Any bytes: sizes and decoders stay within them and agree, and what could
 * be decoded comes out of the encoder in a form that decodes to the same.
 */

static void
try_tcp(const uint8_t *data, size_t size)
{
	struct client_header header, again;
	uint8_t first[CLIENT_HEADER_MAX_BYTES], second[sizeof(first)];
	int used = client_header_decode_tcp(&header, data, size);
	int total = client_header_tcp_size(data, size);
	int length;

	require(total <= (int)CLIENT_HEADER_MAX_BYTES);
	require(used <= 0 || used == total);
	require((used == WIRE_SHORT) == (total > 0 && (size_t)total > size));
	if (used < 0 || header.has_old_extension)
		return;

	length = client_header_encode_tcp(&header, first, sizeof(first));
	require(length > 0);
	require(
	    client_header_decode_tcp(&again, first, (size_t)length) == length);
	require(
	    client_header_encode_tcp(&again, second, sizeof(second)) == length);
	require(memcmp(first, second, (size_t)length) == 0);
	require(memcmp(&header, &again, sizeof(header)) == 0);
}

static void
try_udp(const uint8_t *data, size_t size)
{
	struct client_header header, again;
	uint8_t first[CLIENT_HEADER_UDP_BYTES] = {0};
	uint8_t second[CLIENT_HEADER_UDP_BYTES] = {0};
	int form = client_header_decode_udp(&header, data, size);
	int length;

	if (form != HEADER_CLIENT || header.has_old_extension)
		return;
	/* Both layouts fit, and no block is in between. */
	if (size < CLIENT_HEADER_UDP_LEAST_BYTES)
		size = CLIENT_HEADER_UDP_LEAST_BYTES;
	if (size > sizeof(first))
		size = sizeof(first);
	length = client_header_encode_udp(&header, first, size);
	require(length > 0);
	require(client_header_decode_udp(&again, first, (size_t)length) ==
		HEADER_CLIENT);
	require(client_header_encode_udp(&again, second, size) == length);
	require(memcmp(first, second, sizeof(first)) == 0);
	require(memcmp(&header, &again, sizeof(header)) == 0);
}

static void
try_datagram(const uint8_t *data, size_t size)
{
	struct datagram datagram;
	uint8_t again[DATAGRAM_BYTES];

	datagram_from_server_is_wide(data, size);
	datagram_from_client_is_wide(data, size);
	datagram_decode(&datagram, data, size, false);
	if (datagram_decode(&datagram, data, size, true) != WIRE_OK)
		return;
	require(datagram_encode(&datagram, again, sizeof(again)) == WIRE_OK);
	require(memcmp(again, data, sizeof(again)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_tcp(data, size);
	try_udp(data, size);
	try_datagram(data, size);
	return 0;
}
