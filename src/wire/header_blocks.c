/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "wire/bytes.h"
#include "wire/header_blocks.h"

/* Base block. */
#define FLAGS_AT 0
#define NUM_THREADS_AT 4
#define PORT_AT 8
#define LENGTH_AT 12
#define WINDOW_AT 16
#define AMOUNT_AT 20

/* Extension block. */
#define TYPE_AT 0
#define TYPE_LENGTH_AT 4
#define UPPERS_AT 8
#define LOWERS_AT 10
#define VERSION_UPPER_AT 12
#define VERSION_LOWER_AT 16
#define TAG_AT 20
#define TOS_AT 22
#define RATE_LOW_AT 24
#define RATE_HIGH_AT 28
#define PREFETCH_AT 32

/* Start block. */
#define START_AT 0
#define FQ_RATE_LOW_AT 8
#define FQ_RATE_HIGH_AT 12

/* Peers keep the low byte of the rate's upper word free. */
#define RATE_HIGH_SHIFT 8

#define TRANSFER_ID_BIT UINT32_C(0x80000000)
#define TRANSFER_ID_SHIFT 20

#define NS_PER_CS (10 * NS_PER_MS)

#define OLD_FLAG_PPS UINT32_C(1)

/* Old clients leave what they do not set as their payload has it. */
static bool
is_filler(const uint8_t *p, size_t offset)
{
	for (size_t i = 0; i < 4; i++) {
		if (p[i] != '0' + (offset + i) % 10)
			return false;
	}
	return true;
}

void
header_clear(struct client_header *header)
{
	memset(header, 0, sizeof(*header));
	header->duration_ns = -1;
	header->amount_bytes = -1;
}

static void
decode_threads(struct client_header *header, uint32_t flags, uint32_t word)
{
	if ((word & TRANSFER_ID_BIT) != 0) {
		/* Unknown before 2.2, and no number of threads. */
		if ((flags & FLAG_EXTEND) == 0)
			return;
		header->has_transfer_id = true;
		header->transfer_id = (uint16_t)(word >> TRANSFER_ID_SHIFT &
						 CLIENT_HEADER_TRANSFER_ID_MAX);
		word &= CLIENT_HEADER_TRANSFER_THREADS_MAX;
	}
	header->num_threads = word;
}

static void
decode_amount(struct client_header *header, uint32_t word)
{
	/* Two's complement, by hand: the value decides, not the cast. */
	if (word & UINT32_C(0x80000000))
		header->duration_ns = (INT64_C(0x100000000) - word) * NS_PER_CS;
	else
		header->amount_bytes = word;
}

void
header_base_decode(struct client_header *header, uint32_t flags,
    const uint8_t *p, size_t offset)
{
	uint32_t port = bytes_get_u32(p + PORT_AT);

	decode_threads(header, flags, bytes_get_u32(p + NUM_THREADS_AT));
	header->listen_port = port <= UINT16_MAX ? (uint16_t)port : 0;
	header->length_bytes = bytes_get_u32(p + LENGTH_AT);
	if (!is_filler(p + WINDOW_AT, offset + WINDOW_AT))
		header->window_or_bps = bytes_get_u32(p + WINDOW_AT);
	decode_amount(header, bytes_get_u32(p + AMOUNT_AT));

	/* A transfer id borrows the flag of a dual test. */
	header->dual = (flags & FLAG_VERSION1) != 0 && !header->has_transfer_id;
	header->marks_transfer_id =
	    (flags & FLAG_VERSION1) != 0 && header->has_transfer_id;
	header->run_now = header->dual && (flags & FLAG_RUN_NOW) != 0;
}

uint16_t
header_uppers(const uint8_t *p)
{
	return bytes_get_u16(p + UPPERS_AT);
}

uint16_t
header_lowers(const uint8_t *p)
{
	return bytes_get_u16(p + LOWERS_AT);
}

static void
decode_version(struct client_header *header, const uint8_t *p)
{
	header->version.upper = bytes_get_u32(p + VERSION_UPPER_AT);
	header->version.lower = bytes_get_u32(p + VERSION_LOWER_AT);
}

