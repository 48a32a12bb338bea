/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* Settings of a run, and its connections. */

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/address.h"
#include "report/fields.h"
#include "report/record.h"

static const char *const direction_names[] = {
    [DIRECTION_FORWARD] = "forward",
    [DIRECTION_REVERSE] = "reverse",
    [DIRECTION_FULL_DUPLEX] = "full-duplex",
    [DIRECTION_DUAL] = "dual",
    [DIRECTION_TRADEOFF] = "tradeoff",
};

static const char *const family_names[] = {
    [FAMILY_ANY] = "any",
    [FAMILY_V4] = "ipv4",
    [FAMILY_V6] = "ipv6",
};

/* An endpoint as it was typed; null if it was not. */
static void
add_endpoint(json_t *parent, const char *key, const struct endpoint *e,
    const struct options *o)
{
	char host[OPTIONS_HOST_MAX];
	json_t *end;

	if (e->host[0] == '\0' && e->device[0] == '\0' && e->port == 0) {
		fields_null(parent, key);
		return;
	}
	end = fields_object();
	address_print_host(host, sizeof(host), e->host, o);
	fields_text(end, "host", e->host[0] == '\0' ? "" : host);
	fields_text(end, "device", e->device);
	fields_known(end, "port", e->port > 0 ? e->port : -1);
	fields_add(parent, key, end);
}

static void
add_ports(json_t *parent, const char *key, uint16_t first, uint16_t last)
{
	json_t *o = fields_object();

	fields_count(o, "first", first);
	fields_count(o, "last", last);
	fields_add(parent, key, o);
}

/* The rate of a stream: one of the two is known, or it has no limit. */
static void
add_rate(json_t *parent, const struct options *o)
{
	const struct target_rate *r = &o->rate;
	json_t *rate = fields_object();

	fields_known(rate, "bits_per_second",
	    r->mean > 0 && !r->per_packet ? r->mean : -1);
	fields_known(rate, "stddev_bits_per_second",
	    r->mean > 0 && !r->per_packet ? r->stddev : -1);
	fields_known(rate, "packets_per_second",
	    r->mean > 0 && r->per_packet ? r->mean : -1);
	fields_add(parent, "target_rate", rate);
}

/* A size of which the system may make another. */
static void
add_asked(json_t *parent, const char *key, int64_t asked, int64_t got)
{
	json_t *o = fields_object();

	fields_known(o, "requested_bytes", asked);
	fields_known(o, "actual_bytes", got);
	fields_add(parent, key, o);
}

static void
add_congestion(json_t *parent, const struct settings_fact *f)
{
	json_t *o = fields_object();

	fields_text(o, "requested", f->options->congestion);
	fields_text(o, "actual", f->congestion);
	fields_add(parent, "congestion_control", o);
}

static void
add_ends(json_t *j, const struct settings_fact *f)
{
	static const char *const roles[] = {
	    [SETTINGS_CLIENT] = "client",
	    [SETTINGS_SERVER] = "server",
	    [SETTINGS_LOOPBACK] = "loopback",
	};
	const struct options *o = f->options;

	fields_text(j, "role", roles[f->role]);
	fields_text(j, "protocol", o->protocol == PROTOCOL_UDP ? "udp" : "tcp");
	fields_text(j, "family", family_names[o->family]);
	fields_text(j, "direction", direction_names[o->direction]);
	fields_count(j, "pid", (uint64_t)f->pid);
	add_endpoint(j, "server", &o->server, o);
	add_endpoint(j, "bind", &o->bind, o);
	add_endpoint(j, "ssm_source", &o->ssm_source, o);
	fields_flag(j, "multicast", o->multicast);
	add_ports(j, "ports", f->port_first, f->port_last);
	add_ports(j, "listen_ports", o->listen_ports.first,
	    o->listen_ports.last);
	fields_count(j, "parallel", (uint64_t)o->parallel);
	fields_flag(j, "incr_dstip", o->incr_dstip);
	fields_flag(j, "incr_dstport", o->incr_dstport);
	fields_flag(j, "incr_srcip", o->incr_srcip);
	fields_flag(j, "incr_srcport", o->incr_srcport);
	fields_flag(j, "compatibility", o->compat);
}

