/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * Banners. Each function writes one line if it applies; text_settings()
 * lists them in the order that users and parsers know.
 */

#include <ctype.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/address.h"
#include "report/fact.h"
#include "report/text.h"

#define RULE "------------------------------------------------------------\n"

static const char *
name_protocol(const struct options *options)
{
	return options->protocol == PROTOCOL_UDP ? "UDP" : "TCP";
}

static void
write_client(struct text_state *st, const struct settings_fact *f)
{
	const struct options *options = st->options;
	const struct endpoint *server = &options->server;

	fprintf(st->out, "Client connecting to %s, %s port %u",
	    options->hide_ips ? ADDRESS_HIDDEN : server->host,
	    name_protocol(options), (unsigned)f->port_first);
	if (options->enhanced || server->device[0] != '\0')
		fprintf(st->out, " with pid %jd", (intmax_t)f->pid);
	if (server->device[0] != '\0')
		fprintf(st->out, " via %s", server->device);
	/* The second number counts streams of background load. */
	if (options->enhanced || server->device[0] != '\0')
		fprintf(st->out, " (%d/0 flows/load)", f->streams);
	fputc('\n', st->out);
}

static void
write_loopback(struct text_state *st, const struct settings_fact *f)
{
	char address[ADDRESS_TEXT_MAX];

	address_print_host(address, sizeof(address), f->loopback_address,
	    st->options);
	fprintf(st->out,
	    "Loopback test: client and server in this process, "
	    "%s %s port %u\n",
	    address, name_protocol(st->options), (unsigned)f->port_first);
}

static void
write_server(struct text_state *st, const struct settings_fact *f)
{
	const struct options *options = st->options;
	bool several = f->port_first != f->port_last;

	fprintf(st->out, "Server listening on %s", name_protocol(options));
	if (options->enhanced && options->family == FAMILY_V6)
		fputs(" (v6)", st->out);
	if (several)
		fprintf(st->out, " ports %u-%u", (unsigned)f->port_first,
		    (unsigned)f->port_last);
	else
		fprintf(st->out, " port %u", (unsigned)f->port_first);
	if (several || options->enhanced)
		fprintf(st->out, " with pid %jd", (intmax_t)f->pid);
	fputc('\n', st->out);
}

static void
write_binding(struct text_state *st)
{
	const struct endpoint *bind = &st->options->bind;
	char address[OPTIONS_HOST_MAX];

	if (!st->options->enhanced || bind->host[0] == '\0' ||
	    st->options->multicast)
		return;
	address_print_host(address, sizeof(address), bind->host, st->options);
	fprintf(st->out, "Binding to local address %s", address);
	if (bind->device[0] != '\0')
		fprintf(st->out, " and iface %s", bind->device);
	fputc('\n', st->out);
}

/* "(*,G)" is a group from any source, "(S,G)" one from a single source. */
static void
write_multicast(struct text_state *st)
{
	const struct options *options = st->options;
	const struct endpoint *group = &options->bind;
	const struct endpoint *source = &options->ssm_source;
	char group_text[OPTIONS_HOST_MAX];
	char source_text[OPTIONS_HOST_MAX];

	if (!options->multicast || options->exclude & EXCLUDE_MULTICAST)
		return;
	address_print_host(group_text, sizeof(group_text), group->host,
	    options);
	if (source->host[0] != '\0') {
		address_print_host(source_text, sizeof(source_text),
		    source->host, options);
		fprintf(st->out, "Joining multicast (S,G)=%s,%s", source_text,
		    group_text);
	} else if (group->device[0] != '\0') {
		fprintf(st->out, "Joining multicast (*,G)=*,%s", group_text);
	} else {
		fprintf(st->out, "Joining multicast group  %s", group_text);
	}
	if (group->device[0] != '\0')
		fprintf(st->out, " w/iface %s", group->device);
	fputc('\n', st->out);
}

static void
write_write_size(struct text_state *st, const struct settings_fact *f)
{
	char size[UNITS_TEXT_MAX];

	if (!st->options->enhanced || st->options->protocol == PROTOCOL_UDP)
		return;
	units_format_amount(size, sizeof(size),
	    (double)st->options->length_bytes, 'B');
	fprintf(st->out, "Write buffer size: %s", size);
	if (f->adaptive)
		fprintf(st->out, " (up to %" PRId64 " Byte a call)",
		    f->call_bytes);
	fputc('\n', st->out);
}

