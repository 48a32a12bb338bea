/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

/*
 * All options as data: one row each, for parser, rules, usage and tests. What
 * this program knows but cannot do yet has one too: it is refused by name.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option_id.h"

enum option_argument {
	ARGUMENT_NONE,
	ARGUMENT_REQUIRED,
	ARGUMENT_OPTIONAL, /* only as --name=value */
};

/* How a value is read and where it goes; see cli/value.c. */
enum value_kind {
	VALUE_NONE,	    /* that it was given is all; rules use it */
	VALUE_SET,	    /* bool becomes true */
	VALUE_CLEAR,	    /* bool becomes false */
	VALUE_SWITCH,	    /* bool, of 0 or 1; true without value */
	VALUE_STDIN,	    /* text becomes "-" */
	VALUE_INTEGER,	    /* int */
	VALUE_BYTES,	    /* int64_t, scaled number */
	VALUE_BYTES_INT,    /* int, scaled number */
	VALUE_RATE,	    /* struct target_rate */
	VALUE_BIT_OR_BYTE,  /* int64_t bits/s */
	VALUE_SECONDS,	    /* int64_t ns; range in ns */
	VALUE_MICROSECONDS, /* likewise, whole ones */
	VALUE_INTERVAL,	    /* likewise, or "f" */
	VALUE_TOS,	    /* int */
	VALUE_DSCP,	    /* int, shifted */
	VALUE_PORTS,	    /* struct port_range */
	VALUE_LISTEN_PORTS, /* the same, or 0 */
	VALUE_HOST,	    /* struct endpoint without port */
	VALUE_BIND,	    /* struct endpoint */
	VALUE_ADDRESS,	    /* likewise, neither name nor port */
	VALUE_TEXT,	    /* char array */
	VALUE_KEY,	    /* likewise, zeros behind it; "" without value */
	VALUE_HISTOGRAM,    /* struct histogram_option */
	VALUE_FORMAT,	    /* char */
	VALUE_STYLE,	    /* enum report_style */
	VALUE_EXCLUDE,	    /* bits of enum exclude */
	VALUE_KIND_COUNT
};

/* Where an option has an effect. */
enum option_side {
	SIDE_CLIENT = 1,
	SIDE_SERVER = 2,
	SIDE_BOTH = SIDE_CLIENT | SIDE_SERVER,
};

enum option_protocol {
	WITH_TCP = 1,
	WITH_UDP = 2,
	WITH_ANY = WITH_TCP | WITH_UDP,
};

enum option_state {
	STATE_BUILT,
	STATE_PENDING,	   /* refused: not yet */
	STATE_REFUSED,	   /* refused for good */
	STATE_IGNORED,	   /* accepted, no effect */
	STATE_UNAVAILABLE, /* accepted with a warning */
};

enum option_group {
	GROUP_MODE,
	GROUP_AMOUNT,
	GROUP_ADDRESS,
	GROUP_STREAM,
	GROUP_DIRECTION,
	GROUP_REPORT,
	GROUP_SOCKET,
	GROUP_LATENCY,
	GROUP_START,
	GROUP_SERVER,
	GROUP_OTHER,
	GROUP_COUNT
};

#define OPTION_ALIASES_MAX 2
struct option_info {
	const char *name;			 /* long, without hyphens */
	const char *aliases[OPTION_ALIASES_MAX]; /* other spellings or NULL */
	char letter;				 /* '\0' none */
	enum option_argument argument;
	const char *value_name; /* "BYTES"; NULL no argument */
	const char *words;	/* values worth a completion; NULL none */
	enum value_kind kind;
	size_t offset; /* in struct options */
	size_t size;   /* of the member; 0 none */
	int64_t min;
	int64_t max;   /* 0: no limits */
	bool enhanced; /* implies -e */
	enum option_side side;
	enum option_protocol protocol;
	int tier;
	const char *since; /* oldest series known to have it */
	enum option_state state;
	enum option_group group;
	const char *help;
};

/* The row of an option. */
const struct option_info *option_info(enum option_id);

/*
 * The option that a text names: a letter, a long name or its unambiguous
 * beginning, with hyphens in front or without. OPTION_COUNT if none.
 */
enum option_id option_find(const char *text);

/* Every long name of an option in turn, aliases last; NULL at the end. */
const char *option_name(const struct option_info *, size_t index);

#endif
