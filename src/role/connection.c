/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "measure/tcp_info.h"
#include "net/address.h"
#include "report/fact.h"
#include "role/connection.h"

void
connection_describe(struct connection_fact *c, int fd, int id,
    const struct address *peer, bool is_server, const struct options *o)
{
	struct address local = {.len = 0};
	struct tcp_sample sample;

	memset(c, 0, sizeof(*c));
	c->id = id;
	c->is_server = is_server;
	address_of_local(&local, fd);
	c->local = local.ss;
	c->peer = peer->ss;
	if (o->enhanced)
		address_device(&local, c->device);
	c->initial_cwnd_bytes = -1;
	c->mss_bytes = -1;
	c->initial_rtt_us = -1;
	if (tcp_sample_take(&sample, fd) == 0) {
		c->initial_cwnd_bytes = (int)tcp_sample_cwnd_bytes(&sample);
		c->mss_bytes = (int)sample.mss_bytes;
		c->initial_rtt_us = (int)sample.rtt_us;
	}
	c->connect_ns = -1;
	c->wall_ns = clock_wall_ns();
	c->tos_received = -1;
	c->tos_sent = o->tos > 0 ? o->tos : 0;
	memcpy(c->congestion, o->congestion, sizeof(c->congestion));
	c->prefetch_bytes = is_server ? -1 : o->write_prefetch_bytes;
	c->clamp_bytes = is_server ? o->rx_window_clamp_bytes : -1;
	c->quickack = o->quickack;
	c->txstart = o->txstart_rt_ns >= 0;
	c->no_udp_fin = o->no_udp_fin;
	c->trip_times = o->trip_times;
}