static void
write_read_size(struct text_state *st)
{
	const struct options *options = st->options;
	char letter = units_bytes_letter(options->format);
	double bytes = (double)options->length_bytes;
	char size[UNITS_TEXT_MAX];
	char bin[UNITS_TEXT_MAX];

	if (!options->enhanced)
		return;
	if (options->protocol == PROTOCOL_UDP) {
		units_format_amount(size, sizeof(size), bytes, 'B');
		fprintf(st->out, "Read buffer size: %s\n", size);
		return;
	}
	units_format_amount(size, sizeof(size), bytes, letter);
	units_format_amount(bin, sizeof(bin), bytes / TALLY_READ_BINS, letter);
	fprintf(st->out, "Read buffer size: %s (Dist bin width=%s)%s\n", size,
	    bin, options->skip_rx_copy ? " (skip-rx-copy)" : "");
}

static void
write_pacing(struct text_state *st)
{
	char rate[UNITS_TEXT_MAX];

	if (st->options->fq_rate_bps <= 0)
		return;
	units_format_amount(rate, sizeof(rate),
	    (double)st->options->fq_rate_bps / 8, 'a');
	fprintf(st->out, "fair-queue socket pacing set to %s/s\n", rate);
}

/* -m has no line here: the MSS is known once there is a connection. */
static void
write_mss(struct text_state *st)
{
	if (st->options->mss_bytes > 0)
		fprintf(st->out, "MSS req size %d bytes (per TCP_MAXSEG)\n",
		    st->options->mss_bytes);
}

static void
write_congestion(struct text_state *st, const struct settings_fact *f)
{
	bool is_server = f->role == SETTINGS_SERVER;
	const char *subject = is_server ? "TCP congestion control default"
					: "TCP congestion control";
	const char *asked = st->options->congestion;
	bool known = f->congestion[0] != '\0';

	if (asked[0] != '\0') {
		fprintf(st->out, "%s set to %s", subject, asked);
		if (known)
			fprintf(st->out, " using %s", f->congestion);
		fputc('\n', st->out);
	} else if (known && st->options->enhanced) {
		fprintf(st->out, "%s %s%s\n", subject,
		    is_server ? "" : "using ", f->congestion);
	}
}

/* "0x28 (dscp=10,ecn=0)" */
static void
write_tos_byte(FILE *out, int tos)
{
	unsigned byte = (unsigned)tos & 0xff;

	fprintf(out, "0x%x (dscp=%u,ecn=%u)", byte, byte >> 2, byte & 3);
}

static void
write_client_tos(struct text_state *st)
{
	const struct options *options = st->options;

	if (!options->enhanced)
		return;
	fputs(options->tos >= 0 ? "TOS set to " : "TOS defaults to ", st->out);
	write_tos_byte(st->out, options->tos >= 0 ? options->tos : 0);
	fputs(options->nodelay ? " and nodelay (Nagle off)\n" : " (Nagle on)\n",
	    st->out);
}

static void
write_reflected_tos(struct text_state *st)
{
	if (st->options->tos_override < 0)
		return;
	fputs("Reflected TOS will be set to ", st->out);
	write_tos_byte(st->out, st->options->tos_override);
	fputc('\n', st->out);
}

static void
write_server_tos(struct text_state *st)
{
	if (st->options->tos < 0)
		return;
	fputs("TOS will be set to ", st->out);
	write_tos_byte(st->out, st->options->tos);
	fputc('\n', st->out);
}

