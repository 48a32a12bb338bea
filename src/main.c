/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/cli.h"
#include "report/progress.h"
#include "role/client.h"
#include "role/limits.h"
#include "role/loopback.h"
#include "role/realtime.h"
#include "role/server.h"
#include "role/signals.h"

/*
 * The file of a daemon is a log, which outlives it; a second one, which the
 * port is denied, must not empty it either. A FIFO is opened when somebody
 * reads it, or not before a signal.
 */
static FILE *
open_file(const struct options *o)
{
	const char *path = o->output_path;
	struct stat st;
	bool waits = stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
	FILE *out;

	if (waits)
		signals_unblock();
	out = fopen(path, o->daemon ? "ae" : "we");
	if (waits)
		signals_block();
	return out;
}

/* Where results go. Returns NULL after a message. */
static FILE *
open_output(const struct options *o)
{
	FILE *out;

	if (o->output_path[0] == '\0')
		return stdout;
	out = open_file(o);
	if (out == NULL) {
		log_warn("cannot write '%s': %s", o->output_path,
		    strerror(errno));
		return NULL;
	}
	printf("Results go to file %s\n", o->output_path);
	fflush(stdout);
	return out;
}

static int
run(const struct options *o, FILE *out)
{
	switch (o->role) {
	case ROLE_CLIENT:
		return o->connect_only >= 0 ? connect_only_run(o, out)
					    : client_run(o, out);
	case ROLE_SERVER:
		return server_run(o, out);
	case ROLE_LOOPBACK:
		return loopback_run(o, out);
	case ROLE_NONE:
		break;
	}
	return -1;
}

/* From the options to the end of the report. 0, or -1 after a message. */
static int
run_test(const struct options *o)
{
	FILE *out;
	int rc;

	if (progress_is_wanted(o))
		log_set_sink(progress_log);
	signals_init();
	limits_raise_files();
	/* A daemon is another process: see server_run(). */
	if (o->realtime && !o->daemon)
		realtime_start(o->remarks);
	out = open_output(o);
	if (out == NULL)
		return -1;
	rc = run(o, out);
	if (fclose(out) == EOF && rc == 0) {
		log_warn("cannot write results: %s", strerror(errno));
		rc = -1;
	}
	return rc;
}

int
main(int argc, char **argv)
{
	struct remarks remarks = {0};
	struct options options;
	int rc = -1;

	signals_block();
	switch (cli_read(&options, &remarks, argc, argv)) {
	case CLI_DONE:
		rc = 0;
		break;
	case CLI_ERROR:
		break;
	case CLI_RUN:
		rc = run_test(&options);
		break;
	}
	remarks_fini(&remarks);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
