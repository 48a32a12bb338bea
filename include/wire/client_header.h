/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WIRE_CLIENT_HEADER_H
#define WIRE_CLIENT_HEADER_H

/*
 * The header with which a client opens a test, and its place at the start
 * of a TCP stream; client_header_udp.h has its place in a datagram. The
 * layout is in doc/PROTOCOL.md. Everything in the struct is in host order
 * and in the units of its name. A decoded header holds what a peer claims:
 * sizes and times are not bounded here, texts are not printable.
 *
 * Pure; any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/error.h"
#include "wire/stamp.h"
#include "wire/version.h"

#define CLIENT_HEADER_KEY_MIN 4
#define CLIENT_HEADER_KEY_MAX 128
#define CLIENT_HEADER_CODED_MAX 255
#define CLIENT_HEADER_MAX_BYTES \
	(CLIENT_HEADER_CODED_MAX + CLIENT_HEADER_KEY_MAX)
#define CLIENT_HEADER_CONGESTION_MAX 31
#define CLIENT_HEADER_SETTINGS_BYTES 32

/* Numbers that fit; the encoders refuse larger ones. */
#define CLIENT_HEADER_RATE_MAX_BPS ((UINT64_C(1) << 56) - 1)
#define CLIENT_HEADER_THREADS_MAX INT32_MAX
#define CLIENT_HEADER_TRANSFER_ID_MAX 2047
#define CLIENT_HEADER_TRANSFER_THREADS_MAX ((1 << 20) - 1)

/* Amounts that fit; larger ones are sent as these. */
#define CLIENT_HEADER_AMOUNT_MAX_BYTES INT32_MAX
#define CLIENT_HEADER_DURATION_MAX_NS INT64_C(21474836480000000)

/* What the first bytes of a stream, or a datagram, turn out to be. */
enum client_header_form {
	HEADER_NONE,	   /* no header: all is payload */
	HEADER_CLIENT,	   /* struct client_header */
	HEADER_BOUNCEBACK, /* TCP: first frame of requests and replies */
	HEADER_SMALL,	   /* UDP: trip times in a small datagram */
	HEADER_OLD,	   /* UDP: up to 2.0.9, base block at byte 12 */
};

/*
 * Isochronous traffic or periodic bursts. Pairs are an integer part and
 * millionths.
 */
struct client_header_settings {
	uint32_t frames_per_s;
	uint32_t frames_per_s_millionths;
	uint32_t mean_bps; /* periodic bursts: size of one in bytes */
	uint32_t mean_millionths;
	uint32_t stddev_bps;
	uint32_t stddev_millionths;
	uint32_t gap_ms; /* between the packets of a frame */
	uint32_t gap_millionths;
};

struct client_header {
	/* Base block. */
	uint32_t num_threads; /* streams of the client; 0: not said */
	bool has_transfer_id;
	bool marks_transfer_id; /* VERSION1 is set for it, as 2.2 does with TCP:
				   older servers start a test back then */
	uint16_t transfer_id;	/* under which the client prints; 0 none */
	uint16_t listen_port;	/* where to connect back; 0: none usable */
	uint32_t length_bytes;	/* of a read or write; 0: the default */
	uint32_t window_or_bps; /* 2.0: TCP window, UDP bit/s; else 0 */
	int64_t duration_ns;	/* -1: not limited by time */
	int64_t amount_bytes;	/* -1: not limited by bytes */

	/* Flags. Without an extension only dual and run_now can be set. */
	bool has_extension;
	bool has_old_extension; /* of 2.0.10 to 2.0.13; never encoded */
	bool dual;		/* a second test in the other direction */
	bool run_now;		/* dual: at once, not after the first */
	bool reverse;
	bool full_duplex;
	bool peer_detect; /* the client waits for the ack */
	bool seqno64;	  /* UDP ids have 64 bits */
	bool trip_times;  /* clocks agree; start is the first write */
	bool has_txstart; /* start is when to begin */
	bool isochronous;
	bool isochronous_settings; /* UDP: settings were meant */
	bool periodic_burst;
	bool quickack;
	bool no_udp_fin; /* UDP: no report wanted */
	bool l2_checks;	 /* UDP */
	bool l2_ipv6;	 /* UDP */
	bool l4s;	 /* UDP; version, tos and tag are then 0 */

	/* Extension block. */
	struct version version; /* of the client */
	uint16_t test_tag;	/* ours: tells one client process from
				   another; 0: not said */
	uint8_t tos;
	bool rate_is_pps;  /* rate_bps counts datagrams instead */
	uint64_t rate_bps; /* 0: TCP no limit; UDP not said */
	bool has_write_prefetch;
	uint32_t write_prefetch_bytes;
	bool has_barrier;
	uint32_t barrier_us; /* how long the stream waited for others */

	/* Start block. */
	bool has_start; /* the block is there, maybe unused */
	struct stamp start;
	bool has_fq_rate;
	uint64_t fq_rate_Bps; /* bytes per second */

	/* Settings block; what was cut off is 0. */
	uint8_t settings_bytes; /* 0..32, whole words: present on the wire */
	struct client_header_settings settings;

	/* TCP only; "" if absent. */
	char congestion[CLIENT_HEADER_CONGESTION_MAX + 1];
	char permit_key[CLIENT_HEADER_KEY_MAX + 1];
};

/* A header of this program with nothing asked for. */
void client_header_init(struct client_header *);

/*
 * Judges the first word of a TCP stream. Returns HEADER_NONE,
 * HEADER_BOUNCEBACK, HEADER_CLIENT or WIRE_INVALID; for HEADER_CLIENT
 * coded_bytes is the length of the header without its permit key, else 0.
 */
int client_header_tcp_form(uint32_t flags, size_t *coded_bytes);

/*
 * Called with what has arrived of a TCP stream: how many bytes must be at
 * hand before this is called again or the header is decoded, namely 4, then
 * all but the permit key, then all. When the answer is not above len the
 * header is complete. 0: no client header, the bytes are payload or a
 * bounceback frame. WIRE_INVALID: it looked like one but cannot be.
 */
int client_header_tcp_size(const uint8_t *buf, size_t len);

/*
 * Both return the bytes of the header, key included, or a negative enum
 * wire_error; after an error the struct or buffer has no meaning. The
 * encoder follows the layout of header->version and writes blocks as far as
 * what is set needs them.
 */
int client_header_decode_tcp(struct client_header *header, const uint8_t *buf,
    size_t len);
int client_header_encode_tcp(const struct client_header *header, uint8_t *buf,
    size_t size);

#endif
