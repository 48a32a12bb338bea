/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* The command line, from argv to finished options, for main(). */

struct options;

enum cli_outcome {
	CLI_RUN,   /* the options describe a test */
	CLI_DONE,  /* help or version was printed: exit 0 */
	CLI_ERROR, /* a message was printed: exit 1 */
};

/*
 * Reads environment and arguments. The options are complete only with
 * CLI_RUN. Main thread, before others exist.
 */
enum cli_outcome cli_read(struct options *, int argc, char **argv);

#endif
