/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_CLIENT_HEADER_UDP_H
#define WIRE_CLIENT_HEADER_UDP_H

/*
 * The client header inside a UDP datagram. Buffers begin with the datagram,
 * not with the header. Pure; any thread.
 */

#include "wire/client_header.h"

/* Where a full header ends, and where one of ours without times may. */
#define CLIENT_HEADER_UDP_BYTES 160
#define CLIENT_HEADER_UDP_LEAST_BYTES 80

/* The small form is for trip times in datagrams of these sizes. */
#define CLIENT_HEADER_SMALL_LEAST_BYTES 18
#define CLIENT_HEADER_SMALL_MOST_BYTES 127

/*
 * Reads the first datagram of a flow and returns the enum
 * client_header_form that it has: NONE, CLIENT, SMALL or OLD. WIRE_SHORT: a
 * header that was cut before its end, as in later datagrams of a small
 * size. Blocks that lie beyond len are absent, and so is what their flags
 * announce. The coded length is ignored, it tells nothing here.
 */
int client_header_decode_udp(struct client_header *, const uint8_t *buf,
    size_t len);

/*
 * Writes the header behind the datagram's own 16 bytes, as far as size
 * goes, and returns where it ends. The small form carries trip_times and,
 * if has_txstart, the start. WIRE_NO_SPACE if size is below the least of
 * the form.
 */
int client_header_encode_udp(const struct client_header *, uint8_t *buf,
    size_t size);
int client_header_encode_udp_small(const struct client_header *, uint8_t *buf,
    size_t size);

#endif
