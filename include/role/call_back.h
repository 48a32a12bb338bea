/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_CALL_BACK_H
#define ROLE_CALL_BACK_H

/*
 * A server's connection back to its client, with -d and -r: to the address
 * from which the client came, at the port that it named, and for the amount
 * that it announced.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "net/address.h"
#include "wire/client_header.h"

struct party;
struct server;
struct trouble;
struct udp_path;

struct call_back {
	struct server *server;
	struct party *party;
	struct address client; /* whose stream this answers */
	struct address local;  /* where it came to */
	struct client_header header;
	struct trouble *trouble; /* of the stream that this answers */
	atomic_bool cancelled;	 /* the client has gone: do not try again */
	struct udp_path *path;	 /* UDP: whether the client is there */
	int64_t lead_ns; /* UDP: how much later than the client it begins */
};

/*
 * Connects, sends and waits for the end, or gives up the stream that the party
 * was promised. Blocks its thread, which is a worker's or one of its own.
 * Trouble is told to the reporter in one line. A port that refuses is tried
 * again for two seconds, TCP, unless the client has gone meanwhile.
 */
void call_back_run(struct call_back *);

#endif
