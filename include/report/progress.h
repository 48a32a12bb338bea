/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

/*
 * The progress line: what a person at a terminal sees of a client's test
 * without interval reports. It is on stderr only, goes before anything else
 * is printed, and looks at figures that the reporter's folds make anyway.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options;
struct test;

/* Longer than any line, also in the widest terminal. */
#define PROGRESS_LINE_MAX 256

/* Rates are over about so many of these steps. */
#define PROGRESS_STEP_NS INT64_C(250000000)
#define PROGRESS_STEPS 4

/* What a line shows. */
struct progress_view {
	int64_t elapsed_ns;
	int64_t total_ns;     /* 0: not known, or it is bytes that count */
	uint64_t bytes;	      /* of all streams */
	uint64_t total_bytes; /* 0: not known, or it is time that counts */
	bool sends;
	bool receives;
	double sent_bytes_s;
	double received_bytes_s;
	char format; /* letter of -f */
	int columns; /* of the terminal */
};

struct progress_sample {
	int64_t ns;
	uint64_t sent;
	uint64_t received;
};

/* The reporter thread's. */
struct progress {
	bool enabled;
	bool is_shown;
	int64_t start_ns; /* of the test that is shown; 0 none */
	int64_t next_ns;  /* when to draw again; INT64_MAX never */
	struct progress_sample samples[PROGRESS_STEPS + 1];
	int count;		      /* samples, the latest last */
	char line[PROGRESS_LINE_MAX]; /* as drawn last; "" none */
};

/*
 * Whether there may be a progress line: these are a client's options, without
 * -i and --no-progress, stderr is a terminal that can erase lines, and the
 * environment does not ask for plain text. Any thread.
 */
bool progress_is_wanted(const struct options *);

/*
 * A sink for base/log.h that puts diagnostics in the place of the line, in
 * one write; the next step draws the line again below them. Any thread.
 */
void progress_log(const char *line);

/* Erases what may be there, when the process is about to end. Any thread. */
void progress_wipe(const struct options *);

void progress_init(struct progress *, const struct options *);

/* Erases the line, if it is there. */
void progress_hide(struct progress *);

/*
 * Draws the line again if it was hidden while its test goes on. Returns true
 * if that test, which is running (NULL none: no line), is to be looked at
 * now: then collect its tallies and call progress_step().
 */
bool progress_is_due(struct progress *, const struct test *,
    const struct options *, int64_t now_ns);
void progress_step(struct progress *, const struct test *,
    const struct options *, int64_t now_ns);

/*
 * Writes the line without its end, shorter than the terminal is wide.
 * Returns its length. Pure.
 */
int progress_format(char *buf, size_t size, const struct progress_view *);

#endif
