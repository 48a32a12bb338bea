/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli_fixture.h"

#define ARGUMENTS_MAX 64

static char messages[4096];

static void
collect(const char *line)
{
	size_t len = strlen(messages);

	snprintf(messages + len, sizeof(messages) - len, "%s\n", line);
}

enum cli_outcome
fixture_read(struct options *o, const char *arguments)
{
	char name[] = "iperf", text[1024], *next = text;
	char *argv[ARGUMENTS_MAX + 1] = {name};
	enum cli_outcome outcome;
	int argc = 1;

	ck_assert(strlcpy(text, arguments, sizeof(text)) < sizeof(text));
	while (
	    argc < ARGUMENTS_MAX && (argv[argc] = strsep(&next, " ")) != NULL) {
		if (argv[argc][0] != '\0')
			argc++;
	}
	argv[argc] = NULL;
	messages[0] = '\0';
	log_set_sink(collect);
	outcome = cli_read(o, NULL, argc, argv);
	log_set_sink(NULL);
	return outcome;
}

const char *
fixture_messages(void)
{
	return messages;
}

void
fixture_check(const struct cli_case *c)
{
	struct options o;

	ck_assert_msg(fixture_read(&o, c->arguments) == c->outcome,
	    "outcome of '%s', which says %s", c->arguments, messages);
	ck_assert_str_eq(messages, c->messages);
}

void
fixture_run(struct options *o, const char *arguments)
{
	ck_assert_msg(fixture_read(o, arguments) == CLI_RUN,
	    "'%s' is refused: %s", arguments, messages);
}
