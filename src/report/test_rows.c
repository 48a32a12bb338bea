/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/options.h"
#include "report/address.h"
#include "report/row.h"
#include "report/test.h"
#include "report/test_rows.h"
#include "report/writer.h"

/*
 * DESIGN
 *
 * A row of several flows is the merge of theirs, over a span from the
 * earliest begin to the latest end among them. There is one for each
 * direction that has several streams. Where both directions are under way at
 * a time there is one more for all of them, and one for each stream that
 * carries both. A test of one direction has no other sum than its own.
 */

enum scope {
	SENT,
	RECEIVED,
	ALL,
	SCOPES
};

/* Figures of several flows. */
struct sum {
	const struct flow *first; /* one of the flows; NULL none yet */
	struct tally figures;
	int64_t from_ns;
	int64_t to_ns;
};

static bool
is_within(enum scope scope, const struct flow *f)
{
	return scope == ALL ||
	       (scope == RECEIVED) == row_kind_receives(f->kind);
}

/* How many streams; one that carries both directions counts once. */
static int
count_streams(const struct test *t, enum scope scope)
{
	const struct flow *f;
	int n = 0;

	for (f = t->flows; f != NULL; f = f->next)
		n += is_within(scope, f) && !(scope == ALL && f->is_second);
	return n;
}

static bool
is_two_way(const struct test *t)
{
	return count_streams(t, SENT) > 0 && count_streams(t, RECEIVED) > 0;
}

static bool
has_sum(const struct test *t, const struct options *options, enum scope scope)
{
	int streams = count_streams(t, scope);

	if (scope != ALL)
		return streams > (options->sum_only ? 0 : 1);
	return is_two_way(t) &&
	       (streams > 1 || options->enhanced || options->sum_only);
}

/*
 * Whether this end has the role that is usually the other end's: then its
 * rows have the star of "[ *1]" (output.md, section 5).
 */
static bool
is_reversed(const struct flow *f)
{
	const struct connection_fact *c = &f->connection;

	if (c->is_back)
		return true;
	if (c->full_duplex)
		return c->is_server != row_kind_receives(f->kind);
	return c->reverse && !c->is_server;
}

static bool
begins_pair(const struct flow *f)
{
	return f->connection.full_duplex && f->next != NULL &&
	       f->next->connection.id == f->connection.id;
}

static enum row_kind
both_of(enum row_kind kind)
{
	return kind == ROW_TCP_SEND || kind == ROW_TCP_RECV ? ROW_TCP_BOTH
							    : ROW_UDP_BOTH;
}

static void
sum_add(struct sum *s, const struct flow *f, const struct tally *figures)
{
	if (s->first == NULL) {
		s->first = f;
		s->from_ns = INT64_MAX;
		s->to_ns = INT64_MIN;
	}
	tally_merge(&s->figures, figures);
}

static void
sum_widen(struct sum *s, int64_t from_ns, int64_t to_ns)
{
	if (from_ns < s->from_ns)
		s->from_ns = from_ns;
	if (to_ns > s->to_ns)
		s->to_ns = to_ns;
}

/* When the traffic began that a sum is over. */
static int64_t
start_of(const struct test *t, enum scope scope)
{
	const struct flow *f;
	int64_t start_ns = INT64_MAX;

	for (f = t->flows; f != NULL; f = f->next) {
		if (f->started && is_within(scope, f) && f->start_ns < start_ns)
			start_ns = f->start_ns;
	}
	return start_ns != INT64_MAX ? start_ns : t->start_ns;
}

static const struct sockaddr_storage *
source_of(const struct flow *f)
{
	return row_kind_receives(f->kind) ? &f->connection.peer
					  : &f->connection.local;
}

static const struct sockaddr_storage *
destination_of(const struct flow *f)
{
	return row_kind_receives(f->kind) ? &f->connection.local
					  : &f->connection.peer;
}

static void
row_addresses(struct row_fact *row, const struct flow *f)
{
	row->source_is_peer = row_kind_receives(f->kind);
	row->source = *source_of(f);
	row->destination = *destination_of(f);
}

static struct row_fact
flow_row(const struct flow *f, const struct test_output *out,
    const struct tally *figures, int64_t from_ns, int64_t to_ns)
{
	struct row_fact row = {.kind = f->kind, .streams = 1};

	row.test = f->connection.test;
	row.id = f->connection.id;
	row.reversed = is_reversed(f);
	row.start_ns = from_ns - f->start_ns;
	row.end_ns = to_ns - f->start_ns;
	row.wall_ns = to_ns + out->wall_offset_ns;
	row.tally = figures;
	row.tcp = f->has_sample ? &f->sample : NULL;
	row.has_delays = f->connection.trip_times;
	row_addresses(&row, f);
	return row;
}

