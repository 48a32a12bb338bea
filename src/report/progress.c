/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/units.h"
#include "report/progress.h"
#include "report/row.h"
#include "report/test.h"

/*
 * DESIGN
 *
 * The reporter calls progress_hide() before it writes anything, and after
 * that progress_is_due(), which restores the line. So the line is there only
 * while nothing else happens. Diagnostics of other threads do not pass
 * through the reporter; they erase the line by themselves, progress_log().
 *
 * To collect tallies early changes no figure: they are merged into the next
 * row, and merging is associative (doc/DESIGN.md, "everything is a fold").
 */

#define ERASE "\r\033[K"

/* A shorter test ends before its line can be read. */
#define SHORTEST_NS NS_PER_S

#define BAR_WIDTH 20
#define COLUMNS_DEFAULT 80

/* For the cursor, and the "^C" that a terminal echoes; it must not wrap. */
#define RESERVED_COLUMNS 3

#define LOG_LINE_MAX 1152

static bool
is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] != '\0';
}

static bool
terminal_can_erase(void)
{
	const char *term = getenv("TERM");

	return term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

bool
progress_is_wanted(const struct options *o)
{
	if (o->role != ROLE_CLIENT && o->role != ROLE_LOOPBACK)
		return false;
	if (o->no_progress || o->interval_ns > 0 || o->connect_only >= 0)
		return false;
	if (o->duration_ns > 0 && o->duration_ns <= SHORTEST_NS)
		return false;
	return isatty(STDERR_FILENO) && terminal_can_erase() &&
	       !is_set("NO_COLOR");
}

/*
 * Nothing is lost with a line that cannot be written, and nobody waits for a
 * terminal that has been stopped.
 */
static void
put(const char *text)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	if (write(STDERR_FILENO, text, strlen(text)) == -1)
		return;
}

void
progress_log(const char *line)
{
	char buf[LOG_LINE_MAX];
	int len;

	len = snprintf(buf, sizeof(buf), ERASE "%s\n", line);
	if (len >= (int)sizeof(buf)) {
		len = (int)sizeof(buf) - 1;
		buf[len - 1] = '\n';
	}
	/* There is nobody left to tell when stderr does not take it. */
	if (write(STDERR_FILENO, buf, (size_t)len) == -1)
		return;
}

void
progress_wipe(const struct options *o)
{
	if (progress_is_wanted(o))
		put(ERASE);
}

/* A process in the background leaves the terminal to others. */
static bool
is_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	return group == -1 || group == getpgrp();
}

static int
terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == -1 || size.ws_col == 0)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

void
progress_init(struct progress *p, const struct options *o)
{
	*p = (struct progress){.next_ns = INT64_MAX};
	p->enabled = progress_is_wanted(o);
}

void
progress_hide(struct progress *p)
{
	if (p->is_shown)
		put(ERASE);
	p->is_shown = false;
}

static void
draw(struct progress *p)
{
	char text[PROGRESS_LINE_MAX + sizeof(ERASE)];

	if (p->line[0] == '\0' || !is_foreground())
		return;
	snprintf(text, sizeof(text), ERASE "%s", p->line);
	put(text);
	p->is_shown = true;
}

/* What is known, as a view without rates; the sample has the bytes. */
static struct progress_view
look(const struct test *t, const struct options *o, int64_t now_ns,
    struct progress_sample *sample)
{
	struct progress_view view = {.format = o->format};
	const struct flow *f;
	uint64_t bytes, flows = 0;

	sample->ns = now_ns;
	for (f = t->flows; f != NULL; f = f->next, flows++) {
		bytes = f->total.bytes + f->pending.bytes;
		if (row_kind_receives(f->kind)) {
			view.receives = true;
			sample->received += bytes;
		} else {
			view.sends = true;
			sample->sent += bytes;
		}
	}
	view.bytes = sample->sent + sample->received;
	view.elapsed_ns = now_ns - t->start_ns;
	if (o->duration_ns > 0)
		view.total_ns = o->duration_ns;
	else if (o->amount_bytes > 0)
		view.total_bytes = (uint64_t)o->amount_bytes * flows;
	if (view.total_ns > 0 && view.elapsed_ns > view.total_ns)
		view.elapsed_ns = view.total_ns;
	return view;
}

static void
begin(struct progress *p, const struct test *t, const struct options *o)
{
	p->start_ns = t->start_ns;
	p->samples[0] = (struct progress_sample){.ns = t->start_ns};
	p->count = 1;
	p->line[0] = '\0';
	p->next_ns =
	    t->start_ns + (o->duration_ns > 0 ? PROGRESS_STEP_NS : SHORTEST_NS);
}

