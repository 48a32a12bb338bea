/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/environment.h"
#include "cli/parse.h"
#include "cli/rules.h"
#include "cli/suggest.h"
#include "cli/usage.h"
#include "cli/value.h"
#include "role/signals.h"

/* What becomes of a text that was printed, or not. */
static enum cli_outcome
printed(int rc)
{
	if (rc == 0)
		return CLI_DONE;
	log_warn("cannot write to standard output: %s", strerror(errno));
	return CLI_ERROR;
}

static enum cli_outcome
print_help(const char *topic)
{
	enum option_id id;
	const char *near;

	if (topic == NULL)
		return printed(usage_help(stdout));
	id = option_find(topic);
	if (id != OPTION_COUNT)
		return printed(usage_option(stdout, id));
	near = suggest_name(topic + strspn(topic, "-"));
	if (near != NULL)
		log_warn("no help for '%s'; did you mean --help=%s?", topic,
		    near);
	else
		log_warn("no help for '%s': no such option", topic);
	return CLI_ERROR;
}

static enum cli_outcome
print_completion(const char *shell)
{
	int rc = completion_print(stdout, shell);

	if (rc == 0 || errno != EINVAL)
		return printed(rc);
	log_warn("bad value '%s' for --completion: neither bash nor zsh",
	    shell);
	return CLI_ERROR;
}

enum cli_outcome
cli_read(struct options *o, struct remarks *remarks, int argc, char **argv)
{
	struct command_line line = {0};

	value_init(o);
	o->remarks = remarks;
	if (!environment_apply(&line, o) ||
	    !parse_arguments(&line, o, argc, argv))
		return CLI_ERROR;
	if (line.given[OPTION_HELP].order != 0 ||
	    line.given[OPTION_VERSION].order != 0 ||
	    line.given[OPTION_COMPLETION].order != 0)
		signals_unblock();
	if (line.given[OPTION_HELP].order != 0)
		return print_help(line.topic);
	if (line.given[OPTION_VERSION].order != 0)
		return printed(usage_version(stdout));
	if (line.given[OPTION_COMPLETION].order != 0)
		return print_completion(line.topic);
	return options_finish(o, &line) ? CLI_RUN : CLI_ERROR;
}
