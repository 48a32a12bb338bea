/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/rules_handshake.h"
#include "wire/client_header.h"

#define US_PER_S (NS_PER_S / NS_PER_US)
#define GENERATED_LETTERS 16

/* What a client says in its header, or learns by it. */
static const enum option_id needs_header[] = {
    OPTION_PEER_DETECT,
    OPTION_PERMIT_KEY,
    OPTION_SYNC_TRANSFER_ID,
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

/* "1796068270.578215-wfm5l8n2Qnwvxs5O", as users know it. */
static bool
make_key(struct options *o)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	enum {
		LETTERS = sizeof(letters) - 1,
		FAIR = 256 / LETTERS * LETTERS
	};
	char text[GENERATED_LETTERS + 1] = "";
	int64_t now_us = clock_wall_ns() / NS_PER_US;
	unsigned char byte;
	size_t n = 0;

	while (n < GENERATED_LETTERS) {
		if (getentropy(&byte, sizeof(byte)) == -1) {
			log_warn("cannot make a permit key: %s",
			    strerror(errno));
			return false;
		}
		/* Others would make some letters likelier. */
		if (byte < FAIR)
			text[n++] = letters[byte % LETTERS];
	}
	snprintf(o->permit_key, sizeof(o->permit_key),
	    "%" PRId64 ".%06" PRId64 "-%s", now_us / US_PER_S,
	    now_us % US_PER_S, text);
	return true;
}

/* A server without a key of the user's makes one, which it has to show. */
static bool
check_key(struct options *o, const struct command_line *line)
{
	const char *spelling = line->given[OPTION_PERMIT_KEY].spelling;

	if (!is_given(line, OPTION_PERMIT_KEY) || o->permit_key[0] != '\0')
		return true;
	if (o->role == ROLE_CLIENT) {
		log_warn("%s needs a value on a client", spelling);
		return false;
	}
	if (o->role == ROLE_SERVER && (o->exclude & EXCLUDE_SETTINGS)) {
		log_warn("%s needs a value where the banner, which would show "
			 "it, is left out",
		    spelling);
		return false;
	}
	return make_key(o);
}

/*
 * The numbers share a word of the header with the count of streams, which a
 * test in the other direction needs as it is, and have eleven bits of it.
 */
static bool
check_transfer_id(const struct options *o, const struct command_line *line)
{
	const char *spelling = line->given[OPTION_SYNC_TRANSFER_ID].spelling;
	enum option_id other = OPTION_COUNT;

	if (!o->sync_transfer_id)
		return true;
	if (o->direction == DIRECTION_DUAL)
		other = OPTION_DUALTEST;
	else if (o->direction == DIRECTION_TRADEOFF)
		other = OPTION_TRADEOFF;
	if (other != OPTION_COUNT) {
		log_warn("%s cannot be used with %s", spelling,
		    line->given[other].spelling);
		return false;
	}
	if (o->multicast) {
		log_warn("%s cannot be used with a multicast group", spelling);
		return false;
	}
	if (o->parallel > CLIENT_HEADER_TRANSFER_ID_MAX) {
		log_warn("bad value '%d' for %s: with %s at most %d streams, "
			 "which is what the server can be told",
		    o->parallel, line->given[OPTION_PARALLEL].spelling,
		    spelling, CLIENT_HEADER_TRANSFER_ID_MAX);
		return false;
	}
	return true;
}

bool
rules_check_handshake(struct options *o, struct command_line *line)
{
	size_t i;

	if (!check_key(o, line))
		return false;
	if (o->role == ROLE_SERVER)
		return true;
	for (i = 0; i < sizeof(needs_header) / sizeof(needs_header[0]); i++) {
		if (!check_header(o, line, needs_header[i]))
			return false;
	}
	return check_transfer_id(o, line);
}
