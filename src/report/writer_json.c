/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/*
 * DESIGN
 *
 * Both writers make the same objects of the same facts (record.h). --json
 * gathers them into the arrays of one document, --json-stream writes each on
 * a line of its own, named by its member "event".
 *
 * The document grows as facts arrive: its head and the intervals, of which
 * there is no end, are written at once. What belongs into other arrays waits
 * in spools for the end of the document, so that no run needs more memory
 * the longer it takes.
 */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "report/fact.h"
#include "report/fields.h"
#include "report/ignore.h"
#include "report/record.h"
#include "report/row.h"
#include "report/spool.h"
#include "report/writer.h"

/* As many digits as a double keeps of any decimal number. */
#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* Arrays of the document, in its order; intervals come before them. */
enum section {
	SECTION_OTHER_SETTINGS, /* of what connects back, or is for that */
	SECTION_CONNECTIONS,
	SECTION_TOTALS,
	SECTION_SERVER_REPORTS,
	SECTION_CONNECT_TIMES,
	SECTION_WARNINGS,
	SECTION_ERRORS,
	SECTIONS
};

static const char *const section_names[SECTIONS] = {
    [SECTION_OTHER_SETTINGS] = "other_settings",
    [SECTION_CONNECTIONS] = "connections",
    [SECTION_TOTALS] = "totals",
    [SECTION_SERVER_REPORTS] = "server_reports",
    [SECTION_CONNECT_TIMES] = "connect_times",
    [SECTION_WARNINGS] = "warnings",
    [SECTION_ERRORS] = "errors",
};

struct json_state {
	FILE *out;
	const struct options *options;
	struct usage_mark begin;
	bool has_begun;
	bool has_intervals;
	char error[512]; /* the first one; "" none */
	struct spool spools[SECTIONS];
};

/* The allocator's own messages end the process, as everywhere. */
static void *
allocate(size_t size)
{
	return xcalloc(1, size);
}

static void *
begin(FILE *out, const struct options *options)
{
	struct json_state *st = xcalloc(1, sizeof(*st));
	int i;

	json_set_alloc_funcs(allocate, free);
	st->out = out;
	st->options = options;
	usage_mark_take(&st->begin);
	for (i = 0; i < SECTIONS; i++)
		spool_init(&st->spools[i]);
	return st;
}

static void
end(void *state)
{
	struct json_state *st = state;
	int i;

	for (i = 0; i < SECTIONS; i++)
		spool_fini(&st->spools[i]);
	free(st);
}

/* Writes an object and lets it go. */
static void
dump(FILE *out, json_t *o)
{
	json_dumpf(o, out, DUMP_FLAGS);
	json_decref(o);
}

/* Keeps an object for an array at the end of the document. */
static void
keep(struct json_state *st, enum section section, json_t *o)
{
	struct spool *s = &st->spools[section];
	bool first = s->file == NULL;
	FILE *file = spool_file(s);

	fputs(first ? "\n" : ",\n", file);
	dump(file, o);
}

/* Not of what a client awaits, or a server opens, for the way back. */
static bool
is_of_run(const struct json_state *st, const struct settings_fact *f)
{
	return f->options == st->options;
}

/* The members before the arrays: "{" and all but the last "}". */
static void
begin_document(struct json_state *st, const struct settings_fact *f)
{
	json_t *head, *settings;
	char *text;

	if (st->has_begun)
		return;
	st->has_begun = true;
	head = fields_object();
	record_start(head, &st->begin);
	if (!(st->options->exclude & EXCLUDE_SETTINGS)) {
		settings = fields_object();
		if (f != NULL)
			record_settings(settings, f);
		else
			record_options(settings, st->options);
		fields_add(head, "settings", settings);
	}
	text = json_dumps(head, DUMP_FLAGS);
	json_decref(head);
	text[strlen(text) - 1] = '\0';
	fprintf(st->out, "%s,\n\"intervals\":[", text);
	free(text);
}

static void
document_settings(void *state, const struct settings_fact *f)
{
	struct json_state *st = state;
	json_t *o;

	if (is_of_run(st, f)) {
		begin_document(st, f);
		return;
	}
	if (st->options->exclude & EXCLUDE_SETTINGS)
		return;
	o = fields_object();
	record_settings(o, f);
	keep(st, SECTION_OTHER_SETTINGS, o);
}

static void
document_connection(void *state, const struct connection_fact *f)
{
	struct json_state *st = state;
	json_t *o;

	if (st->options->exclude & EXCLUDE_CONNECTION)
		return;
	o = fields_object();
	record_connection(o, f, st->options);
	keep(st, SECTION_CONNECTIONS, o);
}

static void
document_interval(void *state, const struct row_fact *row)
{
	struct json_state *st = state;
	json_t *o;

	if (!row_is_wanted(row, st->options))
		return;
	begin_document(st, NULL);
	o = fields_object();
	record_row(o, row);
	fputs(st->has_intervals ? ",\n" : "\n", st->out);
	st->has_intervals = true;
	dump(st->out, o);
}

static void
keep_row(struct json_state *st, enum section section,
    const struct row_fact *row)
{
	json_t *o = fields_object();

	record_row(o, row);
	keep(st, section, o);
}

