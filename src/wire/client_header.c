/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/client_header.h"
#include "wire/header_blocks.h"

/*
 * DESIGN. A TCP header is a sequence of blocks at fixed places, cut where
 * the sender stopped. The length in its first word says where that is; what
 * lies behind the last block known here was appended by a newer program and
 * is skipped. A permit key is the exception: the length ends with the two
 * bytes that count the key, and the key follows. No byte is looked at
 * before its block is known to lie inside both the coded length and the
 * bytes at hand.
 */

#define EXTENSION_AT BASE_BYTES
#define BARRIER_AT (EXTENSION_AT + EXTENSION_BYTES)
#define START_AT (BARRIER_AT + 4)
#define SETTINGS_AT (START_AT + START_BYTES)
#define CONGESTION_AT (SETTINGS_AT + CLIENT_HEADER_SETTINGS_BYTES)
#define COUNT_BYTES 2 /* in front of a text */

void
client_header_init(struct client_header *header)
{
	header_clear(header);
	header->num_threads = 1;
	header->has_extension = true;
	header->version = version_ours();
}

int
client_header_tcp_form(uint32_t flags, size_t *coded_bytes)
{
	bool extended = (flags & FLAG_EXTEND) != 0;
	size_t least = BASE_BYTES;
	size_t coded;

	*coded_bytes = 0;
	if (flags == FLAG_BOUNCEBACK)
		return HEADER_BOUNCEBACK;
	if ((flags & FLAGS_HEADER) == 0)
		return HEADER_NONE;

	/* Everybody who knows these two sends the extension. */
	if ((flags & FLAG_VERSION2) != 0 && !extended)
		return WIRE_INVALID;
	if ((flags & FLAG_KEY) != 0 &&
	    (!extended || (flags & FLAG_LENGTH) == 0))
		return WIRE_INVALID;

	if (extended)
		least += EXTENSION_BYTES;
	if ((flags & FLAG_KEY) != 0)
		least += COUNT_BYTES;
	coded = least;
	if ((flags & FLAG_LENGTH) != 0)
		coded = (flags & CODED_LENGTH_MASK) >> CODED_LENGTH_SHIFT;
	if (coded < least)
		return WIRE_INVALID;
	*coded_bytes = coded;
	return HEADER_CLIENT;
}

int
client_header_tcp_size(const uint8_t *buf, size_t len)
{
	size_t coded, key;
	uint32_t flags;
	int form;

	if (len < 4)
		return 4;
	flags = bytes_get_u32(buf);
	form = client_header_tcp_form(flags, &coded);
	if (form < 0)
		return form;
	if (form != HEADER_CLIENT)
		return 0;
	if ((flags & FLAG_KEY) == 0 || len < coded)
		return (int)coded;

	key = bytes_get_u16(buf + coded - COUNT_BYTES);
	if (key < CLIENT_HEADER_KEY_MIN || key > CLIENT_HEADER_KEY_MAX)
		return WIRE_INVALID;
	return (int)(coded + key);
}

/* Copies a text of a peer; as a string it must be as long as it says. */
static int
copy_text(char *text, const uint8_t *bytes, size_t length)
{
	if (memchr(bytes, '\0', length) != NULL)
		return WIRE_INVALID;
	memcpy(text, bytes, length);
	return WIRE_OK;
}

/* The name is inside [CONGESTION_AT, end), or its flag lies. */
static int
decode_congestion(struct client_header *header, const uint8_t *buf, size_t end)
{
	size_t length;

	if (end < CONGESTION_AT + COUNT_BYTES)
		return WIRE_INVALID;
	length = bytes_get_u16(buf + CONGESTION_AT);
	if (length > end - CONGESTION_AT - COUNT_BYTES)
		return WIRE_INVALID;
	if (length > CLIENT_HEADER_CONGESTION_MAX)
		length = CLIENT_HEADER_CONGESTION_MAX;
	return copy_text(header->congestion, buf + CONGESTION_AT + COUNT_BYTES,
	    length);
}

/* Extension and all that follows it, up to `end`. */
static int
decode_extension(struct client_header *header, uint32_t flags,
    const uint8_t *buf, size_t end)
{
	const uint8_t *extension = buf + EXTENSION_AT;
	uint16_t uppers = header_uppers(extension);
	uint16_t lowers = header_lowers(extension);

	header_extension_decode(header, flags, extension);
	header->isochronous = (uppers & UPPER_ISOCHRONOUS) != 0;
	header->periodic_burst = (uppers & UPPER_PERIODIC_BURST) != 0;

	if ((lowers & LOWER_BARRIER) != 0) {
		if (end < START_AT)
			return WIRE_INVALID;
		header->has_barrier = true;
		header->barrier_us = bytes_get_u32(buf + BARRIER_AT);
	}
	if (end >= SETTINGS_AT)
		header_start_decode(header, uppers, buf + START_AT);
	else if ((uppers & UPPERS_START) != 0)
		return WIRE_INVALID;
	if (end > SETTINGS_AT)
		header_settings_decode(header, buf + SETTINGS_AT,
		    end - SETTINGS_AT);
	if ((lowers & LOWER_CONGESTION) != 0)
		return decode_congestion(header, buf, end);
	return WIRE_OK;
}

