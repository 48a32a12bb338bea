/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/suggest.h"
#include "cli/usage.h"
#include "cli/value.h"

/* What getopt_long() returns for a long option: not a letter. */
#define LONG_BASE 256

/* The '-' in front makes it hand over stray arguments in their place. */
#define OPTSTRING_START "-:"
#define STRAY 1

#define CANDIDATES_MAX 512
#define NAMES_MAX (OPTION_COUNT * (1 + OPTION_ALIASES_MAX))

/* The option table in the form that getopt_long() reads. */
struct getopt_tables {
	struct option names[NAMES_MAX + 1];
	char letters[sizeof(OPTSTRING_START) + 2 * OPTION_COUNT];
};

/* Fills in zeroed tables. */
static void
build_tables(struct getopt_tables *t)
{
	static const int has_arg[] = {
	    [ARGUMENT_NONE] = no_argument,
	    [ARGUMENT_REQUIRED] = required_argument,
	    [ARGUMENT_OPTIONAL] = optional_argument,
	};
	const struct option_info *info;
	struct option *next = t->names;
	char *letter;
	const char *name;
	size_t i;
	int id;

	strlcpy(t->letters, OPTSTRING_START, sizeof(t->letters));
	letter = t->letters + strlen(OPTSTRING_START);
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		for (i = 0; (name = option_name(info, i)) != NULL; i++) {
			*next++ = (struct option){
			    .name = name,
			    .has_arg = has_arg[info->argument],
			    .val = LONG_BASE + id,
			};
		}
		if (info->letter != '\0') {
			*letter++ = info->letter;
			if (info->argument == ARGUMENT_REQUIRED)
				*letter++ = ':';
		}
	}
}

static enum option_id
id_of_letter(int letter)
{
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		if (option_info(id)->letter == letter)
			break;
	}
	return id;
}

/* The two spellings of a congestion control name exclude each other. */
static bool
is_second_congestion(const struct command_line *line, const struct options *o,
    enum option_id id, const char *spelling)
{
	const struct given *other;

	if (id == OPTION_TCP_CCA)
		other = &line->given[OPTION_TCP_CONGESTION];
	else if (id == OPTION_TCP_CONGESTION)
		other = &line->given[OPTION_TCP_CCA];
	else
		return false;
	if (other->order == 0 || other->from_environment)
		return false;
	remarks_warn(o->remarks, "%s has no effect: %s came first", spelling,
	    other->spelling);
	return true;
}

bool
parse_option(struct command_line *line, struct options *o, enum option_id id,
    const char *text, const char *spelling, bool from_environment)
{
	const struct option_info *info = option_info(id);
	struct given *given = &line->given[id];
	char reason[VALUE_REASON_MAX];

	if (id == OPTION_BIND && given->order != 0 &&
	    !given->from_environment) {
		remarks_warn(o->remarks,
		    "%s has no effect: the first one counts", spelling);
		return true;
	}
	if (is_second_congestion(line, o, id, spelling))
		return true;
	if (!value_store(info, text, o, reason)) {
		log_warn("bad value '%s' for %s: %s", text, spelling, reason);
		return false;
	}
	given->order = ++line->count;
	given->from_environment = from_environment;
	strlcpy(given->spelling, spelling, sizeof(given->spelling));
	return true;
}

void
parse_forget(struct command_line *line, struct options *o, enum option_id id)
{
	value_reset(option_info(id), o);
	line->given[id].order = 0;
}

/* The "--name" of an argument "--name=value". */
static void
copy_name(char *name, size_t size, const char *argument)
{
	strlcpy(name, argument, size);
	name[strcspn(name, "=")] = '\0';
}

/* Says which options an unknown or ambiguous long name could mean. */
static void
report_long(const char *name)
{
	char candidates[CANDIDATES_MAX] = "";
	const char *text, *prefix = name + strlen("--");
	size_t i, len = 0;
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		for (i = 0; (text = option_name(option_info(id), i)) != NULL;
		     i++) {
			if (strncmp(text, prefix, strlen(prefix)) != 0 ||
			    len >= sizeof(candidates))
				continue;
			len += (size_t)snprintf(candidates + len,
			    sizeof(candidates) - len, "%s--%s",
			    len == 0 ? "" : ", ", text);
		}
	}
	if (len > 0)
		log_warn("option '%s' is ambiguous: could be %s", name,
		    candidates);
	else if ((text = suggest_name(prefix)) != NULL)
		log_warn("unknown option '%s'; did you mean --%s?", name, text);
	else
		log_warn("unknown option '%s'", name);
}

/* Reports what getopt_long() refused; `missing` is a value. */
static void
report_refused(bool missing, const char *argument)
{
	char name[SPELLING_MAX];

	if (optopt > 0 && optopt < LONG_BASE)
		snprintf(name, sizeof(name), "-%c", optopt);
	else
		copy_name(name, sizeof(name), argument);

	if (missing)
		log_warn("option '%s' needs a value", name);
	else if (optopt >= LONG_BASE)
		log_warn("option '%s' takes no value", name);
	else if (optopt > 0)
		log_warn("unknown option '%s'", name);
	else
		report_long(name);
	usage_short();
}

bool
parse_arguments(struct command_line *line, struct options *o, int argc,
    char **argv)
{
	struct getopt_tables tables = {0};
	char spelling[SPELLING_MAX];
	enum option_id id;
	int c, index;

	build_tables(&tables);
	opterr = 0;
	optind = 0; /* Starts afresh, in case this is not the first time. */
	while ((c = getopt_long(argc, argv, tables.letters, tables.names,
		    &index)) != -1) {
		if (c == STRAY) {
			remarks_warn(o->remarks, "ignoring argument '%s'",
			    optarg);
			continue;
		}
		if (c == '?' || c == ':') {
			report_refused(c == ':', argv[optind - 1]);
			return false;
		}
		if (c >= LONG_BASE) {
			id = (enum option_id)(c - LONG_BASE);
			snprintf(spelling, sizeof(spelling), "--%s",
			    tables.names[index].name);
		} else {
			id = id_of_letter(c);
			snprintf(spelling, sizeof(spelling), "-%c", c);
		}
		if (!parse_option(line, o, id, optarg, spelling, false))
			return false;
		if (id == OPTION_HELP || id == OPTION_VERSION ||
		    id == OPTION_COMPLETION) {
			line->topic = optarg;
			return true;
		}
	}
	for (; optind < argc; optind++)
		remarks_warn(o->remarks, "ignoring argument '%s'",
		    argv[optind]);
	return true;
}