/* A row over several flows, whose times are told from start_ns on. */
static struct row_fact
sum_row(const struct sum *s, const struct test_output *out, int64_t start_ns)
{
	struct row_fact row = {.kind = s->first->kind, .tally = &s->figures};

	row.test = s->first->connection.test;
	row.has_delays = s->first->connection.trip_times;
	row.start_ns = s->from_ns - start_ns;
	row.end_ns = s->to_ns - start_ns;
	row.wall_ns = s->to_ns + out->wall_offset_ns;
	row_addresses(&row, s->first);
	return row;
}

static void
write_total(const struct test_output *out, struct row_fact *row)
{
	struct udp_sent_fact sent = {
	    .id = row->id,
	    .sum = row->sum,
	    .streams = row->streams,
	    .datagrams = row->tally->datagrams,
	};

	row->total = true;
	out->writer->total(out->state, row);
	if (row->kind == ROW_UDP_SEND)
		out->writer->udp_sent(out->state, &sent);
}

static void
write_row(const struct test_output *out, struct row_fact *row, bool total)
{
	if (total)
		write_total(out, row);
	else
		out->writer->interval(out->state, row);
}

/* Figures that are being added up while the rows of flows are written. */
struct sums {
	struct sum of[SCOPES];
	struct sum pair; /* both directions of one stream */
};

static void
sums_add(struct sums *s, const struct flow *f, const struct tally *figures)
{
	int scope;

	for (scope = SENT; scope < SCOPES; scope++) {
		if (is_within((enum scope)scope, f))
			sum_add(&s->of[scope], f, figures);
	}
	sum_add(&s->pair, f, figures);
}

static void
sums_widen(struct sums *s, const struct flow *f, int64_t from_ns, int64_t to_ns)
{
	int scope;

	for (scope = SENT; scope < SCOPES; scope++) {
		if (is_within((enum scope)scope, f))
			sum_widen(&s->of[scope], from_ns, to_ns);
	}
	sum_widen(&s->pair, from_ns, to_ns);
}

static bool
is_empty(const struct sum *s)
{
	return s->first == NULL || s->from_ns > s->to_ns;
}

/*
 * After the rows of a flow, the row of a stream whose second direction it
 * was; then the next one begins.
 */
static void
end_pair(struct sums *s, const struct flow *f, const struct flow *before,
    const struct test_output *out, bool total)
{
	struct row_fact row;

	if (begins_pair(f))
		return;
	if (!is_empty(&s->pair) && before != NULL && begins_pair(before)) {
		row = sum_row(&s->pair, out,
		    f->start_ns < before->start_ns ? f->start_ns
						   : before->start_ns);
		row.kind = both_of(f->kind);
		row.id = f->connection.id;
		row.streams = 1;
		write_row(out, &row, total);
	}
	s->pair = (struct sum){.first = NULL};
}

/*
 * The end that connected has a port of its own for each stream, whichever way
 * the data go; the other end has where streams use several ports.
 */
static void
row_note_ports(struct row_fact *row, const struct test *t, enum scope scope)
{
	const struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		bool source_called =
		    f->connection.is_server == row_kind_receives(f->kind);

		if (!is_within(scope, f))
			continue;
		row->source_varies = row->source_varies || source_called ||
				     address_port_of(source_of(f)) !=
					 address_port_of(&row->source);
		row->destination_varies =
		    row->destination_varies || !source_called ||
		    address_port_of(destination_of(f)) !=
			address_port_of(&row->destination);
	}
}

static void
write_sums(const struct test *t, const struct test_output *out,
    const struct sums *s, bool total)
{
	struct row_fact row;
	int i;

	for (i = SENT; i < SCOPES; i++) {
		enum scope scope = (enum scope)i;

		if (is_empty(&s->of[i]) || !has_sum(t, out->options, scope))
			continue;
		row = sum_row(&s->of[i], out, start_of(t, scope));
		row.id = -1;
		row.sum = true;
		row.streams = count_streams(t, scope);
		row.two_way = is_two_way(t);
		row_note_ports(&row, t, scope);
		if (scope == ALL)
			row.kind = both_of(row.kind);
		write_row(out, &row, total);
	}
}

