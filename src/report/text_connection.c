/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * Connection lines. Parsers read them from the left, so whatever is optional
 * follows the two addresses, in a fixed order.
 */

#include <inttypes.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/address.h"
#include "report/fact.h"
#include "report/row.h"
#include "report/text.h"

/* Trip times make the lines of a server enhanced ones. */
static bool
is_enhanced(const struct text_state *st, const struct connection_fact *f)
{
	return st->options->enhanced || (f->is_server && f->trip_times);
}

static void
write_ends(struct text_state *st, const struct connection_fact *f)
{
	bool device = is_enhanced(st, f) && f->device[0] != '\0';
	char local[ADDRESS_TEXT_MAX];
	char peer[ADDRESS_TEXT_MAX];

	address_print(local, sizeof(local), &f->local, st->options);
	address_print(peer, sizeof(peer), &f->peer, st->options);
	if (f->is_dropped)
		fputs("[drop] ", st->out);
	else
		text_id(st, f->id, f->is_back);
	fprintf(st->out, "local %s%s%s port %u %s with %s port %u", local,
	    device ? "%" : "", device ? f->device : "",
	    (unsigned)address_port_of(&f->local),
	    f->is_dropped ? "connection" : "connected", peer,
	    (unsigned)address_port_of(&f->peer));
}

/* What was asked of the socket. */
static void
write_socket_options(FILE *out, const struct connection_fact *f)
{
	if (f->clamp_bytes > 0)
		fprintf(out, " (clamp=%" PRId64 ")", f->clamp_bytes);
	if (f->prefetch_bytes > 0)
		fprintf(out, " (prefetch=%" PRId64 ")", f->prefetch_bytes);
}

/* What the test is like; parsers look for these with and without -e. */
static void
write_nature(FILE *out, const struct connection_fact *f, bool enhanced)
{
	if (f->reverse)
		fputs(" (reverse)", out);
	if (f->full_duplex)
		fputs(" (full-duplex)", out);
	if (enhanced && f->txstart)
		fputs(" (epoch-start)", out);
	if (f->no_udp_fin)
		fputs(" (no-udp-fin)", out);
	if (f->trip_times)
		fputs(" (trip-times)", out);
}

static void
write_tos_byte(FILE *out, const char *before, int tos)
{
	fprintf(out, "%s0x%x,dscp=%d,ecn=%d", before, (unsigned)tos, tos >> 2,
	    tos & 3);
}

/*
 * The type of service of the data that this end receives, as it came, and of
 * what it sends. A client does not learn the former.
 */
static void
write_tos(FILE *out, const struct connection_fact *f)
{
	bool is_sender = f->is_back || f->is_server == f->reverse;
	int rx = f->full_duplex || !is_sender ? f->tos_received : -1;
	int tx = f->full_duplex || is_sender ? f->tos_sent : -1;

	if (rx <= 0 && tx <= 0)
		return;
	if (rx >= 0 && tx >= 0) {
		write_tos_byte(out, " (tos rx/tx=", rx);
		write_tos_byte(out, "/", tx);
	} else {
		write_tos_byte(out,
		    rx > 0 ? " (tos rx=" : " (tos tx=", rx > 0 ? rx : tx);
	}
	fputc(')', out);
}

/* What was asked of the connection. */
static void
write_treatment(FILE *out, const struct connection_fact *f)
{
	if (f->congestion[0] != '\0')
		fprintf(out, " (%s)", f->congestion);
	write_tos(out, f);
}

/* What was learned from the peer and the kernel. */
static void
write_findings(FILE *out, const struct connection_fact *f)
{
	if (f->peer_version[0] != '\0')
		fprintf(out, " (peer %s)", f->peer_version);
	if (f->quickack)
		fputs(" (qack)", out);
	if (f->initial_cwnd_bytes >= 0 && f->mss_bytes >= 0 &&
	    f->initial_rtt_us >= 0)
		fprintf(out, " (icwnd/mss/irtt=%d/%d/%d)",
		    f->initial_cwnd_bytes / 1024, f->mss_bytes,
		    f->initial_rtt_us);
}

/* Whole seconds without -e, as parsers of the plain form expect. */
static void
write_date(struct text_state *st, int64_t wall_ns, bool enhanced)
{
	char date[64];
	char zone[16] = "GMT";
	struct tm tm;

	row_break_down_time(&tm, wall_ns, st->options);
	if (strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return;
	if (!st->options->utc && strftime(zone, sizeof(zone), "%Z", &tm) == 0)
		zone[0] = '\0';
	fprintf(st->out, " on %s", date);
	if (enhanced)
		fprintf(st->out, ".%03d",
		    (int)(wall_ns % NS_PER_S / NS_PER_MS));
	fprintf(st->out, " (%s)", zone);
}

void
text_connection(struct text_state *st, const struct connection_fact *f)
{
	const struct options *options = st->options;
	bool enhanced = is_enhanced(st, f);
	bool timed = enhanced || options->connect_only >= 0;

	write_ends(st, f);
	if (enhanced)
		write_socket_options(st->out, f);
	write_nature(st->out, f, enhanced);
	if (enhanced) {
		write_treatment(st->out, f);
		write_findings(st->out, f);
	}
	if (timed && !f->is_server && f->connect_ns >= 0)
		fprintf(st->out, " (ct=%4.2f ms)",
		    (double)f->connect_ns / NS_PER_MS);
	if (timed)
		write_date(st, f->wall_ns, enhanced);
	if (f->transfer_id != 0 && f->transfer_id != f->id)
		fprintf(st->out, " (transfer id %d)", f->transfer_id);
	if (f->is_dropped)
		fputs(" (permit key fail)", st->out);
	fputc('\n', st->out);
	if (options->print_mss && f->mss_bytes >= 0 && !f->is_dropped) {
		text_id(st, f->id, false);
		fprintf(st->out, "MSS size %d bytes\n", f->mss_bytes);
	}
}
