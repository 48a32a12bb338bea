/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/header_blocks.h"

/*
 * DESIGN. Every datagram of a client repeats the header, so any of them may
 * be the first to arrive. Blocks have fixed places up to byte 160 and end
 * where the datagram does. Filler must not be taken for a header: the one
 * of a client without header ("6789" at byte 16) has VERSION2 and the bit
 * of the small form set, but neither VERSION1 nor EXTEND.
 */

#define BASE_AT DATAGRAM_BYTES
#define EXTENSION_AT (BASE_AT + BASE_BYTES)
#define EXTENSION_END (EXTENSION_AT + EXTENSION_BYTES)
#define START_AT 112
#define SETTINGS_AT (START_AT + START_BYTES)

/* The coded length counts these for a start or frame block, and settings. */
#define CODED_TIMES_BYTES 32
#define CODED_SETTINGS_BYTES 32

/* Up to 2.0.9 the base block follows the time stamp. */
#define OLD_BASE_AT DATAGRAM_NARROW_BYTES
#define OLD_THREADS_MAX UINT32_C(0xffff)

#define SMALL_AT 16
#define SMALL_FLAGS 0x0002
#define SMALL_START_AT 20
#define SMALL_END 28

/*
 * Later clients have flags at 16, where these have the number of threads; so
 * a plain test, without flags, is one of theirs if all words can be.
 */
static bool
is_old(const uint8_t *buf, size_t len)
{
	uint32_t flags, threads, port;

	if (len < OLD_BASE_AT + BASE_BYTES)
		return false;
	flags = bytes_get_u32(buf + OLD_BASE_AT);
	threads = bytes_get_u32(buf + OLD_BASE_AT + 4);
	port = bytes_get_u32(buf + OLD_BASE_AT + 8);
	if (threads == 0 || threads > OLD_THREADS_MAX)
		return false;
	return (flags & ~FLAG_RUN_NOW) == FLAG_VERSION1 ||
	       (flags == 0 && port > 0 && port <= UINT16_MAX);
}

static int
recognise(const uint8_t *buf, size_t len)
{
	uint32_t flags;

	if (len >= CLIENT_HEADER_SMALL_LEAST_BYTES &&
	    bytes_get_u16(buf + SMALL_AT) == SMALL_FLAGS)
		return HEADER_SMALL;
	if (len >= BASE_AT + 4) {
		flags = bytes_get_u32(buf + BASE_AT);
		if ((flags & (FLAG_VERSION1 | FLAG_EXTEND)) != 0)
			return HEADER_CLIENT;
	}
	return is_old(buf, len) ? HEADER_OLD : HEADER_NONE;
}

static void
decode_small(struct client_header *header, const uint8_t *buf, size_t len)
{
	header->trip_times = true;
	if (len < SMALL_END)
		return;
	/* Only 2.2 writes here; anything else is filler, not a time. */
	if (bytes_get_u16(buf + SMALL_AT + 2) == 0 &&
	    bytes_get_u32(buf + SMALL_START_AT + 4) == 0) {
		header->start = stamp_get(buf + SMALL_START_AT);
		header->has_txstart = header->start.s != 0;
		header->has_start = header->has_txstart;
	}
}

/* The flags that mean something in UDP alone. */
static void
decode_uppers(struct client_header *header, uint32_t flags, uint16_t uppers)
{
	if ((flags & FLAG_UDP_TESTS) == 0)
		return;
	header->isochronous = (uppers & UPPER_ISOCHRONOUS) != 0;
	header->isochronous_settings =
	    (uppers & UPPER_ISOCHRONOUS_SETTINGS) != 0;
	header->no_udp_fin = (uppers & UPPER_NO_UDP_FIN) != 0;
	header->l2_checks = (uppers & UPPER_L2_CHECKS) != 0;
	header->l2_ipv6 = (uppers & UPPER_L2_IPV6) != 0;
	header->l4s = (uppers & UPPER_PERIODIC_BURST) != 0;
	if (header->l4s) {
		/* Its time stamps lie over these. */
		header->version = (struct version){0, 0};
		header->test_tag = 0;
		header->tos = 0;
	}
}