static void
add_amounts(json_t *j, const struct settings_fact *f)
{
	const struct options *o = f->options;

	fields_known_seconds(j, "duration_seconds",
	    o->duration_ns > 0 ? o->duration_ns : -1);
	fields_known(j, "amount_bytes", o->amount_bytes);
	fields_text(j, "input_path", o->input_path);
	fields_count(j, "length_bytes", (uint64_t)o->length_bytes);
	fields_known(j, "call_bytes", f->call_bytes > 0 ? f->call_bytes : -1);
	fields_flag(j, "adaptive_calls", f->adaptive);
	add_rate(j, o);
	fields_known_seconds(j, "ipg_seconds", o->ipg_ns);
	if (f->ipg_ns > 0)
		fields_seconds(j, "target_gap_seconds", f->ipg_ns);
	else
		fields_null(j, "target_gap_seconds");
	fields_flag(j, "economy", o->economy);
	fields_flag(j, "no_udp_fin", o->no_udp_fin);
	fields_known(j, "fq_rate_bits_per_second", o->fq_rate_bps);
}

static void
add_socket(json_t *j, const struct settings_fact *f)
{
	const struct options *o = f->options;

	add_asked(j, "buffer", o->window_bytes, f->window_bytes);
	fields_known(j, "mss_requested_bytes", o->mss_bytes);
	add_congestion(j, f);
	fields_known(j, "tos", o->tos);
	fields_known(j, "tos_override", o->tos_override);
	fields_known(j, "ttl", o->ttl);
	fields_flag(j, "nodelay", o->nodelay);
	fields_flag(j, "quickack", o->quickack);
	fields_flag(j, "realtime", o->realtime);
	fields_flag(j, "skip_rx_copy", o->skip_rx_copy);
	fields_flag(j, "local_only", o->local_only);
	fields_known(j, "write_prefetch_bytes", o->write_prefetch_bytes);
	fields_known(j, "rx_window_clamp_bytes", o->rx_window_clamp_bytes);
}

static void
add_start(json_t *j, const struct options *o)
{
	fields_flag(j, "connect_sync", o->connect_sync);
	fields_flag(j, "peer_detect", o->peer_detect);
	fields_flag(j, "sync_transfer_id", o->sync_transfer_id);
	fields_flag(j, "ignore_shutdown", o->ignore_shutdown);
	fields_text(j, "permit_key", o->permit_key);
	fields_known(j, "connect_only", o->connect_only);
	fields_count(j, "connect_retries", (uint64_t)o->connect_retries);
	fields_seconds(j, "connect_retry_seconds", (double)o->connect_retry_ns);
	fields_seconds(j, "connect_retry_interval_seconds",
	    (double)o->connect_retry_interval_ns);
	if (o->txstart_rt_ns >= 0)
		fields_time(j, "txstart_time", o->txstart_rt_ns);
	else
		fields_null(j, "txstart_time");
	fields_seconds(j, "txdelay_seconds", (double)o->txdelay_ns);
}

static void
add_server(json_t *j, const struct options *o)
{
	fields_flag(j, "single_client", o->single_client);
	fields_flag(j, "daemon", o->daemon);
	fields_flag(j, "no_reverse", o->no_reverse);
	fields_flag(j, "trust_udp_sources", o->trust_udp_sources);
	fields_seconds(j, "header_timeout_seconds",
	    o->header_timeout_ns > 0 ? (double)o->header_timeout_ns : 0);
	fields_known_seconds(j, "permit_life_seconds",
	    o->permit_key[0] != '\0' && o->permit_life_ns > 0
		? o->permit_life_ns
		: -1);
	fields_known(j, "max_flows", o->max_flows > 0 ? o->max_flows : -1);
	fields_known(j, "max_flows_per_host",
	    o->max_flows_per_host > 0 ? o->max_flows_per_host : -1);
}

