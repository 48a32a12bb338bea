/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/rules_direction.h"

static const struct {
	enum option_id id;
	enum direction direction;
} directions[] = {
    {OPTION_REVERSE, DIRECTION_REVERSE},
    {OPTION_FULL_DUPLEX, DIRECTION_FULL_DUPLEX},
    {OPTION_DUALTEST, DIRECTION_DUAL},
    {OPTION_TRADEOFF, DIRECTION_TRADEOFF},
};

/* What needs the client to be the only one that sends. */
static const enum option_id without_reverse[] = {
    OPTION_CONNECT_ONLY,
    OPTION_FILE_INPUT,
    OPTION_STDIN_INPUT,
};

/* The header has 31 bits for a number of bytes. */
#define AMOUNT_MAX_BYTES INT32_MAX

/* What only a client that sends, and more than nothing, can heed. */
static void
forget_idle(struct options *o, struct command_line *line)
{
	const struct given *given = &line->given[OPTION_IGNORE_SHUTDOWN];
	enum option_id without = is_given(line, OPTION_CONNECT_ONLY)
				     ? OPTION_CONNECT_ONLY
				     : OPTION_REVERSE;

	if (given->order == 0 || !is_given(line, without))
		return;
	remarks_warn(o->remarks, "%s has no effect with %s", given->spelling,
	    line->given[without].spelling);
	parse_forget(line, o, OPTION_IGNORE_SHUTDOWN);
}

/* The option that was given, of which there is one; OPTION_COUNT: none. */
static enum option_id
choose(struct options *o, const struct command_line *line)
{
	size_t i;

	for (i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
		if (is_given(line, directions[i].id)) {
			o->direction = directions[i].direction;
			return directions[i].id;
		}
	}
	return OPTION_COUNT;
}

static bool
check_company(const struct options *o, const struct command_line *line,
    const char *spelling)
{
	size_t i;

	for (i = 0; i < sizeof(without_reverse) / sizeof(without_reverse[0]);
	     i++) {
		if (is_given(line, without_reverse[i])) {
			log_warn("%s cannot be used with %s", spelling,
			    line->given[without_reverse[i]].spelling);
			return false;
		}
	}
	if (o->multicast) {
		log_warn("%s cannot be used with a multicast group", spelling);
		return false;
	}
	/* Only a header can ask for it. */
	if (o->compat) {
		log_warn("%s cannot be used with %s", spelling,
		    line->given[OPTION_COMPATIBILITY].spelling);
		return false;
	}
	if (o->amount_bytes > AMOUNT_MAX_BYTES) {
		log_warn("bad value '%lld' for %s: with %s at most %lld bytes, "
			 "which is what the server can be told",
		    (long long)o->amount_bytes,
		    line->given[OPTION_NUM].spelling, spelling,
		    (long long)AMOUNT_MAX_BYTES);
		return false;
	}
	return true;
}

static void
choose_listen_ports(struct options *o, struct command_line *line)
{
	o->listen_given = is_given(line, OPTION_LISTENPORT);
	if (o->direction == DIRECTION_DUAL ||
	    o->direction == DIRECTION_TRADEOFF) {
		if (!o->listen_given)
			o->listen_ports = o->ports;
		return;
	}
	if (o->listen_given && !line->given[OPTION_LISTENPORT].from_environment)
		remarks_warn(o->remarks, "%s has no effect without -d or -r",
		    line->given[OPTION_LISTENPORT].spelling);
}

bool
rules_choose_direction(struct options *o, struct command_line *line)
{
	enum option_id id;

	if (o->role == ROLE_SERVER)
		return true;
	id = choose(o, line);
	if (id != OPTION_COUNT &&
	    !check_company(o, line, line->given[id].spelling))
		return false;
	choose_listen_ports(o, line);
	forget_idle(o, line);
	return true;
}