void
header_extension_decode(struct client_header *header, uint32_t flags,
    const uint8_t *p)
{
	uint16_t uppers = header_uppers(p);
	bool version2 = (flags & FLAG_VERSION2) != 0;

	header->has_extension = true;
	header->reverse = version2 && (uppers & UPPER_REVERSE) != 0;
	header->full_duplex = version2 && (uppers & UPPER_FULL_DUPLEX) != 0;
	header->peer_detect = (flags & FLAG_PEER_DETECT) != 0;
	header->quickack = (uppers & UPPER_QUICKACK) != 0;
	header->rate_is_pps = (uppers & UPPER_RATE_IS_PPS) != 0;

	decode_version(header, p);
	header->test_tag = bytes_get_u16(p + TAG_AT);
	header->tos = (uint8_t)bytes_get_u16(p + TOS_AT);
	header->rate_bps =
	    bytes_get_u32(p + RATE_LOW_AT) |
	    (uint64_t)(bytes_get_u32(p + RATE_HIGH_AT) >> RATE_HIGH_SHIFT)
		<< 32;
	header->has_write_prefetch = (uppers & UPPER_WRITE_PREFETCH) != 0;
	if (header->has_write_prefetch)
		header->write_prefetch_bytes = bytes_get_u32(p + PREFETCH_AT);
}

void
header_old_extension_decode(struct client_header *header, const uint8_t *p,
    size_t offset)
{
	header->has_extension = true;
	header->has_old_extension = true;
	decode_version(header, p);
	if (is_filler(p + RATE_LOW_AT, offset + RATE_LOW_AT))
		return;
	header->rate_bps = bytes_get_u32(p + RATE_LOW_AT);
	header->rate_is_pps =
	    (bytes_get_u32(p + UPPERS_AT) & OLD_FLAG_PPS) != 0;
}

void
header_start_decode(struct client_header *header, uint16_t uppers,
    const uint8_t *p)
{
	header->has_start = true;
	header->start = stamp_get(p + START_AT);
	header->trip_times = (uppers & UPPER_TRIP_TIMES) != 0;
	header->has_txstart = (uppers & UPPER_TXSTART) != 0;
	header->has_fq_rate = (uppers & UPPER_FQ_RATE) != 0;
	if (header->has_fq_rate)
		header->fq_rate_Bps =
		    bytes_get_u32(p + FQ_RATE_LOW_AT) |
		    (uint64_t)bytes_get_u32(p + FQ_RATE_HIGH_AT) << 32;
}

void
header_settings_decode(struct client_header *header, const uint8_t *p,
    size_t bytes)
{
	struct client_header_settings *s = &header->settings;
	uint32_t *words[] = {
	    &s->frames_per_s,
	    &s->frames_per_s_millionths,
	    &s->mean_bps,
	    &s->mean_millionths,
	    &s->stddev_bps,
	    &s->stddev_millionths,
	    &s->gap_ms,
	    &s->gap_millionths,
	};

	if (bytes > CLIENT_HEADER_SETTINGS_BYTES)
		bytes = CLIENT_HEADER_SETTINGS_BYTES;
	header->settings_bytes = (uint8_t)(bytes - bytes % 4);
	for (size_t i = 0; i < bytes / 4; i++)
		*words[i] = bytes_get_u32(p + 4 * i);
}

int
header_check(const struct client_header *header)
{
	uint32_t threads_max = header->has_transfer_id
				   ? CLIENT_HEADER_TRANSFER_THREADS_MAX
				   : CLIENT_HEADER_THREADS_MAX;

	if (header->has_old_extension ||
	    (!header->has_extension && !header->dual) ||
	    (header->has_transfer_id && header->dual) ||
	    (header->marks_transfer_id && !header->has_transfer_id) ||
	    header->num_threads > threads_max ||
	    header->transfer_id > CLIENT_HEADER_TRANSFER_ID_MAX ||
	    header->rate_bps > CLIENT_HEADER_RATE_MAX_BPS ||
	    header->settings_bytes > CLIENT_HEADER_SETTINGS_BYTES ||
	    header->settings_bytes % 4 != 0)
		return WIRE_INVALID;
	return WIRE_OK;
}

uint32_t
header_encode_flags(const struct client_header *header, size_t coded_bytes)
{
	uint32_t flags = 0;

	if (header->dual || header->marks_transfer_id)
		flags |= FLAG_VERSION1;
	if (header->dual && header->run_now)
		flags |= FLAG_RUN_NOW;
	if (header->seqno64)
		flags |= FLAG_SEQNO64;
	if (!header->has_extension)
		return flags;

	flags |= FLAG_EXTEND | FLAG_LENGTH |
		 (uint32_t)coded_bytes << CODED_LENGTH_SHIFT;
	if (header->reverse || header->full_duplex || header->peer_detect)
		flags |= FLAG_VERSION2;
	if (header->peer_detect)
		flags |= FLAG_PEER_DETECT;
	return flags;
}

