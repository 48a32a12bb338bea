/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_ERROR_H
#define WIRE_ERROR_H

/*
 * What the functions of this floor return when they cannot do their work.
 * Success is 0 or a number of bytes. Pure; any thread.
 */

enum wire_error {
	WIRE_OK = 0,
	WIRE_SHORT = -1,    /* more bytes are needed */
	WIRE_INVALID = -2,  /* a length or flag lies, or cannot be expressed */
	WIRE_NO_SPACE = -3, /* the buffer of an encoder is too small */
};

/* A phrase for a message; never NULL. */
const char *wire_strerror(int error);

#endif
