/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MEASURE_TCP_INFO_H
#define MEASURE_TCP_INFO_H

/* What the kernel knows of a TCP connection, sampled (TCP_INFO). */

#include <stdbool.h>
#include <stdint.h>

struct tcp_sample {
	uint32_t rtt_us;       /* smoothed round-trip time */
	uint32_t rttvar_us;    /* its mean deviation */
	uint32_t cwnd_packets; /* congestion window */
	uint32_t mss_bytes;    /* sending MSS */
	uint32_t in_flight_packets;
	uint32_t ack_age_ms;  /* since the last acknowledgement came in */
	uint32_t sent_age_ms; /* since data was sent last */
	uint64_t retransmits; /* segments since the connection began */
	/* Since then, where the kernel tells; -1 unknown. */
	int64_t min_rtt_us;
	int64_t delivery_bytes_per_s; /* latest estimate */
	int64_t busy_us;	      /* had data to send */
	int64_t rwnd_limited_us;      /* ... but the receiver no room */
	int64_t sndbuf_limited_us;    /* ... but too small a buffer */
};

/* Congestion window in bytes. */
static inline uint64_t
tcp_sample_cwnd_bytes(const struct tcp_sample *s)
{
	return (uint64_t)s->cwnd_packets * s->mss_bytes;
}

/*
 * Samples a connected TCP socket. Returns 0, or -1 with errno: ENOTSUP where
 * the system has no TCP_INFO. Any thread.
 */
int tcp_sample_take(struct tcp_sample *, int fd);

#endif
