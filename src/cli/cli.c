/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/parse.h"
#include "cli/rules.h"
#include "cli/usage.h"
#include "cli/value.h"

static enum cli_outcome
print(int (*text)(FILE *))
{
	if (text(stdout) == 0)
		return CLI_DONE;
	log_warn("cannot write to standard output: %s", strerror(errno));
	return CLI_ERROR;
}

enum cli_outcome
cli_read(struct options *o, int argc, char **argv)
{
	struct command_line line = {0};

	value_init(o);
	if (!environment_apply(&line, o) ||
	    !parse_arguments(&line, o, argc, argv))
		return CLI_ERROR;
	if (line.given[OPTION_HELP].order != 0)
		return print(usage_help);
	if (line.given[OPTION_VERSION].order != 0)
		return print(usage_version);
	return options_finish(o, &line) ? CLI_RUN : CLI_ERROR;
}
