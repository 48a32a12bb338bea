/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_DATAGRAM_H
#define WIRE_DATAGRAM_H

/*
 * The first 16 bytes of every UDP datagram: an id, the send time and the
 * upper half of the id. A negative id marks the end of a flow. Programs
 * before 2.0.10 have no upper half, and some leave filler there, so the
 * receiver decides once per flow, on its first datagram, how ids are read.
 * Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"
#include "wire/stamp.h"

#define DATAGRAM_BYTES 16
#define DATAGRAM_NARROW_BYTES 12

struct datagram {
	int64_t id;
	struct stamp sent;
};

/* Whether a word consists of digits, as the filler of all payloads does. */
bool datagram_is_filler(uint32_t word);

/*
 * Whether ids have 64 bits: in a flow that a client opened towards us, by its
 * flag, unless the upper half is filler; and in one that the serving side
 * sends, which has no header to say so, if the upper half can be one of an
 * id that is not far from 0.
 */
bool datagram_from_client_is_wide(const uint8_t *buf, size_t len);
bool datagram_from_server_is_wide(const uint8_t *buf, size_t len);

/* Returns WIRE_OK, or WIRE_SHORT for a datagram too small for an id. */
int datagram_decode(struct datagram *, const uint8_t *buf, size_t len,
    bool wide);

/* Writes DATAGRAM_BYTES and returns WIRE_OK, or WIRE_NO_SPACE. */
int datagram_encode(const struct datagram *, uint8_t *buf, size_t size);

#endif
