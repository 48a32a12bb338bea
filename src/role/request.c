/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "role/request.h"
#include "wire/client_header.h"

/* Clocks and starts of the two ends differ by less. */
#define EARLY_NS (500 * NS_PER_MS)

/* Ports below are those of the system's services. */
#define BACK_PORT_MIN 1024

/* What an IPv4 datagram can carry, and what it needs to be one of a test. */
#define DATAGRAM_MIN OPTIONS_UDP_LENGTH_MIN
#define DATAGRAM_MAX OPTIONS_UDP_LENGTH_MAX

enum direction
request_direction(const struct client_header *h)
{
	if (h->reverse)
		return DIRECTION_REVERSE;
	if (h->full_duplex)
		return DIRECTION_FULL_DUPLEX;
	/* A transfer id uses the same bit (protocol.md, section 6.12). */
	if (!h->dual || h->has_transfer_id)
		return DIRECTION_FORWARD;
	return h->run_now ? DIRECTION_DUAL : DIRECTION_TRADEOFF;
}

const char *
request_refusal(const struct client_header *h, const struct options *server)
{
	enum direction direction = request_direction(h);

	if (direction == DIRECTION_FORWARD)
		return NULL;
	if (h->reverse && h->full_duplex)
		return "refused: asks for -R and --full-duplex at once";
	if (server->no_reverse)
		return "refused: asks for traffic towards it, which "
		       "--no-reverse forbids";
	if (h->isochronous || h->periodic_burst)
		return "refused: asks for frames or bursts towards it, which "
		       "is not supported yet";
	if (server->protocol == PROTOCOL_TCP && h->trip_times &&
	    direction != DIRECTION_DUAL && direction != DIRECTION_TRADEOFF)
		return "refused: asks for trip times of TCP, which is not "
		       "supported yet";
	if (direction != DIRECTION_REVERSE &&
	    direction != DIRECTION_FULL_DUPLEX &&
	    h->listen_port < BACK_PORT_MIN)
		return "refused: asks for a connection back to a port below "
		       "1024";
	return NULL;
}

static void
request_length(struct options *o, const struct client_header *h)
{
	if (h->length_bytes == 0)
		return;
	o->length_given = true;
	o->length_bytes = h->length_bytes;
	if (o->protocol == PROTOCOL_TCP)
		return;
	if (o->length_bytes < DATAGRAM_MIN)
		o->length_bytes = DATAGRAM_MIN;
	if (o->length_bytes > DATAGRAM_MAX)
		o->length_bytes = DATAGRAM_MAX;
}

static void
request_rate(struct options *o, const struct client_header *h)
{
	o->rate.stddev = 0;
	o->rate.per_packet = false;
	o->rate.mean =
	    h->rate_bps > INT64_MAX ? INT64_MAX : (int64_t)h->rate_bps;
	o->ipg_ns = -1;
	if (o->protocol == PROTOCOL_UDP && !h->has_extension)
		o->rate.mean = h->window_or_bps > 0 ? h->window_or_bps
						    : OPTIONS_UDP_RATE_BPS;
	if (h->rate_bps == CLIENT_HEADER_RATE_MAX_BPS)
		o->rate.mean = 0;
	if (o->protocol == PROTOCOL_UDP && h->rate_is_pps)
		o->rate.per_packet = true;
}

void
request_options(struct options *o, const struct options *server,
    const struct client_header *h)
{
	*o = *server;
	o->direction = request_direction(h);
	o->amount_bytes = h->amount_bytes;
	o->duration_ns = h->amount_bytes >= 0 ? -1 : h->duration_ns;
	request_length(o, h);
	request_rate(o, h);
	o->tos = request_tos(h, server);
	o->fq_rate_bps = -1;
	if (h->has_fq_rate && h->fq_rate_Bps <= INT64_MAX / 8)
		o->fq_rate_bps = (int64_t)h->fq_rate_Bps * 8;
	o->write_prefetch_bytes =
	    h->has_write_prefetch ? (int64_t)h->write_prefetch_bytes : -1;
	/* Text of a stranger: the kernel knows which names it permits. */
	if (server->congestion[0] == '\0')
		strlcpy(o->congestion, h->congestion, sizeof(o->congestion));
	o->input_path[0] = '\0';
	o->economy = false;
}

int
request_tos(const struct client_header *h, const struct options *server)
{
	if (server->tos_override >= 0)
		return server->tos_override;
	return server->tos < 0 && h->tos != 0 ? h->tos : server->tos;
}

bool
request_ended_early(const struct client_header *h, int64_t start_ns)
{
	return h->amount_bytes < 0 &&
	       clock_now_ns() <
		   start_ns + h->duration_ns - h->duration_ns / 10 - EARLY_NS;
}

int64_t
request_start_ns(const struct client_header *h)
{
	int64_t ahead_ns;

	if (!h->has_txstart)
		return clock_now_ns();
	ahead_ns = stamp_to_ns(h->start) - clock_wall_ns();
	if (ahead_ns < 0 || ahead_ns > REQUEST_AHEAD_MAX_NS)
		ahead_ns = 0;
	return clock_now_ns() + ahead_ns;
}
