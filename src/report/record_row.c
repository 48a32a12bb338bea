/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* Rows of figures, of streams and of sums. */

#include <stddef.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "report/fields.h"
#include "report/record.h"
#include "report/row.h"

struct kind_info {
	const char *protocol;
	const char *direction;
	void (*add)(json_t *, const struct row_fact *);
};

static void
add_seconds_of_us(json_t *j, const char *key, int64_t us)
{
	fields_known_seconds(j, key, us >= 0 ? us * NS_PER_US : -1);
}

/* What the kernel said at the end of the row. */
static void
add_tcp_info(json_t *j, const struct tcp_sample *s)
{
	json_t *o = fields_object();

	add_seconds_of_us(o, "rtt_seconds", s->rtt_us);
	add_seconds_of_us(o, "rttvar_seconds", s->rttvar_us);
	add_seconds_of_us(o, "min_rtt_seconds", s->min_rtt_us);
	fields_count(o, "cwnd_packets", s->cwnd_packets);
	fields_count(o, "cwnd_bytes", tcp_sample_cwnd_bytes(s));
	fields_count(o, "mss_bytes", s->mss_bytes);
	fields_count(o, "in_flight_packets", s->in_flight_packets);
	fields_count(o, "retransmits", s->retransmits);
	fields_known(o, "delivery_bits_per_second",
	    s->delivery_bytes_per_s >= 0 ? s->delivery_bytes_per_s * 8 : -1);
	add_seconds_of_us(o, "busy_seconds", s->busy_us);
	add_seconds_of_us(o, "rwnd_limited_seconds", s->rwnd_limited_us);
	add_seconds_of_us(o, "sndbuf_limited_seconds", s->sndbuf_limited_us);
	fields_add(j, "tcp_info", o);
}

static void
add_tcp_send(json_t *j, const struct row_fact *row)
{
	fields_count(j, "writes", row->tally->calls);
	fields_count(j, "write_errors", row->tally->errors);
	fields_count(j, "retransmits", row->tally->retransmits);
}

static void
add_tcp_recv(json_t *j, const struct row_fact *row)
{
	json_t *bins = json_array();
	size_t i;

	fields_count(j, "reads", row->tally->calls);
	for (i = 0; i < TALLY_READ_BINS; i++)
		json_array_append_new(bins,
		    json_integer((json_int_t)row->tally->read_bins[i]));
	fields_add(j, "read_size_bins", bins);
}

static void
add_udp_both(json_t *j, const struct row_fact *row)
{
	fields_count(j, "packets", row->tally->datagrams);
	fields_real(j, "packets_per_second", row_pps(row));
}

static void
add_udp_send(json_t *j, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	add_udp_both(j, row);
	fields_count(j, "write_errors", t->errors);
	fields_count(j, "coalesced_packets", t->coalesced);
	fields_seconds(j, "forgiven_seconds", (double)t->forgiven_ns);
	fields_seconds(j, "socket_full_seconds", (double)t->full_ns);
	fields_seconds(j, "no_buffers_seconds", (double)t->starved_ns);
	fields_seconds(j, "held_seconds", (double)t->held_ns);
	fields_seconds(j, "paused_seconds", (double)t->paused_ns);
}

static void
add_delay(json_t *j, const struct moments *m)
{
	json_t *o;

	if (m->count == 0) {
		fields_null(j, "one_way_delay");
		return;
	}
	o = fields_object();
	fields_count(o, "count", m->count);
	fields_seconds(o, "mean_seconds", m->mean);
	fields_seconds(o, "min_seconds", m->min);
	fields_seconds(o, "max_seconds", m->max);
	fields_seconds(o, "stddev_seconds", moments_stddev(m));
	fields_add(j, "one_way_delay", o);
}

/* Only bins with something in them, numbered from 1. */
static json_t *
bins_of(const struct histogram *h)
{
	json_t *bins = json_array(), *bin;
	uint32_t i;

	for (i = 0; i < h->shape.bins; i++) {
		if (h->bin[i] == 0)
			continue;
		bin = fields_object();
		fields_count(bin, "bin", i + 1);
		fields_count(bin, "count", h->bin[i]);
		json_array_append_new(bins, bin);
	}
	return bins;
}