/* Writes a stream's interval that ends at to_ns or at the stream's end. */
static void
write_interval(struct flow *f, const struct test_output *out, int64_t to_ns,
    struct sums *sums)
{
	struct row_fact row;

	if (f->ended)
		to_ns = f->end_ns;
	if (to_ns < f->last_ns)
		to_ns = f->last_ns;
	sums_add(sums, f, &f->pending);
	if (!f->ended || !tally_is_zero(&f->pending)) {
		row = flow_row(f, out, &f->pending, f->last_ns, to_ns);
		out->writer->interval(out->state, &row);
		sums_widen(sums, f, f->last_ns, to_ns);
	}
	tally_merge(&f->total, &f->pending);
	tally_zero(&f->pending);
	f->last_ns = to_ns;
	f->reported = f->ended;
}

static bool
is_running(const struct flow *f)
{
	return f->started && !f->reported;
}

static bool
has_running(const struct test *t)
{
	const struct flow *f = t->flows;

	while (f != NULL && !is_running(f))
		f = f->next;
	return f != NULL;
}

void
test_write_intervals(struct test *t, const struct test_output *out,
    int64_t to_ns)
{
	struct sums sums = {.pair.first = NULL};
	struct flow *f, *before = NULL;

	if (!has_running(t))
		return;
	if (!t->has_intervals)
		out->writer->test_begins(out->state);
	t->has_intervals = true;
	for (f = t->flows; f != NULL; before = f, f = f->next) {
		if (is_running(f))
			write_interval(f, out, to_ns, &sums);
		end_pair(&sums, f, before, out, false);
	}
	write_sums(t, out, &sums, false);
}

static bool
has_pending(const struct test *t)
{
	const struct flow *f;

	for (f = t->flows; f != NULL; f = f->next) {
		if (is_running(f) && !tally_is_zero(&f->pending))
			return true;
	}
	return false;
}

static void
write_server_report(const struct flow *f, const struct test_output *out)
{
	struct row_fact row = flow_row(f, out, &f->report, f->start_ns,
	    f->start_ns + f->report_ns);

	row.kind = ROW_UDP_RECV;
	row.total = true;
	row.server_report = true;
	out->writer->server_report(out->state, &row);
}

/* Nothing unless each sender of several has its report. */
static void
write_server_report_sum(const struct test *t, const struct test_output *out)
{
	struct sum sum = {.first = NULL};
	const struct flow *f;
	struct row_fact row;

	if (count_streams(t, SENT) < 2)
		return;
	for (f = t->flows; f != NULL; f = f->next) {
		if (!is_within(SENT, f))
			continue;
		if (!f->has_report)
			return;
		sum_add(&sum, f, &f->report);
		sum_widen(&sum, f->start_ns, f->start_ns + f->report_ns);
	}
	row = sum_row(&sum, out, start_of(t, SENT));
	row.kind = ROW_UDP_RECV;
	row.id = -1;
	row.sum = true;
	row.streams = count_streams(t, SENT);
	row.two_way = is_two_way(t);
	row.total = true;
	row.server_report = true;
	row_note_ports(&row, t, SENT);
	out->writer->server_report_sum(out->state, &row);
}

static void
write_totals(struct test *t, const struct test_output *out)
{
	struct sums sums = {.pair.first = NULL};
	struct flow *f, *before = NULL;
	struct row_fact row;

	for (f = t->flows; f != NULL; before = f, f = f->next) {
		if (!f->started)
			f->start_ns = f->end_ns;
		tally_merge(&f->total, &f->pending);
		sums_add(&sums, f, &f->total);
		sums_widen(&sums, f, f->start_ns, f->end_ns);
		row = flow_row(f, out, &f->total, f->start_ns, f->end_ns);
		write_total(out, &row);
		end_pair(&sums, f, before, out, true);
	}
	write_sums(t, out, &sums, true);
}

void
test_finish(struct test *t, const struct test_output *out)
{
	struct flow *f;

	if (t->flows == NULL)
		return;
	if (t->start_ns == INT64_MAX)
		t->start_ns = t->end_ns;
	if (t->has_intervals && (t->hold_until_ns != 0 || has_pending(t)))
		test_write_intervals(t, out, t->end_ns);
	if (!t->has_intervals)
		out->writer->test_begins(out->state);
	write_totals(t, out);
	for (f = t->flows; f != NULL; f = f->next) {
		if (f->has_report)
			write_server_report(f, out);
	}
	write_server_report_sum(t, out);
}
