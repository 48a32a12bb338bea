/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_PATH_CHECK_H
#define WIRE_PATH_CHECK_H

/*
 * Datagrams of ours that are none of a test: id and time are 0. By two of them
 * a UDP server finds out that a client is where its datagrams claim to come
 * from: the server's challenge carries a random token, the client's proof
 * repeats it. With the third a receiver asks its sender to pause for so many
 * ns. Pure; any thread.
 */

#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define PATH_CHECK_BYTES 32

enum path_check_kind {
	PATH_CHECK_NONE,
	PATH_CHECK_CHALLENGE,
	PATH_CHECK_PROOF,
	PATH_CHECK_PAUSE,
};

/* Which one it is, NONE if neither; *token is then left alone. */
enum path_check_kind path_check_decode(const uint8_t *buf, size_t len,
    uint64_t *token);

/* Writes PATH_CHECK_BYTES and returns WIRE_OK, or WIRE_NO_SPACE. */
int path_check_encode(enum path_check_kind, uint64_t token, uint8_t *buf,
    size_t size);

#endif