/* The rate is that of a stream, which surprises users of other tools. */
static void
write_total_rate(struct text_state *st, const struct settings_fact *f)
{
	const struct options *options = st->options;
	char one[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	double bytes_per_s;

	if (f->streams < 2 || f->ipg_ns <= 0)
		return;
	bytes_per_s = (double)options->length_bytes * NS_PER_S / f->ipg_ns;
	units_format_amount(one, sizeof(one), bytes_per_s, options->format);
	units_format_amount(all, sizeof(all), bytes_per_s * f->streams,
	    options->format);
	fprintf(st->out, "%d streams x %ss/sec = %ss/sec\n", f->streams, one,
	    all);
}

static void
write_datagrams(struct text_state *st, const struct settings_fact *f)
{
	const struct options *options = st->options;

	if (options->protocol != PROTOCOL_UDP)
		return;
	fprintf(st->out,
	    "Sending %" PRId64 " byte datagrams, IPG target: %.2f us (%s%s)\n",
	    options->length_bytes, f->ipg_ns / NS_PER_US,
	    f->ipg_ns > 0 ? "kalman adjust" : "no limit",
	    options->economy ? ", economy" : "");
	write_total_rate(st, f);
}

static void
write_histograms(struct text_state *st)
{
	const struct histogram_option *h = &st->options->histogram;
	int64_t jitter_width_ns = st->options->jitter_width_ns;

	if (h->width_ns > 0)
		fprintf(st->out,
		    "Enabled receive histograms bin-width=%.3f ms, bins=%d "
		    "(clients should use --trip-times)\n",
		    (double)h->width_ns / NS_PER_MS, h->bins);
	if (jitter_width_ns > 0)
		fprintf(st->out,
		    "Enabled jitter histograms (bin-width=%" PRId64 " us)\n",
		    jitter_width_ns / NS_PER_US);
}

static void
write_single_client(struct text_state *st)
{
	if (st->options->single_client)
		fputs("Server set to single client traffic mode "
		      "(serialize traffic tests)\n",
		    st->out);
}

/*
 * Linux answers twice what was asked for, to count its own overhead; the
 * warning then tells the user which figure is which.
 */
static void
write_window(struct text_state *st, const struct settings_fact *f)
{
	const struct options *options = st->options;
	int64_t asked_bytes = options->window_bytes;
	bool plain = tolower((unsigned char)options->format) == 'b';
	char actual[UNITS_TEXT_MAX];
	char asked[UNITS_TEXT_MAX];

	if (f->window_bytes < 0)
		return;
	units_format_amount(actual, sizeof(actual), (double)f->window_bytes,
	    plain ? 'B' : 'A');
	fprintf(st->out, "%s: %s",
	    options->protocol == PROTOCOL_UDP ? "UDP buffer size"
					      : "TCP window size",
	    actual);
	if (asked_bytes <= 0) {
		fputs(" (default)\n", st->out);
	} else if (asked_bytes == f->window_bytes) {
		fputc('\n', st->out);
	} else {
		units_format_amount(asked, sizeof(asked), (double)asked_bytes,
		    units_bytes_letter(options->format));
		fprintf(st->out, " (WARNING: requested %s)\n", asked);
	}
}

static void
write_prefetch(struct text_state *st)
{
	if (st->options->write_prefetch_bytes > 0)
		fprintf(st->out,
		    "Event based writes (pending queue watermark at %" PRId64
		    " bytes)\n",
		    st->options->write_prefetch_bytes);
}

static void
write_permit_key(struct text_state *st)
{
	const struct options *options = st->options;

	if (options->permit_key[0] == '\0')
		return;
	fputs("Permit key is '", st->out);
	text_key(st->out, options->permit_key);
	if (options->permit_life_ns > 0)
		fprintf(st->out, "' (timeout in %.1f seconds)\n",
		    (double)options->permit_life_ns / NS_PER_S);
	else
		fputs("' (WARN: no timeout)\n", st->out);
}

static void
write_client_banner(struct text_state *st, const struct settings_fact *f)
{
	if (f->role == SETTINGS_LOOPBACK)
		write_loopback(st, f);
	else
		write_client(st, f);
	write_write_size(st, f);
	write_pacing(st);
	write_mss(st);
	write_congestion(st, f);
	write_client_tos(st);
	write_datagrams(st, f);
	if (st->options->connect_only >= 0) {
		fputs("TCP three-way-handshake (3WHS) only\n", st->out);
		return;
	}
	write_window(st, f);
	write_prefetch(st);
}

static void
write_server_banner(struct text_state *st, const struct settings_fact *f)
{
	write_server(st, f);
	write_binding(st);
	write_multicast(st);
	write_read_size(st);
	write_congestion(st, f);
	write_reflected_tos(st);
	write_mss(st);
	write_server_tos(st);
	write_single_client(st);
	write_histograms(st);
	write_window(st, f);
	write_permit_key(st);
}

void
text_settings(struct text_state *st, const struct settings_fact *f)
{
	/* A server connects back, a client listens, as the other end says. */
	struct text_state own = {.out = st->out, .options = f->options};

	fputs(RULE, st->out);
	switch (f->role) {
	case SETTINGS_SERVER:
		write_server_banner(&own, f);
		break;
	case SETTINGS_CLIENT:
	case SETTINGS_LOOPBACK:
		write_client_banner(&own, f);
		break;
	}
	fputs(RULE, st->out);
}
