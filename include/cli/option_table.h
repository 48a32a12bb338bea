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

/* In the order of the help text. */
enum option_id {
	OPTION_SERVER,
	OPTION_CLIENT,
	OPTION_LOOPBACK,
	OPTION_UDP,
	OPTION_IPV4,
	OPTION_IPV6,
	OPTION_IPV6_DOMAIN,

	OPTION_TIME,
	OPTION_NUM,
	OPTION_LEN,
	OPTION_BANDWIDTH,
	OPTION_FILE_INPUT,
	OPTION_STDIN_INPUT,
	OPTION_IPG,
	OPTION_ECONOMY,
	OPTION_NO_UDP_FIN,

	OPTION_PORT,
	OPTION_BIND,
	OPTION_TTL,
	OPTION_SSM_HOST,

	OPTION_PARALLEL,
	OPTION_NO_CONNECT_SYNC,
	OPTION_INCR_DSTIP,
	OPTION_INCR_DSTPORT,
	OPTION_INCR_SRCIP,
	OPTION_INCR_SRCPORT,

	OPTION_REVERSE,
	OPTION_FULL_DUPLEX,
	OPTION_DUALTEST,
	OPTION_TRADEOFF,
	OPTION_LISTENPORT,

	OPTION_INTERVAL,
	OPTION_FORMAT,
	OPTION_ENHANCED,
	OPTION_REPORTSTYLE,
	OPTION_JSON,
	OPTION_JSON_STREAM,
	OPTION_REPORTEXCLUDE,
	OPTION_OUTPUT,
	OPTION_SUM_ONLY,
	OPTION_SUM_DSTIP,
	OPTION_HIDE_IPS,
	OPTION_UTC,
	OPTION_NO_PROGRESS,

	OPTION_WINDOW,
	OPTION_MSS,
	OPTION_PRINT_MSS,
	OPTION_NODELAY,
	OPTION_TCP_CONGESTION,
	OPTION_TCP_CCA,
	OPTION_TOS,
	OPTION_DSCP,
	OPTION_TOS_OVERRIDE,
	OPTION_REALTIME,
	OPTION_FQ_RATE,
	OPTION_FQ_RATE_STEP,
	OPTION_FQ_RATE_STEP_INTERVAL,
	OPTION_TCP_QUICKACK,
	OPTION_TCP_RX_WINDOW_CLAMP,
	OPTION_TCP_WRITE_PREFETCH,
	OPTION_TCP_TX_DELAY,
	OPTION_SKIP_RX_COPY,
	OPTION_LOCAL_ONLY,
	OPTION_NEAR_CONGESTION,

	OPTION_TRIP_TIMES,
	OPTION_HISTOGRAMS,
	OPTION_JITTER_HISTOGRAMS,
	OPTION_TCP_WRITE_TIMES,
	OPTION_BOUNCEBACK,
	OPTION_BOUNCEBACK_CONGEST,
	OPTION_BOUNCEBACK_HOLD,
	OPTION_BOUNCEBACK_NO_QUICKACK,
	OPTION_BOUNCEBACK_PERIOD,
	OPTION_BOUNCEBACK_REPLY,
	OPTION_BOUNCEBACK_REQUEST,
	OPTION_BOUNCEBACK_TXDELAY,
	OPTION_WORKING_LOAD,
	OPTION_WORKING_LOAD_CCA,
	OPTION_ISOCHRONOUS,
	OPTION_BURST_PERIOD,
	OPTION_BURST_SIZE,

	OPTION_TXSTART_TIME,
	OPTION_TXDELAY_TIME,
	OPTION_CONNECT_ONLY,
	OPTION_CONNECT_RETRIES,
	OPTION_CONNECT_RETRY_TIME,
	OPTION_CONNECT_RETRY_TIMER,
	OPTION_PEER_DETECT,
	OPTION_IGNORE_SHUTDOWN,
	OPTION_SYNC_TRANSFER_ID,

	OPTION_DAEMON,
	OPTION_SINGLECLIENT,
	OPTION_TEST_EXCHANGE_TIMEOUT,
	OPTION_MAX_FLOWS,
	OPTION_MAX_FLOWS_PER_HOST,
	OPTION_SINGLE_UDP,
	OPTION_NO_REVERSE,
	OPTION_TRUST_UDP_SOURCES,
	OPTION_PERMIT_KEY,
	OPTION_PERMIT_KEY_TIMEOUT,

	OPTION_COMPATIBILITY,
	OPTION_SUGGEST_WIN_SIZE,
	OPTION_AWDL,
	OPTION_NUM_REPORT_STRUCTS,
	OPTION_L2CHECKS,
	OPTION_TAP_DEV,
	OPTION_TUN_DEV,
	OPTION_UDP_L4S,
	OPTION_UDP_L4S_VIDEO,

	OPTION_HELP,
	OPTION_VERSION,
	OPTION_COMPLETION,

	OPTION_COUNT
};

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
