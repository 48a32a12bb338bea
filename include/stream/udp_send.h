/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_UDP_SEND_H
#define STREAM_UDP_SEND_H

/*
 * The sending half of a UDP stream: datagrams on schedule, the final one and
 * the exchange that ends the test. One struct per stream, used by its worker
 * only, but for the stop flag.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pace/cadence.h"
#include "pace/kalman.h"
#include "stream/udp_input.h"
#include "stream/udp_pause.h"
#include "wire/udp_report.h"

struct client_header;
struct datagrams_out;
struct options;
struct slot;

/*
 * Who may hold a stream back. Asked by the stream's thread before each call
 * with the bytes that have left so far: how many of n datagrams of some size
 * may go now. 0: none yet, ask again; -1: the stream shall end.
 */
struct udp_gate {
	int (*allows)(void *arg, uint64_t sent_bytes, unsigned n, size_t bytes);
	const char *(*why)(void *arg); /* it does not; NULL: that is well */
	bool (*is_open)(void *arg);    /* it never will again, nor read the
					  socket */
	void *arg;
};

struct udp_send {
	int fd; /* connected; the owner's */
	struct slot *slot;
	const atomic_bool *stop; /* the owner sets it once */
	const struct options *options;
	int64_t start_ns;	     /* monotonic */
	int64_t deadline_ns;	     /* INT64_MAX: none */
	uint64_t remaining_bytes;    /* UINT64_MAX: no limit */
	struct udp_input input;	     /* its fd */
	const struct udp_gate *gate; /* NULL none */
	bool is_one_way;	     /* no report; also if the options say so */
	bool heeds_refusal;	     /* nobody at the port: an error at once */
	bool heeds_pauses;	     /* nobody else reads fd, but the gate */
	unsigned final_copies; /* more finals of a stream that is one way */

	/* The worker's own: */
	struct datagrams_out *out;
	size_t length;	       /* bytes of a datagram */
	uint32_t header_flags; /* first word of the header, as sent */
	uint8_t *first;	       /* the first datagram, with all its header;
				  NULL: no header, but a file */
	size_t first_length;
	int64_t next_id;
	uint64_t sent_bytes; /* that have left, for the gate */
	struct cadence cadence;
	struct kalman oversleep;
	struct udp_pause pause;
	int64_t vary_ns; /* when -b mean,stddev changes next */
	unsigned short seed[3];
	bool was_refused; /* out: nobody listens at the port */
};

/*
 * Prepares a stream: fd, slot, stop, options, times, remaining_bytes and
 * input.fd are set; the header is NULL with -C. Free with udp_send_fini().
 */
void udp_send_init(struct udp_send *, const struct client_header *);
void udp_send_fini(struct udp_send *);

/*
 * Sends the first datagram before the rest is due, for a test that starts at
 * a set time. Returns 0, or -1 with errno.
 */
int udp_send_ahead(struct udp_send *);

/*
 * Sends until time, amount or the stop flag ends it. Returns 0, or -1 with
 * errno.
 */
int udp_send_run(struct udp_send *);

/* How the end went. */
enum udp_finish {
	UDP_FINISH_REPORTED,   /* *report is filled in */
	UDP_FINISH_NO_NUMBERS, /* the server knows the end, its report was lost
				*/
	UDP_FINISH_SILENT,     /* no answer after *tries final datagrams */
	UDP_FINISH_ONE_WAY,    /* none was asked for */
	UDP_FINISH_HELD,       /* the gate let no final datagram pass */
	UDP_FINISH_FAILED,     /* errno */
};

/*
 * Sends the final datagram, once more and again until the server's report
 * comes. The first final counts as the stream's last datagram; *end_ns is
 * when it left.
 */
enum udp_finish udp_send_finish(struct udp_send *, struct udp_report *report,
    int64_t *end_ns, unsigned *tries);

#endif
