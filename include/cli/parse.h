/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

/*
 * The first phase of the command line: what was given, in any order. The
 * second phase, cli/rules.h, decides what it means.
 */

#include <stdbool.h>

#include "cli/option_table.h"

struct options;

#define SPELLING_MAX 64

struct given {
	int order; /* 0: not given; later ones are larger */
	bool from_environment;
	char spelling[SPELLING_MAX]; /* "-l", "--len", "IPERF_LEN" */
};

struct command_line {
	struct given given[OPTION_COUNT];
	int count;
	const char *topic; /* value of --help or --completion, in
				      argv; NULL none */
};

/*
 * Reads the arguments. Returns false after a message for what cannot be
 * read: an unknown option, a missing or a bad value. Reading stops at -h,
 * -v and --completion. Not reentrant, as getopt_long() is not.
 */
bool parse_arguments(struct command_line *, struct options *, int argc,
    char **argv);

/*
 * Stores one option, which the user spelled so, and notes it. Text is NULL
 * without argument. Returns false after a message for a bad value.
 */
bool parse_option(struct command_line *, struct options *, enum option_id,
    const char *text, const char *spelling, bool from_environment);

/* Makes an option as if it had not been given. */
void parse_forget(struct command_line *, struct options *, enum option_id);

static inline bool
is_given(const struct command_line *line, enum option_id id)
{
	return line->given[id].order != 0;
}

#endif