uint16_t
header_encode_uppers(const struct client_header *header)
{
	const struct {
		bool is_set;
		unsigned bit;
	} table[] = {
	    {header->isochronous, UPPER_ISOCHRONOUS},
	    {header->trip_times, UPPER_TRIP_TIMES},
	    {header->rate_is_pps, UPPER_RATE_IS_PPS},
	    {header->has_fq_rate, UPPER_FQ_RATE},
	    {header->reverse, UPPER_REVERSE},
	    {header->full_duplex, UPPER_FULL_DUPLEX},
	    {header->has_txstart, UPPER_TXSTART},
	    {header->has_write_prefetch, UPPER_WRITE_PREFETCH},
	    {header->quickack, UPPER_QUICKACK},
	};
	unsigned uppers = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].is_set)
			uppers |= table[i].bit;
	}
	return (uint16_t)uppers;
}

static uint32_t
encode_amount(const struct client_header *header)
{
	int64_t cs;

	if (header->duration_ns >= 0) {
		if (header->duration_ns >= CLIENT_HEADER_DURATION_MAX_NS)
			return UINT32_C(0x80000000);
		/* Nothing shorter than a unit: 0 would mean 0 bytes. */
		cs = header->duration_ns / NS_PER_CS;
		return 0 - (uint32_t)(cs > 0 ? cs : 1);
	}
	if (header->amount_bytes > CLIENT_HEADER_AMOUNT_MAX_BYTES)
		return CLIENT_HEADER_AMOUNT_MAX_BYTES;
	return header->amount_bytes > 0 ? (uint32_t)header->amount_bytes : 0;
}

void
header_base_encode(const struct client_header *header, uint32_t flags,
    uint8_t *p)
{
	uint32_t threads = header->num_threads;

	if (header->has_transfer_id)
		threads |= TRANSFER_ID_BIT | (uint32_t)header->transfer_id
						 << TRANSFER_ID_SHIFT;
	bytes_put_u32(p + FLAGS_AT, flags);
	bytes_put_u32(p + NUM_THREADS_AT, threads);
	bytes_put_u32(p + PORT_AT, header->listen_port);
	bytes_put_u32(p + LENGTH_AT, header->length_bytes);
	bytes_put_u32(p + WINDOW_AT, header->window_or_bps);
	bytes_put_u32(p + AMOUNT_AT, encode_amount(header));
}

void
header_extension_encode(const struct client_header *header, uint16_t uppers,
    uint16_t lowers, uint8_t *p)
{
	bytes_put_u32(p + TYPE_AT, 0);
	bytes_put_u32(p + TYPE_LENGTH_AT, 0);
	bytes_put_u16(p + UPPERS_AT, uppers);
	bytes_put_u16(p + LOWERS_AT, lowers);
	bytes_put_u32(p + VERSION_UPPER_AT, header->version.upper);
	bytes_put_u32(p + VERSION_LOWER_AT, header->version.lower);
	bytes_put_u16(p + TAG_AT, header->test_tag);
	bytes_put_u16(p + TOS_AT, header->tos);
	bytes_put_u32(p + RATE_LOW_AT, (uint32_t)header->rate_bps);
	bytes_put_u32(p + RATE_HIGH_AT, (uint32_t)(header->rate_bps >> 32)
					    << RATE_HIGH_SHIFT);
	bytes_put_u32(p + PREFETCH_AT,
	    header->has_write_prefetch ? header->write_prefetch_bytes : 0);
}

void
header_start_encode(const struct client_header *header, uint8_t *p)
{
	uint64_t fq_rate = header->has_fq_rate ? header->fq_rate_Bps : 0;

	stamp_put(p + START_AT, header->start);
	bytes_put_u32(p + FQ_RATE_LOW_AT, (uint32_t)fq_rate);
	bytes_put_u32(p + FQ_RATE_HIGH_AT, (uint32_t)(fq_rate >> 32));
}

void
header_settings_encode(const struct client_header *header, uint8_t *p,
    size_t bytes)
{
	const struct client_header_settings *s = &header->settings;
	const uint32_t words[] = {
	    s->frames_per_s,
	    s->frames_per_s_millionths,
	    s->mean_bps,
	    s->mean_millionths,
	    s->stddev_bps,
	    s->stddev_millionths,
	    s->gap_ms,
	    s->gap_millionths,
	};

	for (size_t i = 0; i < bytes / 4 && i < sizeof(words) / 4; i++)
		bytes_put_u32(p + 4 * i, words[i]);
}
