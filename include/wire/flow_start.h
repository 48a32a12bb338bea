/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_FLOW_START_H
#define WIRE_FLOW_START_H

/*
 * Whether a datagram from nowhere is one of a UDP test, and not what other
 * programs send to any port. Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client_header;

/*
 * Whether a datagram may be the first that is seen of a flow. now_s is wall
 * time, s since 1970. Any id may be the first to arrive, and clocks may be
 * decades apart, but not without anything else that speaks for a test: see
 * the source. Finals, and reports of flows that have ended, open none.
 */
bool flow_start_is_plausible(const uint8_t *buf, size_t len, int64_t now_s);

/*
 * The header that tells of the flow, from the first datagram of it that came:
 * client_header_decode_udp(), but HEADER_NONE where the bytes are rather those
 * of a file that is sent. Such a flow has its header in the first datagram
 * only, and that may be lost.
 */
int flow_start_header(struct client_header *, const uint8_t *buf, size_t len);

#endif
