/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_VERSION_H
#define WIRE_VERSION_H

/*
 * The two words by which a program says who it is. They are shown to the
 * user and choose between the two layouts of the header; what a peer can do
 * is told by flags, but for what ours do beyond iperf 2. Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERSION_TEXT_BYTES 32 /* holds any version and its NUL */

struct version {
	uint32_t upper; /* release << 16 | major */
	uint32_t lower; /* minor << 16 | stage; both words 0: unknown */
};

/* Of this program. */
struct version version_ours(void);

/* Whether the program is one of ours, of this version or another. */
bool version_is_ours(struct version);

/* Whether the program lays out its header as 2.2 does, not as 2.1. */
bool version_has_barrier_word(struct version);

/*
 * Writes "2.1.8" or "2.2.1-rc" and returns buf; "" when a word is 0, which
 * means that the peer did not say.
 */
const char *version_format(struct version, char *buf, size_t size);

#endif
