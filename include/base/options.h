/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

/*
 * What the user asked for. The command line (src/cli) fills one struct in
 * two phases: parsing stores what was given, options_finish() adds defaults
 * and applies the rules between options. From then on it is const; what a
 * run learns goes elsewhere. It lives on the lowest floor because roles,
 * streams and reports all read it; it knows nothing of any of them.
 *
 * "Unset" is -1 for numbers, "" for strings, unless stated otherwise; after
 * options_finish() only the members that say so can still be unset.
 */

#include <net/if.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_PORT 5001
#define OPTIONS_TCP_LENGTH 131072
#define OPTIONS_UDP_LENGTH 1470	     /* fits an Ethernet frame with IPv4 */
#define OPTIONS_UDP_V6_LENGTH 1450   /* ... and with IPv6 */
#define OPTIONS_UDP_LENGTH_MIN 16    /* number and time stamp */
#define OPTIONS_UDP_LENGTH_MAX 65507 /* what IPv4 can carry */
#define OPTIONS_UDP_RATE_BPS 1048576
#define OPTIONS_HOST_MAX 256
#define OPTIONS_KEY_MIN 4
#define OPTIONS_KEY_MAX 128

enum role {
	ROLE_NONE,
	ROLE_CLIENT,
	ROLE_SERVER,
	ROLE_LOOPBACK, /* client and server in one process */
};

enum protocol {
	PROTOCOL_TCP,
	PROTOCOL_UDP,
};

enum family {
	FAMILY_ANY,
	FAMILY_V4,
	FAMILY_V6,
};

/* Which way data flows; a server learns it from each client. */
enum direction {
	DIRECTION_FORWARD,
	DIRECTION_REVERSE,     /* -R: the server sends */
	DIRECTION_FULL_DUPLEX, /* both, on one connection */
	DIRECTION_DUAL,	       /* -d: both, on a connection each */
	DIRECTION_TRADEOFF,    /* -r: one after the other, likewise */
};

enum report_style {
	STYLE_TEXT,
	STYLE_CSV,
	STYLE_JSON,
	STYLE_JSON_STREAM,
};

/* Letters of -x: reports to leave out. */
enum exclude {
	EXCLUDE_CONNECTION = 1 << 0,
	EXCLUDE_DATA = 1 << 1,
	EXCLUDE_MULTICAST = 1 << 2,
	EXCLUDE_SETTINGS = 1 << 3,
	EXCLUDE_SERVER_REPORT = 1 << 4,
};

/* A host with what may be attached to it: "host%device", "host:port". */
struct endpoint {
	char host[OPTIONS_HOST_MAX]; /* without device, port and brackets */
	char device[IFNAMSIZ];
	uint16_t port; /* 0: none given */
};

struct port_range {
	uint16_t first;
	uint16_t last; /* >= first */
};

/* -b: a rate of one stream. */
struct target_rate {
	int64_t mean;	/* bits/s, or datagrams/s if per_packet; -1 unset,
			   0 no limit */
	int64_t stddev; /* bits/s; 0: constant */
	bool per_packet;
};

/* --histograms: bins of equal width, and limits of confidence. */
struct histogram_option {
	int64_t width_ns; /* of a bin; -1 unset: no histograms */
	int bins;
	double lower_percent; /* 0 to 100 */
	double upper_percent; /* not below lower_percent */
};

struct options {
	/* What to run, against whom. */
	enum role role;
	enum protocol protocol;
	enum family family;
	struct endpoint server;	    /* -c */
	struct endpoint bind;	    /* -B */
	struct endpoint ssm_source; /* -H: source of the group of -B */
	bool multicast; /* the host of -c, or of -B on a server, is a group */
	struct port_range ports; /* -p; loopback: chosen by the system */
	enum direction direction;
	struct port_range listen_ports; /* -L: where a client with -d or -r
					   listens; 0: the system chooses */
	bool listen_given; /* false: the server's ports, or if they are in use
			      here any other */
	int parallel;	   /* -P; a server: 0 is no limit */
	bool port_range_given; /* -p N-M with N < M */
	bool incr_dstip;
	bool incr_dstport;
	bool incr_srcip;
	bool incr_srcport;
	bool compat; /* -C: no header */
	bool daemon;
	bool single_client;

