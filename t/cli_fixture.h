/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_FIXTURE_H
#define CLI_FIXTURE_H

/* Runs the command line without a program, and keeps its messages. */

#include "base/options.h"
#include "cli/cli.h"

/* One command line, what comes of it, and all messages in turn. */
struct cli_case {
	const char *arguments; /* separated by blanks, without "iperf" */
	enum cli_outcome outcome;
	const char *messages; /* each ends with a newline */
};

/* Reads the arguments, and the environment as it is. */
enum cli_outcome fixture_read(struct options *, const char *arguments);

/* The messages of the last fixture_read(). */
const char *fixture_messages(void);

/* Fails the running test unless the case holds. */
void fixture_check(const struct cli_case *);

/* As fixture_read(), for arguments that must describe a test. */
void fixture_run(struct options *, const char *arguments);

/* The short usage, as it follows some messages. */
#define FIXTURE_USAGE                                                 \
	"usage: iperf -s [options]       start a server\n"            \
	"       iperf -c HOST [options]  test the path to a server\n" \
	"       iperf --help             explain all options\n"

#endif