bool
progress_is_due(struct progress *p, const struct test *t,
    const struct options *o, int64_t now_ns)
{
	if (!p->enabled)
		return false;
	if (t == NULL) {
		progress_hide(p);
		p->start_ns = 0;
		p->next_ns = INT64_MAX;
		p->line[0] = '\0';
		return false;
	}
	if (p->start_ns != t->start_ns)
		begin(p, t, o);
	if (now_ns >= p->next_ns)
		return true;
	if (!p->is_shown)
		draw(p);
	return false;
}

void
progress_step(struct progress *p, const struct test *t, const struct options *o,
    int64_t now_ns)
{
	struct progress_sample latest = {.ns = now_ns};
	struct progress_view view = look(t, o, now_ns, &latest);
	const struct progress_sample *first;
	double seconds;

	if (p->count > PROGRESS_STEPS) {
		p->count--;
		memmove(&p->samples[0], &p->samples[1],
		    (size_t)p->count * sizeof(p->samples[0]));
	}
	first = &p->samples[0];
	p->samples[p->count++] = latest;
	seconds = (double)(now_ns - first->ns) / NS_PER_S;
	view.sent_bytes_s = (double)(latest.sent - first->sent) / seconds;
	view.received_bytes_s =
	    (double)(latest.received - first->received) / seconds;
	view.columns = terminal_columns();
	progress_format(p->line, sizeof(p->line), &view);
	draw(p);
	p->next_ns = now_ns + PROGRESS_STEP_NS;
}

/* Seconds with a decimal as long as they have one worth reading. */
static int
format_time(char *buf, size_t size, const struct progress_view *v)
{
	int64_t longest_ns = v->total_ns > 0 ? v->total_ns : v->elapsed_ns;
	int decimals = longest_ns < 1000 * NS_PER_S;
	double elapsed = (double)v->elapsed_ns / NS_PER_S;

	if (v->total_ns == 0)
		return snprintf(buf, size, "%.*f s", decimals, elapsed);
	return snprintf(buf, size, "%.*f of %.*f s", decimals, elapsed,
	    decimals, (double)v->total_ns / NS_PER_S);
}

static int
format_bytes(char *buf, size_t size, const struct progress_view *v)
{
	char letter = units_bytes_letter(v->format);
	char done[UNITS_TEXT_MAX], total[UNITS_TEXT_MAX];

	units_format_amount(done, sizeof(done), (double)v->bytes, letter);
	if (v->total_bytes == 0)
		return snprintf(buf, size, "%ss", done);
	units_format_amount(total, sizeof(total), (double)v->total_bytes,
	    letter);
	return snprintf(buf, size, "%ss of %ss", done,
	    total + strspn(total, " "));
}

static int
format_rate(char *buf, size_t size, const struct progress_view *v)
{
	char sent[UNITS_TEXT_MAX], received[UNITS_TEXT_MAX];

	units_format_amount(sent, sizeof(sent), v->sent_bytes_s, v->format);
	units_format_amount(received, sizeof(received), v->received_bytes_s,
	    v->format);
	if (v->sends && v->receives)
		return snprintf(buf, size, "%ss/sec out, %ss/sec in", sent,
		    received);
	return snprintf(buf, size, "%ss/sec", v->receives ? received : sent);
}

/* How much of the bar is full; -1 without a bar. */
static int
filled(const struct progress_view *v)
{
	double part;

	if (v->total_ns > 0)
		part = (double)v->elapsed_ns / (double)v->total_ns;
	else if (v->total_bytes > 0)
		part = (double)v->bytes / (double)v->total_bytes;
	else
		return -1;
	if (part > 1)
		part = 1;
	return part > 0 ? (int)(part * BAR_WIDTH) : 0;
}

int
progress_format(char *buf, size_t size, const struct progress_view *v)
{
	static const char full[] = "####################";
	static const char empty[] = "--------------------";
	char time[64], amount[2 * UNITS_TEXT_MAX + 32], rate[sizeof(amount)];
	int n = filled(v), len = 0, room;

	format_time(time, sizeof(time), v);
	format_bytes(amount, sizeof(amount), v);
	format_rate(rate, sizeof(rate), v);
	room = v->columns - RESERVED_COLUMNS;
	if (room >= (int)size)
		room = (int)size - 1;
	if (room <= 0) {
		buf[0] = '\0';
		return 0;
	}
	/* A narrow terminal has the figures without the bar. */
	if (n >= 0 && BAR_WIDTH + 4 + (int)strlen(rate) + 2 +
			      (int)strlen(v->total_ns > 0 ? time : amount) <=
			  room)
		len = snprintf(buf, size, "[%.*s%.*s]  ", n, full,
		    BAR_WIDTH - n, empty);
	if (v->total_ns > 0)
		snprintf(buf + len, size - (size_t)len, "%s  %s", time, rate);
	else if (v->total_bytes > 0)
		snprintf(buf + len, size - (size_t)len, "%s  %s", amount, rate);
	else
		snprintf(buf + len, size - (size_t)len, "%s  %s  %s", time,
		    rate, amount);
	buf[room] = '\0';
	return (int)strlen(buf);
}
