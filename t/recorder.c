/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "recorder.h"
#include "report/ignore.h"

static struct record records[RECORDER_MAX];
static size_t count;
static FILE *stream;

/* The next record; beyond the end the last one is used again. */
static struct record *
add(enum record_kind kind)
{
	struct record *r = &records[count < RECORDER_MAX ? count : count - 1];

	if (count < RECORDER_MAX)
		count++;
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	return r;
}

static void *
begin(FILE *out, const struct options *options)
{
	(void)options;
	stream = out;
	return records;
}

static void
settings(void *state, const struct settings_fact *fact)
{
	(void)state;
	(void)fact;
	add(RECORD_SETTINGS);
}

static void
connected(void *state, const struct connection_fact *fact)
{
	(void)state;
	add(RECORD_CONNECTED)->id = fact->id;
}

static void
test_begins(void *state)
{
	(void)state;
	add(RECORD_TEST_BEGINS);
}

static void
add_row(enum record_kind kind, const struct row_fact *row)
{
	struct record *r = add(kind);

	r->row = *row;
	r->tally = *row->tally;
	r->row.tally = &r->tally;
	if (row->tcp != NULL) {
		r->tcp = *row->tcp;
		r->row.tcp = &r->tcp;
	}
}

static void
interval(void *state, const struct row_fact *row)
{
	(void)state;
	add_row(RECORD_INTERVAL, row);
}

static void
total(void *state, const struct row_fact *row)
{
	(void)state;
	add_row(RECORD_TOTAL, row);
}

static void
connect_times(void *state, const struct connect_times_fact *fact)
{
	(void)state;
	(void)fact;
	add(RECORD_CONNECT_TIMES);
	fputs("connect times\n", stream);
}

static void
end(void *state)
{
	(void)state;
	add(RECORD_END);
}

const struct writer *
recorder_new(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = settings,
	    .connected = connected,
	    .test_begins = test_begins,
	    .interval = interval,
	    .total = total,
	    .connect_times = connect_times,
	    .remark = ignore_remark,
	    .conclude = ignore_outcome,
	    .end = end,
	};

	count = 0;
	return &writer;
}

size_t
recorder_count(void)
{
	return count;
}

const struct record *
recorder_get(size_t i)
{
	ck_assert_uint_lt(i, count);
	return &records[i];
}

size_t
recorder_records(enum record_kind kind)
{
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		n += records[i].kind == kind;
	return n;
}

static bool
is_row(const struct record *r, enum record_kind kind, int id)
{
	return r->kind == kind && r->row.id == id && r->row.sum == (id == -1);
}

size_t
recorder_rows(enum record_kind kind, int id)
{
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		n += is_row(&records[i], kind, id);
	return n;
}

const struct row_fact *
recorder_row(enum record_kind kind, int id, size_t n)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (is_row(&records[i], kind, id) && n-- == 0)
			return &records[i].row;
	}
	ck_abort_msg("no such row of stream %d", id);
	return NULL;
}

/* Of one stream, or of the sum: see recorder_check_sums(). */
static void
check_intervals(const struct row_fact *whole)
{
	size_t i, n = recorder_rows(RECORD_INTERVAL, whole->id);
	const struct row_fact *row;
	struct tally sum = {0};
	int64_t at_ns;

	if (n == 0)
		return;
	at_ns = recorder_row(RECORD_INTERVAL, whole->id, 0)->start_ns;
	if (!whole->sum)
		ck_assert_int_eq(at_ns, whole->start_ns);
	if (at_ns != whole->start_ns)
		return;
	for (i = 0; i < n; i++) {
		row = recorder_row(RECORD_INTERVAL, whole->id, i);
		if (!whole->sum)
			ck_assert_int_eq(row->start_ns, at_ns);
		ck_assert_int_ge(row->end_ns, row->start_ns);
		at_ns = row->end_ns;
		tally_merge(&sum, row->tally);
	}
	ck_assert_uint_eq(sum.bytes, whole->tally->bytes);
	ck_assert_mem_eq(&sum, whole->tally, sizeof(sum));
}

void
recorder_check_sums(void)
{
	const struct row_fact *whole = NULL;
	struct tally sum = {0};
	size_t i;

	for (i = 0; i < count; i++) {
		if (records[i].kind != RECORD_TOTAL)
			continue;
		check_intervals(&records[i].row);
		if (records[i].row.sum)
			whole = &records[i].row;
		else
			tally_merge(&sum, &records[i].tally);
	}
	if (whole != NULL)
		ck_assert_mem_eq(&sum, whole->tally, sizeof(sum));
}
