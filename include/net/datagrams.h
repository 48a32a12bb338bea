/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_DATAGRAMS_H
#define NET_DATAGRAMS_H

/*
 * Datagrams in batches: sendmmsg() and recvmmsg(), and where the kernel has
 * them UDP_SEGMENT (one call that the kernel cuts into datagrams), UDP_GRO
 * (the reverse), receive time stamps and the count of what the receive queue
 * had to drop. What is missing is found out at run time and done without:
 * the datagrams are the same. One struct per socket and thread; no
 * allocation after init.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Datagrams in one call at most. */
#define DATAGRAMS_BATCH 64

struct datagrams_out;

/*
 * A sender of datagrams of at most `size` bytes on a connected socket. The
 * caller frees with datagrams_out_free().
 */
struct datagrams_out *datagrams_out_new(int fd, size_t size);
void datagrams_out_free(struct datagrams_out *);

/* The buffer of datagram i, 0 <= i < DATAGRAMS_BATCH: `size` bytes. */
uint8_t *datagrams_out_buffer(struct datagrams_out *, unsigned i);

/*
 * How many datagrams of `size` bytes one call may take: 1 where the system
 * has no batches, else up to DATAGRAMS_BATCH (65507 bytes in all with
 * UDP_SEGMENT).
 */
unsigned datagrams_out_max(const struct datagrams_out *);

/*
 * Sends buffers 0 to n-1, each `size` bytes but the last, which has
 * last_size; does not wait. Returns how many left, which may be fewer than n,
 * or -1 with errno when none did: EAGAIN when the socket is full. Falls back
 * for good when the kernel refuses a method (EINVAL, EIO, EMSGSIZE, ENOSYS on
 * segments): never an error by itself.
 */
int datagrams_out_send(struct datagrams_out *, unsigned n, size_t last_size);

/* Ways to send, the best first. */
enum datagrams_method {
	DATAGRAMS_SEGMENTS, /* one call, cut by the kernel */
	DATAGRAMS_MANY,	    /* one call, many messages */
	DATAGRAMS_SINGLE,   /* a call each */
};

/* The method in use; does without better ones than `best` from now on. */
enum datagrams_method datagrams_out_method(const struct datagrams_out *);
void datagrams_out_limit(struct datagrams_out *, enum datagrams_method best);

/* One datagram as received; data is valid until the next call. */
struct datagram_in {
	const uint8_t *data;
	size_t bytes;	 /* true length, also if cut */
	size_t stored;	 /* bytes at data */
	int64_t wall_ns; /* when the kernel got it, ns since 1970 */
	int tos;	 /* or traffic class, the byte; -1 unless the socket
			    reports it */
	const struct sockaddr_storage *from;
	const struct sockaddr_storage *to; /* host part of our address; NULL
					      unless the socket reports it */
};

struct datagrams_in;

/*
 * A receiver. Switches on time stamps and, if asked, UDP_GRO (segments of
 * one aggregate share a time stamp), unless the socket's buffer is too small
 * for aggregates. Buffers hold datagrams of any size. The drops of the socket
 * so far count as new. The caller frees with datagrams_in_free().
 */
struct datagrams_in *datagrams_in_new(int fd, bool with_gro);
void datagrams_in_free(struct datagrams_in *);

/*
 * Waits for at least one datagram and takes what is there. Returns the
 * number of datagrams, or -1 with errno (EAGAIN after the socket's receive
 * timeout).
 */
int datagrams_in_receive(struct datagrams_in *);

/* Datagram i of the last receive; segments of aggregates are separate. */
const struct datagram_in *datagrams_in_get(const struct datagrams_in *,
    unsigned i);

/* Datagrams that this socket's queue dropped since the last call. */
uint64_t datagrams_in_take_drops(struct datagrams_in *);

/* Whether its room was half in use then; false where the system cannot tell. */
bool datagrams_in_fills(const struct datagrams_in *);

#endif