	/* How much, how fast. */
	int64_t duration_ns;	 /* client: 0 endless, -1 unset (then -n or -F
				    ends it); server: -1 for ever */
	int64_t amount_bytes;	 /* -n, bytes per stream; -1 unset */
	int64_t length_bytes;	 /* -l, bytes */
	bool length_given;	 /* false: length_bytes is the default */
	struct target_rate rate; /* UDP client: always set, unless ipg_ns is */
	int64_t ipg_ns;	 /* --ipg: gap between datagrams; -1 unset, 0 none */
	bool economy;	 /* wake up at most every 100 us, send what is due */
	bool no_udp_fin; /* no exchange at the end; always for multicast */
	int64_t fq_rate_bps;   /* --fq-rate, bits/s; -1 unset */
	char input_path[1024]; /* -F; "-" is -I */

	/* Sockets. */
	int64_t window_bytes; /* -w; -1 the system's */
	int mss_bytes;	      /* -M; -1 the system's */
	int tos;	      /* -S, --dscp: the whole byte; -1 unset */
	int tos_override;     /* server: of what is sent back; -1 unset */
	int ttl;	      /* -1 unset */
	bool nodelay;
	bool print_mss;
	bool realtime;		       /* -z */
	char congestion[16];	       /* -Z; "" the system's */
	int64_t write_prefetch_bytes;  /* -1 unset */
	int64_t rx_window_clamp_bytes; /* -1 unset */
	bool quickack;
	bool skip_rx_copy;
	bool local_only; /* no routers on the way */

	/* Connecting and starting. */
	bool connect_sync;	  /* false: --no-connect-sync */
	bool peer_detect;	  /* -X: wait for the server's answer */
	bool sync_transfer_id;	  /* the server is told the streams' numbers */
	bool ignore_shutdown;	  /* a stream ends with its last write */
	int connect_only;	  /* number of connects; -1 unset, 0 endless */
	int connect_retries;	  /* extra tries of --connect-retries; 0 none */
	int64_t connect_retry_ns; /* keep trying for so long; 0 do not */
	int64_t connect_retry_interval_ns;
	int64_t txstart_rt_ns;	   /* ns since 1970; -1 unset */
	int64_t txdelay_ns;	   /* 0 none */
	int64_t header_timeout_ns; /* server: --test-exchange-timeout, wait for
				     the test header; 0 for ever */

	bool no_reverse;	/* server: send nothing to clients */
	bool trust_udp_sources; /* server: nobody forges addresses here */
	char permit_key[OPTIONS_KEY_MAX + 1]; /* "" none; zeros behind it */
	int64_t permit_life_ns; /* server: of the key; 0 for ever */

	/* What a UDP server bears: */
	int max_flows;		/* at a time, >= 1 */
	int max_flows_per_host; /* of one address, >= 1 */

	/* Measuring. */
	bool trip_times; /* clocks agree: one-way delays mean something */
	struct histogram_option histogram; /* of delays */
	int64_t jitter_width_ns; /* of a bin of jitter histograms; -1 unset */

	/* Reports. */
	int64_t interval_ns; /* 0: none */
	char format;	     /* -f letter, 'a' by default */
	bool enhanced;
	bool sum_only;
	bool sum_dstip;
	bool hide_ips;
	bool utc;
	bool no_progress; /* no progress line at a terminal */
	enum report_style style;
	unsigned exclude;	 /* bits of enum exclude */
	char output_path[1024];	 /* -o; "" stdout */
	struct remarks *remarks; /* main's: what was warned of before the run,
				    for the report; NULL none */
};

#endif