/* The form of 2.0.10 to 2.0.13; these set the base block for dual tests. */
static void
decode_old(struct client_header *header, uint32_t flags, const uint8_t *buf)
{
	if ((flags & FLAG_VERSION1) != 0)
		header_base_decode(header, flags, buf, 0);
	header_old_extension_decode(header, buf + EXTENSION_AT, EXTENSION_AT);
}

int
client_header_decode_tcp(struct client_header *header, const uint8_t *buf,
    size_t len)
{
	int total = client_header_tcp_size(buf, len);
	size_t coded, end;
	uint32_t flags;
	int error = WIRE_OK;

	header_clear(header);
	if (total <= 0)
		return total < 0 ? total : WIRE_INVALID;
	if (len < (size_t)total)
		return WIRE_SHORT;

	flags = bytes_get_u32(buf);
	client_header_tcp_form(flags, &coded);
	header->seqno64 = (flags & FLAG_SEQNO64) != 0;
	if ((flags & FLAG_EXTEND) != 0 && (flags & FLAG_LENGTH) == 0) {
		decode_old(header, flags, buf);
		return total;
	}

	header_base_decode(header, flags, buf, 0);
	end = (flags & FLAG_KEY) != 0 ? coded - COUNT_BYTES : coded;
	if ((flags & FLAG_EXTEND) != 0)
		error = decode_extension(header, flags, buf, end);
	if (error == WIRE_OK && (flags & FLAG_KEY) != 0)
		error = copy_text(header->permit_key, buf + coded,
		    (size_t)total - coded);
	return error == WIRE_OK ? total : error;
}

/* Where the last block ends that the header needs. */
static size_t
end_of_blocks(const struct client_header *header)
{
	if (!header->has_extension)
		return BASE_BYTES;
	if (header->congestion[0] != '\0')
		return CONGESTION_AT + COUNT_BYTES +
		       strnlen(header->congestion,
			   CLIENT_HEADER_CONGESTION_MAX);
	if (header->settings_bytes > 0)
		return SETTINGS_AT + header->settings_bytes;
	if (header->has_start || header->trip_times || header->has_txstart ||
	    header->has_fq_rate)
		return SETTINGS_AT;
	if (header->has_barrier || version_has_barrier_word(header->version))
		return START_AT;
	return BARRIER_AT;
}

static void
encode_extension(const struct client_header *header, uint8_t *buf, size_t end)
{
	uint16_t uppers = header_encode_uppers(header);
	uint16_t lowers = 0;
	size_t length;

	if (header->periodic_burst)
		uppers |= UPPER_PERIODIC_BURST;
	if (header->has_barrier) {
		lowers |= LOWER_BARRIER;
		bytes_put_u32(buf + BARRIER_AT, header->barrier_us);
	}
	if (end >= SETTINGS_AT)
		header_start_encode(header, buf + START_AT);
	if (header->settings_bytes > 0)
		header_settings_encode(header, buf + SETTINGS_AT,
		    header->settings_bytes);
	if (header->congestion[0] != '\0') {
		lowers |= LOWER_CONGESTION;
		length = end - CONGESTION_AT - COUNT_BYTES;
		bytes_put_u16(buf + CONGESTION_AT, (uint16_t)length);
		memcpy(buf + CONGESTION_AT + COUNT_BYTES, header->congestion,
		    length);
	}
	header_extension_encode(header, uppers, lowers, buf + EXTENSION_AT);
}

int
client_header_encode_tcp(const struct client_header *header, uint8_t *buf,
    size_t size)
{
	size_t key = strnlen(header->permit_key, sizeof(header->permit_key));
	size_t end = end_of_blocks(header);
	size_t coded = key > 0 ? end + COUNT_BYTES : end;
	uint32_t flags;

	if (header_check(header) != WIRE_OK || header->l4s ||
	    (key > 0 &&
		(key < CLIENT_HEADER_KEY_MIN || key > CLIENT_HEADER_KEY_MAX ||
		    !header->has_extension)))
		return WIRE_INVALID;
	if (size < coded + key)
		return WIRE_NO_SPACE;

	memset(buf, 0, coded);
	flags = header_encode_flags(header, coded);
	if (header->has_extension)
		encode_extension(header, buf, end);
	if (key > 0) {
		flags |= FLAG_KEY;
		bytes_put_u16(buf + end, (uint16_t)key);
		memcpy(buf + coded, header->permit_key, key);
	}
	header_base_encode(header, flags, buf);
	return (int)(coded + key);
}
