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

/*
 * Whether a datagram may be the first that is seen of a flow. now_s is wall
 * time, s since 1970. Any id may be the first to arrive, and clocks may be
 * decades apart, but not without anything else that speaks for a test: see
 * the source. Finals, and reports of flows that have ended, open none.
 */
bool flow_start_is_plausible(const uint8_t *buf, size_t len, int64_t now_s);

#endif