static void
add_reports(json_t *j, const struct options *o)
{
	fields_seconds(j, "interval_seconds", (double)o->interval_ns);
	fields_flag(j, "trip_times", o->trip_times);
	fields_known_seconds(j, "histogram_bin_seconds", o->histogram.width_ns);
	fields_known_seconds(j, "jitter_histogram_bin_seconds",
	    o->jitter_width_ns);
	fields_flag(j, "sum_only", o->sum_only);
	fields_flag(j, "sum_dstip", o->sum_dstip);
	fields_flag(j, "hide_ips", o->hide_ips);
}

void
record_settings(json_t *j, const struct settings_fact *f)
{
	add_ends(j, f);
	add_amounts(j, f);
	add_socket(j, f);
	add_start(j, f->options);
	add_server(j, f->options);
	add_reports(j, f->options);
}

void
record_options(json_t *j, const struct options *o)
{
	struct settings_fact f = {
	    .options = o,
	    .port_first = o->ports.first,
	    .port_last = o->ports.last,
	    .pid = getpid(),
	    .streams = o->parallel,
	    .window_bytes = -1,
	    .mss_bytes = -1,
	};

	f.role = o->role == ROLE_SERVER	    ? SETTINGS_SERVER
		 : o->role == ROLE_LOOPBACK ? SETTINGS_LOOPBACK
					    : SETTINGS_CLIENT;
	record_settings(j, &f);
}

static void
add_address(json_t *parent, const char *key, const struct sockaddr_storage *ss,
    const struct options *options)
{
	char text[ADDRESS_TEXT_MAX];
	json_t *o = fields_object();

	address_print(text, sizeof(text), ss, options);
	fields_text(o, "address", text);
	fields_count(o, "port", address_port_of(ss));
	fields_add(parent, key, o);
}

void
record_connection(json_t *j, const struct connection_fact *f,
    const struct options *options)
{
	fields_known(j, "test", f->test > 0 ? f->test : -1);
	fields_count(j, "stream", (uint64_t)f->id);
	fields_known(j, "transfer_id",
	    f->transfer_id > 0 ? f->transfer_id : -1);
	fields_time(j, "time", f->wall_ns);
	add_address(j, "local", &f->local, options);
	add_address(j, "peer", &f->peer, options);
	fields_text(j, "device", f->device);
	fields_flag(j, "accepted", f->is_server);
	fields_flag(j, "reverse", f->reverse);
	fields_flag(j, "full_duplex", f->full_duplex);
	fields_flag(j, "refused", f->is_dropped);
	fields_flag(j, "called_back", f->is_back);
	fields_text(j, "peer_version", f->peer_version);
	fields_known(j, "mss_bytes", f->mss_bytes);
	fields_known(j, "initial_cwnd_bytes", f->initial_cwnd_bytes);
	fields_known_seconds(j, "initial_rtt_seconds",
	    f->initial_rtt_us >= 0 ? f->initial_rtt_us * NS_PER_US : -1);
	fields_known_seconds(j, "connect_seconds", f->connect_ns);
	fields_known(j, "tos_received", f->tos_received);
	fields_count(j, "tos_sent", (uint64_t)f->tos_sent);
	fields_text(j, "congestion_control", f->congestion);
	fields_flag(j, "trip_times", f->trip_times);
	fields_flag(j, "no_udp_fin", f->no_udp_fin);
	fields_flag(j, "txstart", f->txstart);
	fields_flag(j, "quickack", f->quickack);
	fields_known(j, "write_prefetch_bytes", f->prefetch_bytes);
	fields_known(j, "rx_window_clamp_bytes", f->clamp_bytes);
}
