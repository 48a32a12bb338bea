/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>

#include "base/log.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/rules_handshake.h"

/* What a client says in its header, or learns by it. */
static const enum option_id needs_header[] = {
    OPTION_PEER_DETECT,
};

/* What sends no header. */
static const enum option_id without_header[] = {
    OPTION_COMPATIBILITY,
    OPTION_CONNECT_ONLY,
};

/* A variable is for all tests that can heed it, an option is for this one. */
static bool
check_header(struct options *o, struct command_line *line, enum option_id id)
{
	const struct given *given = &line->given[id];
	size_t i;

	for (i = 0; i < sizeof(without_header) / sizeof(without_header[0]);
	     i++) {
		if (given->order == 0 || !is_given(line, without_header[i]))
			continue;
		if (!given->from_environment) {
			log_warn("%s cannot be used with %s", given->spelling,
			    line->given[without_header[i]].spelling);
			return false;
		}
		parse_forget(line, o, id);
	}
	return true;
}

bool
rules_check_handshake(struct options *o, struct command_line *line)
{
	size_t i;

	if (o->role == ROLE_SERVER)
		return true;
	for (i = 0; i < sizeof(needs_header) / sizeof(needs_header[0]); i++) {
		if (!check_header(o, line, needs_header[i]))
			return false;
	}
	return true;
}
