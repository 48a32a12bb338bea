/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "measure/tcp_info.h"

/* Whether the kernel's answer of so many bytes has a member. */
#define HAS(len, member)                              \
	((len) >= offsetof(struct tcp_info, member) + \
		      sizeof(((struct tcp_info *)NULL)->member))

/* What newer kernels add at the end. */
static void
take_newer(struct tcp_sample *s, const struct tcp_info *ti, size_t len)
{
	s->min_rtt_us = -1;
	s->delivery_bytes_per_s = -1;
	s->busy_us = -1;
	s->rwnd_limited_us = -1;
	s->sndbuf_limited_us = -1;
	/* Without a sample yet the least round-trip time is the largest. */
	if (HAS(len, tcpi_min_rtt) && ti->tcpi_min_rtt != UINT32_MAX)
		s->min_rtt_us = ti->tcpi_min_rtt;
	if (HAS(len, tcpi_delivery_rate))
		s->delivery_bytes_per_s = (int64_t)ti->tcpi_delivery_rate;
	if (!HAS(len, tcpi_sndbuf_limited))
		return;
	s->busy_us = (int64_t)ti->tcpi_busy_time;
	s->rwnd_limited_us = (int64_t)ti->tcpi_rwnd_limited;
	s->sndbuf_limited_us = (int64_t)ti->tcpi_sndbuf_limited;
}

int
tcp_sample_take(struct tcp_sample *s, int fd)
{
	struct tcp_info ti;
	socklen_t len = sizeof(ti);
	uint32_t gone;

	memset(&ti, 0, sizeof(ti));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &len) == -1)
		return -1;
	/* An emulated kernel may answer with less than was ever there. */
	if (len < offsetof(struct tcp_info, tcpi_total_retrans)) {
		errno = ENOTSUP;
		return -1;
	}
	s->rtt_us = ti.tcpi_rtt;
	s->rttvar_us = ti.tcpi_rttvar;
	s->cwnd_packets = ti.tcpi_snd_cwnd;
	s->mss_bytes = ti.tcpi_snd_mss;
	/* output.md, section 12: unacked - sacked - lost + retransmitted. */
	gone = ti.tcpi_sacked + ti.tcpi_lost;
	s->in_flight_packets = ti.tcpi_unacked + ti.tcpi_retrans;
	s->in_flight_packets -=
	    gone < s->in_flight_packets ? gone : s->in_flight_packets;
	s->ack_age_ms = ti.tcpi_last_ack_recv;
	s->sent_age_ms = ti.tcpi_last_data_sent;
	s->retransmits = ti.tcpi_total_retrans;
	take_newer(s, &ti, len);
	return 0;
}
