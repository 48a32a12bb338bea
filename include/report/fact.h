/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_FACT_H
#define REPORT_FACT_H

/*
 * The facts that a report is made of. Roles and workers state them, the
 * reporter thread hands them to a writer, a writer turns them into bytes.
 * A fact carries plain values in base units (ns, bytes, bits/s); layout,
 * scaling and words are the writer's business.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "measure/tally.h"
#include "measure/tcp_info.h"

struct options;

/* What the banner shows, learned before the first connection. */
struct settings_fact {
	enum settings_role {
		SETTINGS_CLIENT,
		SETTINGS_SERVER,
		SETTINGS_LOOPBACK,
	} role;
	const struct options *options;
	uint16_t port_first; /* as bound or to be connected to */
	uint16_t port_last;
	pid_t pid;
	int streams;		   /* client: number of streams */
	int64_t window_bytes;	   /* what the kernel reports; -1 unknown */
	int mss_bytes;		   /* -1 unknown */
	char congestion[16];	   /* in use; "" unknown */
	int64_t call_bytes;	   /* largest read or write in one call */
	bool adaptive;		   /* writes grow up to call_bytes */
	double ipg_ns;		   /* UDP client: gap between datagrams that
				      the target rate asks for; 0 no limit */
	char loopback_address[64]; /* loopback only, e.g. "127.0.0.1" */
};

/* One connection, as its connection line shows it. */
struct connection_fact {
	int test; /* number of the test that it belongs to; 0 none */
	int id;
	int transfer_id; /* server: what the client calls it; 0 not said */
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
	char device[16];	/* "" unknown */
	bool is_server;		/* this end accepted it */
	int initial_cwnd_bytes; /* -1 unknown */
	int mss_bytes;		/* negotiated; -1 unknown */
	int initial_rtt_us;	/* -1 unknown */
	int64_t connect_ns;	/* time of the handshake; -1 unknown */
	int64_t wall_ns;	/* ns since 1970 */
	int tos_received;	/* of the peer's packets; -1 unknown */
	int tos_sent;		/* of ours, as set here; 0 none */
	char peer_version[32];	/* "2.1.8"; "" unknown */
	char congestion[16];	/* asked for with -Z; "" none */
	int64_t prefetch_bytes; /* --tcp-write-prefetch; -1 none */
	int64_t clamp_bytes;	/* --tcp-rx-window-clamp; -1 none */
	bool quickack;
	bool txstart;	  /* (epoch-start) */
	bool no_udp_fin;  /* no exchange at the end */
	bool trip_times;  /* the client vouches for the clocks */
	bool reverse;	  /* data comes from the end that accepted */
	bool full_duplex; /* ... from both */
	bool is_dropped;  /* refused for its permit key */
	bool is_back;	  /* a server's connection back to its client */
};

/* Which columns a row has. */
enum row_kind {
	ROW_TCP_SEND,
	ROW_TCP_RECV,
	ROW_UDP_SEND,
	ROW_UDP_RECV,
	ROW_TCP_BOTH, /* both directions, of a stream or a sum */
	ROW_UDP_BOTH,
};

/*
 * One line of figures: an interval or a total, of a stream or of the sum
 * over the streams of a test.
 */
struct row_fact {
	enum row_kind kind;
	bool total;	    /* else an interval */
	bool sum;	    /* over `streams` streams */
	bool server_report; /* as the far end of the stream reported it */
	bool has_delays;    /* UDP: trip times were asked for */
	bool reversed;	    /* of a stream where this end has the role that is
			       usually the other's; not set for both directions */
	bool two_way;	    /* a sum in a test of both directions */
	int test;	    /* number of the test, from 1 */
	int streams;
	int id;		  /* of the stream; sums: -1 */
	int64_t start_ns; /* since the stream's (sum's) start */
	int64_t end_ns;	  /* > start_ns unless nothing was measured */
	int64_t wall_ns;  /* ns since 1970 at end_ns */
	const struct tally *tally;
	const struct tcp_sample *tcp; /* last sample; NULL none, and for sums */
	struct sockaddr_storage source;	     /* of the traffic; sums: of the */
	struct sockaddr_storage destination; /* first stream */
	bool source_is_peer; /* the source end is the remote one */
	bool source_varies;  /* sums: the port of that end is not the same */
	bool destination_varies; /* for all streams, so that there is none */
};

/* How many datagrams a UDP sender, or the sum over `streams`, sent. */
struct udp_sent_fact {
	int id; /* of the stream; sums: -1 */
	bool sum;
	int streams;
	uint64_t datagrams;
};

/* --connect-only: the summary of all connects (output.md, section 22). */
struct connect_times_fact {
	uint64_t attempts;
	uint64_t failures;
	int64_t min_ns; /* of those that succeeded */
	int64_t max_ns;
	double mean_ns;
	double stddev_ns; /* sample deviation; 0 with one */
};

/* A diagnostic, which is told on stderr too. */
struct remark_fact {
	const char *text;
	bool is_error; /* for which the run fails; else a warning */
	int64_t wall_ns;
};

/* How a run ended. */
enum outcome {
	OUTCOME_COMPLETED,
	OUTCOME_INTERRUPTED, /* by the first signal: totals are complete */
	OUTCOME_ABORTED,     /* by the second: nothing more was measured */
	OUTCOME_FAILED,
};

#endif
