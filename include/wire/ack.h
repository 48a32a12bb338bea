/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_ACK_H
#define WIRE_ACK_H

/*
 * The acknowledgement with which a server answers a client header; layout
 * in doc/PROTOCOL.md. Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"
#include "wire/stamp.h"
#include "wire/version.h"

#define ACK_PREFIX_BYTES 8 /* enough to know the length */
#define ACK_BYTES 28
#define ACK_TIMES_BYTES 52
#define ACK_MAX_BYTES 255 /* a longer one is not believed */

struct ack {
	struct version version; /* of the server */
	bool has_times;		/* the trip times were accepted */
	struct stamp sent;	/* start time of the client's header */
	struct stamp received;	/* when the server accepted the connection */
	struct stamp answered;	/* when the server wrote this */
};

/*
 * How many bytes must be at hand before this is called again or the message
 * is decoded: ACK_PREFIX_BYTES, then the whole length. WIRE_INVALID if this
 * is no acknowledgement.
 */
int ack_size(const uint8_t *buf, size_t len);

/*
 * Whether the bytes, any number of them, may begin one: payload begins with a
 * digit.
 */
bool ack_may_begin(const uint8_t *buf, size_t len);

/* Both return the bytes of the message, or a negative enum wire_error. */
int ack_decode(struct ack *, const uint8_t *buf, size_t len);
int ack_encode(const struct ack *, uint8_t *buf, size_t size);

#endif
