/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef T_HEX_H
#define T_HEX_H

/*
 * Recorded messages, from files in t/data/wire: one a line, some words that
 * describe it, then its bytes in hex. Lines that begin with # are comments.
 */

#include <stddef.h>
#include <stdint.h>

#define HEX_WORDS 3
#define HEX_MESSAGES 256
#define HEX_BYTES 256

struct hex_message {
	char word[HEX_WORDS][48]; /* "" if there are fewer */
	uint8_t bytes[HEX_BYTES];
	size_t len;
};

struct hex_file {
	struct hex_message message[HEX_MESSAGES];
	size_t messages;
};

/* Reads t/data/wire/NAME; prints a reason and exits if it cannot. */
struct hex_file *hex_read(const char *name);

/* How many messages t/data/wire/NAME has; or exits. */
int hex_count(const char *name);

/* The message that has these words, NULL for any; or exits. */
const struct hex_message *hex_find(const struct hex_file *, const char *word0,
    const char *word1, const char *word2);

/*
 * A copy of the first len bytes that ends where its memory ends, so that a
 * sanitizer sees one byte too many; free() it. len may be 0.
 */
uint8_t *hex_exact(const uint8_t *bytes, size_t len);

#endif