static void
add_histogram(json_t *j, const char *key, const struct histogram *h)
{
	json_t *o;

	if (h == NULL)
		return;
	o = fields_object();
	fields_seconds(o, "bin_seconds", (double)h->shape.width_ns);
	fields_count(o, "count", h->count);
	fields_count(o, "below", h->below);
	fields_count(o, "above", h->above);
	fields_add(o, "bins", bins_of(h));
	fields_real(o, "lower_percent", h->shape.lower_percent);
	fields_count(o, "lower_bin",
	    histogram_percentile(h, h->shape.lower_percent));
	fields_real(o, "upper_percent", h->shape.upper_percent);
	fields_count(o, "upper_bin",
	    histogram_percentile(h, h->shape.upper_percent));
	fields_count(o, "outliers", histogram_outliers(h));
	if (h->count > 0) {
		fields_seconds(o, "max_seconds", (double)h->max_ns);
		fields_time(o, "max_time", h->max_wall_ns);
	}
	fields_add(j, key, o);
}

static void
add_udp_recv(json_t *j, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	add_udp_both(j, row);
	fields_count(j, "total_packets", t->advanced);
	fields_count(j, "lost_packets", tally_lost(t));
	fields_real(j, "lost_percent", row_lost_percent(row));
	fields_count(j, "out_of_order_packets", row_out_of_order(row));
	fields_count(j, "duplicate_packets", t->duplicates);
	fields_count(j, "queue_dropped_packets", t->queue_drops);
	fields_count(j, "odd_size_packets", t->odd_sizes);
	if (t->has_jitter && !row->sum)
		fields_seconds(j, "jitter_seconds", t->jitter_ns);
	else
		fields_null(j, "jitter_seconds");
	if (row->has_delays)
		add_delay(j, &t->delay);
	else
		fields_null(j, "one_way_delay");
	add_histogram(j, "delay_histogram", t->delay_bins);
	add_histogram(j, "jitter_histogram", t->jitter_bins);
}

/* What all rows have is all there is. */
static void
add_nothing(json_t *j, const struct row_fact *row)
{
	(void)j;
	(void)row;
}

static const struct kind_info kinds[] = {
    [ROW_TCP_SEND] = {"tcp", "send", add_tcp_send},
    [ROW_TCP_RECV] = {"tcp", "receive", add_tcp_recv},
    [ROW_UDP_SEND] = {"udp", "send", add_udp_send},
    [ROW_UDP_RECV] = {"udp", "receive", add_udp_recv},
    [ROW_TCP_BOTH] = {"tcp", "both", add_nothing},
    [ROW_UDP_BOTH] = {"udp", "both", add_udp_both},
};

void
record_row(json_t *j, const struct row_fact *row)
{
	const struct kind_info *kind = &kinds[row->kind];

	fields_known(j, "test", row->test > 0 ? row->test : -1);
	fields_text(j, "scope", row->sum ? "sum" : "stream");
	fields_known(j, "stream", row->sum ? -1 : row->id);
	fields_count(j, "streams", (uint64_t)row->streams);
	fields_text(j, "protocol", kind->protocol);
	fields_text(j, "direction", kind->direction);
	fields_flag(j, "reversed", row->reversed);
	fields_flag(j, "two_way", row->two_way);
	fields_flag(j, "reported_by_peer", row->server_report);
	fields_seconds(j, "start_seconds", (double)row->start_ns);
	fields_seconds(j, "end_seconds", (double)row->end_ns);
	fields_time(j, "time", row->wall_ns);
	fields_count(j, "bytes", row->tally->bytes);
	fields_real(j, "bits_per_second", row_rate(row) * 8);
	kind->add(j, row);
	if (row->tcp != NULL)
		add_tcp_info(j, row->tcp);
}
