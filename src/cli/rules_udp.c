/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/gap.h"
#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/endpoint.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/rules_udp.h"
#include "wire/client_header.h"

#define GAP_MAX_NS (60.0 * NS_PER_S)
#define MULTICAST_TTL 1
#define BITS_PER_BYTE 8
#define RATE_MAX_BPS ((int64_t)CLIENT_HEADER_RATE_MAX_BPS)

/* What a UDP test cannot do without being another test. */
static const enum option_id without_udp[] = {
    OPTION_CONNECT_ONLY,
    OPTION_CONNECT_RETRIES,
    OPTION_CONNECT_RETRY_TIME,
    OPTION_CONNECT_RETRY_TIMER,
    OPTION_PEER_DETECT,
    OPTION_PERMIT_KEY,
};

/* Meant for both protocols, but so far made for one. */
static const struct {
	enum option_id id;
	enum protocol missing;
} unfinished[] = {
    {OPTION_TRIP_TIMES, PROTOCOL_TCP},
    {OPTION_HISTOGRAMS, PROTOCOL_TCP},
};

static bool
refuse_unfinished(const struct options *o, const struct command_line *line)
{
	size_t i;

	for (i = 0; i < sizeof(unfinished) / sizeof(unfinished[0]); i++) {
		if (unfinished[i].missing != o->protocol ||
		    !is_given(line, unfinished[i].id))
			continue;
		log_warn("%s is not supported by this implementation with %s "
			 "yet",
		    line->given[unfinished[i].id].spelling,
		    o->protocol == PROTOCOL_UDP ? "UDP" : "TCP");
		return false;
	}
	return true;
}

static bool
refuse_without_udp(const struct command_line *line)
{
	const struct given *given;
	size_t i;

	for (i = 0; i < sizeof(without_udp) / sizeof(without_udp[0]); i++) {
		given = &line->given[without_udp[i]];
		if (given->order != 0 && !given->from_environment) {
			log_warn("%s cannot be used with %s", given->spelling,
			    line->given[OPTION_UDP].spelling);
			return false;
		}
	}
	return true;
}

/* An option of UDP without -u is a mistake, one of TCP with it is idle. */
static bool
check_option(struct options *o, struct command_line *line, enum option_id id)
{
	const struct given *given = &line->given[id];

	if (o->protocol == PROTOCOL_TCP && !given->from_environment) {
		log_warn("%s needs -u", given->spelling);
		return false;
	}
	if (!given->from_environment)
		remarks_warn(o->remarks, "%s has no effect with UDP",
		    given->spelling);
	parse_forget(line, o, id);
	return true;
}

/* What one end of a UDP test, unlike one of TCP, has no use for. */
static void
forget_idle(struct options *o, struct command_line *line)
{
	enum option_id id =
	    o->role == ROLE_SERVER ? OPTION_BANDWIDTH : OPTION_HISTOGRAMS;
	const struct given *given = &line->given[id];

	if (given->order == 0)
		return;
	if (!given->from_environment)
		remarks_warn(o->remarks, "%s has no effect on a UDP %s",
		    given->spelling,
		    o->role == ROLE_SERVER ? "server" : "client");
	parse_forget(line, o, id);
}

bool
rules_check_protocol(struct options *o, struct command_line *line)
{
	unsigned protocol = o->protocol == PROTOCOL_UDP ? WITH_UDP : WITH_TCP;
	const struct option_info *info;
	int id;

	if (!refuse_unfinished(o, line))
		return false;
	if (o->protocol == PROTOCOL_UDP) {
		if (!refuse_without_udp(line))
			return false;
		forget_idle(o, line);
	}
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (is_given(line, id) && info->state == STATE_BUILT &&
		    (info->protocol & protocol) == 0 &&
		    !check_option(o, line, id))
			return false;
	}
	return true;
}

/* A server takes datagrams of any size; a client must fill in a header. */
static bool
finish_length(struct options *o, const struct command_line *line)
{
	bool is_client = o->role != ROLE_SERVER;
	int min = is_client ? OPTIONS_UDP_LENGTH_MIN : 1;

	if (!o->length_given) {
		o->length_bytes = is_client && o->family == FAMILY_V6
				      ? OPTIONS_UDP_V6_LENGTH
				      : OPTIONS_UDP_LENGTH;
		return true;
	}
	/* The bytes of a file come behind those of the datagram itself. */
	if (is_client && o->input_path[0] != '\0')
		min++;
	if (o->length_bytes >= min && o->length_bytes <= OPTIONS_UDP_LENGTH_MAX)
		return true;
	log_warn("bad value '%lld' for %s: out of range (%d to %d) with UDP",
	    (long long)o->length_bytes, line->given[OPTION_LEN].spelling, min,
	    OPTIONS_UDP_LENGTH_MAX);
	return false;
}

static bool
finish_rate(struct options *o)
{
	double gap;

	if (o->role == ROLE_SERVER)
		return true;
	if (o->rate.mean < 0 && o->ipg_ns < 0)
		o->rate.mean = OPTIONS_UDP_RATE_BPS;
	/* In bits/s it has to fit into the test header. */
	if (o->rate.per_packet &&
	    o->rate.mean > RATE_MAX_BPS / BITS_PER_BYTE / o->length_bytes) {
		log_warn("rate too high: %lld packets of %lld bytes per second",
		    (long long)o->rate.mean, (long long)o->length_bytes);
		return false;
	}
	gap = gap_ns(o);
	if (gap <= GAP_MAX_NS)
		return true;
	log_warn("rate too low: the gap between packets would be %.10g s "
		 "(at most %.0f s)",
	    gap / NS_PER_S, GAP_MAX_NS / NS_PER_S);
	return false;
}

/* Nobody answers for a group, and it must not leave the network unasked. */
static void
finish_multicast(struct options *o)
{
	const struct endpoint *group =
	    o->role == ROLE_SERVER ? &o->bind : &o->server;

	o->multicast = endpoint_is_multicast(group);
	if (!o->multicast || o->role == ROLE_SERVER)
		return;
	o->no_udp_fin = true;
	if (o->ttl < 0)
		o->ttl = MULTICAST_TTL;
}

bool
rules_finish_udp(struct options *o, const struct command_line *line)
{
	if (o->protocol != PROTOCOL_UDP)
		return true;
	finish_multicast(o);
	return finish_length(o, line) && finish_rate(o);
}