static int
decode_client(struct client_header *header, const uint8_t *buf, size_t len)
{
	uint32_t flags = bytes_get_u32(buf + BASE_AT);
	const uint8_t *extension;
	uint16_t uppers;

	header->seqno64 = (flags & FLAG_SEQNO64) != 0;
	if (len < EXTENSION_AT ||
	    ((flags & FLAG_EXTEND) != 0 && len < EXTENSION_END))
		return WIRE_SHORT;
	extension = buf + EXTENSION_AT;
	if ((flags & FLAG_EXTEND) != 0 && (flags & FLAG_LENGTH) == 0) {
		if ((flags & FLAG_VERSION1) != 0)
			header_base_decode(header, flags, buf + BASE_AT,
			    BASE_AT);
		header_old_extension_decode(header, extension, EXTENSION_AT);
		return HEADER_CLIENT;
	}

	header_base_decode(header, flags, buf + BASE_AT, BASE_AT);
	if ((flags & FLAG_EXTEND) == 0)
		return HEADER_CLIENT;
	uppers = header_uppers(extension);
	header_extension_decode(header, flags, extension);
	decode_uppers(header, flags, uppers);
	if (len >= SETTINGS_AT)
		header_start_decode(header, uppers, buf + START_AT);
	if (len > SETTINGS_AT)
		header_settings_decode(header, buf + SETTINGS_AT,
		    len - SETTINGS_AT);
	return HEADER_CLIENT;
}

int
client_header_decode_udp(struct client_header *header, const uint8_t *buf,
    size_t len)
{
	int form = recognise(buf, len);

	header_clear(header);
	if (form == HEADER_CLIENT)
		return decode_client(header, buf, len);
	if (form == HEADER_SMALL)
		decode_small(header, buf, len);
	if (form == HEADER_OLD)
		header_base_decode(header, bytes_get_u32(buf + OLD_BASE_AT),
		    buf + OLD_BASE_AT, OLD_BASE_AT);
	return form;
}

static uint16_t
encode_uppers(const struct client_header *header)
{
	uint16_t uppers = header_encode_uppers(header);

	if (header->isochronous_settings)
		uppers |= UPPER_ISOCHRONOUS_SETTINGS;
	if (header->no_udp_fin)
		uppers |= UPPER_NO_UDP_FIN;
	if (header->l2_checks)
		uppers |= UPPER_L2_CHECKS;
	if (header->l2_ipv6)
		uppers |= UPPER_L2_IPV6;
	if (header->l4s)
		uppers |= UPPER_PERIODIC_BURST;
	return uppers;
}

/* The least that a datagram must hold. */
static size_t
end_of_extension(const struct client_header *header)
{
	if (!header->has_extension)
		return EXTENSION_AT;
	if (version_has_barrier_word(header->version))
		return EXTENSION_END + 4;
	return EXTENSION_END;
}

static size_t
coded_length(const struct client_header *header)
{
	size_t coded = end_of_extension(header);

	if (header->trip_times || header->has_fq_rate || header->isochronous)
		coded += CODED_TIMES_BYTES;
	if (header->isochronous_settings)
		coded += CODED_SETTINGS_BYTES;
	return coded;
}

int
client_header_encode_udp(const struct client_header *header, uint8_t *buf,
    size_t size)
{
	size_t end =
	    size < CLIENT_HEADER_UDP_BYTES ? size : CLIENT_HEADER_UDP_BYTES;
	uint16_t uppers = encode_uppers(header);
	uint32_t flags;

	if (header_check(header) != WIRE_OK || header->periodic_burst)
		return WIRE_INVALID;
	if (end < end_of_extension(header))
		return WIRE_NO_SPACE;

	memset(buf + BASE_AT, 0, end - BASE_AT);
	flags = header_encode_flags(header, coded_length(header));
	header_base_encode(header, flags, buf + BASE_AT);
	if (!header->has_extension)
		return EXTENSION_AT;

	if (uppers != 0 || header->start.s != 0 || header->start.us != 0) {
		flags |= FLAG_UDP_TESTS;
		bytes_put_u32(buf + BASE_AT, flags);
	}
	header_extension_encode(header, uppers, 0, buf + EXTENSION_AT);
	if (end >= SETTINGS_AT)
		header_start_encode(header, buf + START_AT);
	if (end > SETTINGS_AT)
		header_settings_encode(header, buf + SETTINGS_AT,
		    end - SETTINGS_AT);
	return (int)end;
}

int
client_header_encode_udp_small(const struct client_header *header, uint8_t *buf,
    size_t size)
{
	size_t end = size < SMALL_END ? size : SMALL_END;
	struct stamp start = {0, 0};

	if (size < CLIENT_HEADER_SMALL_LEAST_BYTES)
		return WIRE_NO_SPACE;
	memset(buf + SMALL_AT, 0, end - SMALL_AT);
	bytes_put_u16(buf + SMALL_AT, SMALL_FLAGS);
	if (header->has_txstart)
		start.s = header->start.s;
	if (size >= SMALL_END)
		stamp_put(buf + SMALL_START_AT, start);
	return (int)end;
}
