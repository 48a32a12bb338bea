/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* The command line, from argv to finished options, for main(). */

struct options;
struct remarks;

enum cli_outcome {
	CLI_RUN,   /* the options describe a test */
	CLI_DONE,  /* help or version was printed: exit 0 */
	CLI_ERROR, /* a message was printed: exit 1 */
};

/*
 * Reads environment and arguments. The options are complete only with
 * CLI_RUN. They refer to the remarks, the caller's, who gets there what was
 * warned of; NULL: it is not kept. Main thread, before others exist.
 */
enum cli_outcome cli_read(struct options *, struct remarks *, int argc,
    char **argv);

#endif