static void
document_total(void *state, const struct row_fact *row)
{
	struct json_state *st = state;

	if (row_is_wanted(row, st->options))
		keep_row(st, SECTION_TOTALS, row);
}

static void
document_server_report(void *state, const struct row_fact *row)
{
	struct json_state *st = state;

	if (row_server_report_is_wanted(st->options))
		keep_row(st, SECTION_SERVER_REPORTS, row);
}

static void
document_connect_times(void *state, const struct connect_times_fact *f)
{
	struct json_state *st = state;
	json_t *o = fields_object();

	record_connect_times(o, f);
	keep(st, SECTION_CONNECT_TIMES, o);
}

static void
note_error(struct json_state *st, const struct remark_fact *f)
{
	if (f->is_error && st->error[0] == '\0')
		strlcpy(st->error, f->text, sizeof(st->error));
}

static void
document_remark(void *state, const struct remark_fact *f)
{
	struct json_state *st = state;
	json_t *o = fields_object();

	note_error(st, f);
	record_remark(o, f);
	keep(st, f->is_error ? SECTION_ERRORS : SECTION_WARNINGS, o);
}

static int
document_conclude(void *state, enum outcome outcome)
{
	struct json_state *st = state;
	json_t *o = fields_object();
	int i, rc = 0;

	begin_document(st, NULL);
	for (i = 0; i < SECTIONS; i++) {
		fprintf(st->out, "],\n\"%s\":[", section_names[i]);
		if (spool_copy(&st->spools[i], st->out) == -1)
			rc = -1;
	}
	fputs("],\n\"end\":", st->out);
	record_end(o, outcome, st->error, &st->begin);
	dump(st->out, o);
	fputs("}\n", st->out);
	return rc;
}

static void
write_line(struct json_state *st, json_t *o)
{
	dump(st->out, o);
	fputc('\n', st->out);
}

/* The object of an event, after the one that begins the stream. */
static json_t *
event(struct json_state *st, const char *name)
{
	json_t *o;

	if (!st->has_begun) {
		st->has_begun = true;
		o = event(st, "start");
		record_start(o, &st->begin);
		write_line(st, o);
	}
	o = fields_object();
	fields_text(o, "event", name);
	return o;
}

static void
stream_settings(void *state, const struct settings_fact *f)
{
	struct json_state *st = state;
	json_t *o;

	if (st->options->exclude & EXCLUDE_SETTINGS)
		return;
	o = event(st, is_of_run(st, f) ? "settings" : "other_settings");
	record_settings(o, f);
	write_line(st, o);
}

static void
stream_connection(void *state, const struct connection_fact *f)
{
	struct json_state *st = state;
	json_t *o;

	if (st->options->exclude & EXCLUDE_CONNECTION)
		return;
	o = event(st, "connection");
	record_connection(o, f, st->options);
	write_line(st, o);
}

static void
stream_row(struct json_state *st, const char *name, const struct row_fact *row)
{
	json_t *o = event(st, name);

	record_row(o, row);
	write_line(st, o);
}

static void
stream_interval(void *state, const struct row_fact *row)
{
	struct json_state *st = state;

	if (row_is_wanted(row, st->options))
		stream_row(st, "interval", row);
}

static void
stream_total(void *state, const struct row_fact *row)
{
	struct json_state *st = state;

	if (row_is_wanted(row, st->options))
		stream_row(st, "total", row);
}

static void
stream_server_report(void *state, const struct row_fact *row)
{
	struct json_state *st = state;

	if (row_server_report_is_wanted(st->options))
		stream_row(st, "server_report", row);
}

static void
stream_connect_times(void *state, const struct connect_times_fact *f)
{
	json_t *o = event(state, "connect_times");

	record_connect_times(o, f);
	write_line(state, o);
}

static void
stream_remark(void *state, const struct remark_fact *f)
{
	json_t *o = event(state, f->is_error ? "error" : "warning");

	note_error(state, f);
	record_remark(o, f);
	write_line(state, o);
}

static int
stream_conclude(void *state, enum outcome outcome)
{
	struct json_state *st = state;
	json_t *o = event(st, "end");

	record_end(o, outcome, st->error, &st->begin);
	write_line(st, o);
	return 0;
}

const struct writer *
writer_json(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = document_settings,
	    .connected = document_connection,
	    .test_begins = ignore_test_begins,
	    .interval = document_interval,
	    .total = document_total,
	    .udp_sent = ignore_udp_sent,
	    .server_report = document_server_report,
	    .server_report_sum = ignore_row,
	    .connect_times = document_connect_times,
	    .remark = document_remark,
	    .conclude = document_conclude,
	    .end = end,
	};

	return &writer;
}

const struct writer *
writer_json_stream(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = stream_settings,
	    .connected = stream_connection,
	    .test_begins = ignore_test_begins,
	    .interval = stream_interval,
	    .total = stream_total,
	    .udp_sent = ignore_udp_sent,
	    .server_report = stream_server_report,
	    .server_report_sum = ignore_row,
	    .connect_times = stream_connect_times,
	    .remark = stream_remark,
	    .conclude = stream_conclude,
	    .end = end,
	};

	return &writer;
}
