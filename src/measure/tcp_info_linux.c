/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "measure/tcp_info.h"

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
	return 0;
}
