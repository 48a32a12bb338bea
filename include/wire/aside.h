/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_ASIDE_H
#define WIRE_ASIDE_H

/*
 * What two ends of ours tell each other aside, on the socket of a UDP flow, in
 * datagrams that are none of the test: id and time are 0. Pure; any thread.
 */

#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define ASIDE_BYTES 32

enum aside_kind {
	ASIDE_NONE,	 /* it is none */
	ASIDE_CHALLENGE, /* a server asks whether the client is where its
			    datagrams claim to come from; a random token */
	ASIDE_PROOF,	 /* the client repeats that token */
	ASIDE_PAUSE,	 /* a receiver asks its sender to pause; ns */
};

/* Which one it is; if NONE, *value is left alone. */
enum aside_kind aside_decode(const uint8_t *buf, size_t len, uint64_t *value);

/* Writes ASIDE_BYTES and returns WIRE_OK, or WIRE_NO_SPACE. */
int aside_encode(enum aside_kind, uint64_t value, uint8_t *buf, size_t size);

#endif
