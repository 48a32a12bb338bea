/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_HEADER_BLOCKS_H
#define WIRE_HEADER_BLOCKS_H

/*
 * The blocks of which a client header is made, wherever they lie, and the
 * bits of its three flags words. For the codecs of this floor; the caller
 * has checked that each block is inside the buffer. Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/client_header.h"

#define BASE_BYTES 24
#define EXTENSION_BYTES 36 /* without the barrier word of 2.2 */
#define START_BYTES 16

/* First word of the base block. */
#define FLAG_VERSION1 UINT32_C(0x80000000)
#define FLAG_EXTEND UINT32_C(0x40000000)
#define FLAG_UDP_TESTS UINT32_C(0x20000000)
#define FLAG_KEY UINT32_C(0x10000000)
#define FLAG_SEQNO64 UINT32_C(0x08000000)
#define FLAG_VERSION2 UINT32_C(0x04000000)
#define FLAG_PEER_DETECT UINT32_C(0x02000000)
#define FLAG_BOUNCEBACK UINT32_C(0x00800000)
#define FLAG_LENGTH UINT32_C(0x00010000) /* a coded length is there */
#define FLAG_RUN_NOW UINT32_C(0x00000001)
#define FLAGS_HEADER (FLAG_VERSION1 | FLAG_EXTEND | FLAG_VERSION2)
#define CODED_LENGTH_MASK UINT32_C(0x000001fe)
#define CODED_LENGTH_SHIFT 1

/* First half of the extension's flags. */
#define UPPER_ISOCHRONOUS 0x0001
#define UPPER_L2_IPV6 0x0002
#define UPPER_L2_CHECKS 0x0004
#define UPPER_NO_UDP_FIN 0x0008
#define UPPER_TRIP_TIMES 0x0010
#define UPPER_ISOCHRONOUS_SETTINGS 0x0040
#define UPPER_RATE_IS_PPS 0x0080
#define UPPER_FQ_RATE 0x0200
#define UPPER_REVERSE 0x0400
#define UPPER_FULL_DUPLEX 0x0800
#define UPPER_TXSTART 0x1000
#define UPPER_PERIODIC_BURST 0x2000 /* UDP: L4S */
#define UPPER_WRITE_PREFETCH 0x4000
#define UPPER_QUICKACK 0x8000
#define UPPERS_START (UPPER_TRIP_TIMES | UPPER_TXSTART | UPPER_FQ_RATE)

/* Second half. */
#define LOWER_CONGESTION 0x8000
#define LOWER_BARRIER 0x4000

/* Empties a header before decoding: nothing said, no limits. */
void header_clear(struct client_header *);

/*
 * Each decodes one block at p into the header. `offset` is the place of p
 * in the stream or datagram; it tells unset words, which hold filler.
 */
void header_base_decode(struct client_header *, uint32_t flags,
    const uint8_t *p, size_t offset);
void header_extension_decode(struct client_header *, uint32_t flags,
    const uint8_t *p);
void header_old_extension_decode(struct client_header *, const uint8_t *p,
    size_t offset);
void header_start_decode(struct client_header *, uint16_t uppers,
    const uint8_t *p);

/* Reads the whole words within bytes, at most the whole block. */
void header_settings_decode(struct client_header *, const uint8_t *p,
    size_t bytes);

/* The flags of the extension block at p. */
uint16_t header_uppers(const uint8_t *p);
uint16_t header_lowers(const uint8_t *p);

/* WIRE_INVALID if a member of the header does not fit the wire. */
int header_check(const struct client_header *);

/*
 * The flags that TCP and UDP share; the caller adds its own. The first
 * needs the coded length, 0 for none.
 */
uint32_t header_encode_flags(const struct client_header *, size_t coded_bytes);
uint16_t header_encode_uppers(const struct client_header *);

/* Each writes one block at p, all of its bytes. */
void header_base_encode(const struct client_header *, uint32_t flags,
    uint8_t *p);
void header_extension_encode(const struct client_header *, uint16_t uppers,
    uint16_t lowers, uint8_t *p);
void header_start_encode(const struct client_header *, uint8_t *p);
void header_settings_encode(const struct client_header *, uint8_t *p,
    size_t bytes);

#endif
