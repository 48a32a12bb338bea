/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_UDP_REPORT_H
#define WIRE_UDP_REPORT_H

/*
 * The report that the receiver of a UDP flow sends back at its end; layout
 * in doc/PROTOCOL.md. Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"

#define UDP_REPORT_BYTES 128

struct udp_report {
	bool is_enhanced; /* delays are meant to be shown */
	bool has_delays;  /* the delay words are there at all */
	uint64_t bytes;
	int64_t duration_ns;
	uint64_t lost;
	uint64_t late; /* out of order */
	uint64_t datagrams;
	int64_t jitter_ns;
	int64_t delay_min_ns;
	int64_t delay_max_ns;
	int64_t delay_sum_ns;
	int64_t delay_mean_ns;
	double delay_m2_us2; /* sum of squared deviations, us^2; < 0 unknown */
	uint64_t delay_count;
	uint32_t pps;
};

/* What a datagram turns out to be where a report is awaited. */
enum udp_reply {
	UDP_REPLY_REPORT, /* *report is filled in */
	UDP_REPLY_ECHO,	  /* one's own final, sent back: the flow ended */
	UDP_REPLY_ACK,	  /* an acknowledgement: keep waiting */
	UDP_REPLY_OTHER,  /* none of these */
};

/*
 * Judges a datagram by the table of protocol.md, 8.5.4 (report at 16, report
 * at 12 of old servers, echo, acknowledgements) and decodes a report, signed
 * words as signed. own_flags is the flags word of one's own header.
 */
enum udp_reply udp_report_decode(struct udp_report *, const uint8_t *buf,
    size_t len, uint32_t own_flags);

/* Writes UDP_REPORT_BYTES, and returns that, or WIRE_NO_SPACE. */
int udp_report_encode(const struct udp_report *, uint8_t *buf, size_t size);

/*
 * The same for a client of 2.0.5 to 2.0.9, whose report is at 12, with 10
 * words; len is the length to fill (its datagram size), at least 52.
 */
int udp_report_encode_old(const struct udp_report *, uint8_t *buf, size_t size);

#endif
