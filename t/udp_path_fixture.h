/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UDP_PATH_FIXTURE_H
#define UDP_PATH_FIXTURE_H

/*
 * A path of a server to a client that has not proven its address, with both
 * ends of it on the loopback device. Times of the path are set by the tests, so
 * that no verdict hangs on how fast they run. A fixture of Check.
 */

#include <stddef.h>
#include <stdint.h>

#include "role/server_impl.h"
#include "role/udp_path.h"
#include "role/udp_peer.h"

#define PATH_LENGTH 400 /* of what is sent */
#define PATH_HOUR_NS (3600 * NS_PER_S)

/* Clients that answer challenges, and that do not. */
#define PATH_OURS 0x00020032
#define PATH_THEIRS 0x00020001

extern struct options path_options;
extern struct server *path_server;
extern struct udp_path path;
extern struct udp_peer *path_peer; /* the client, for -R */
extern int path_here;		   /* the server's end, connected to .. */
extern int path_there;		   /* .. the client's; -1: closed by the test */

void path_set_up(void);
void path_tear_down(void);

/* Prepares the path to a client of some version. */
void path_begin(uint32_t version, size_t report_bytes);

/* The same with -R, where the sender reads what comes. */
void path_begin_reverse(uint32_t version);

/* No test runs until the latest request is heard: it is never long ago. */
void path_set_heard_late(void);

/* What the gate says of n datagrams. */
int path_allowed(uint64_t sent_bytes, unsigned n);

/* Writes a request of so many bytes as iperf 2 repeats it; returns size. */
size_t path_make_request(uint8_t *buf, size_t size);

/* One has come that was so long. */
void path_take_request(size_t bytes);

/* Sends a proof, as the client. */
void path_send_proof(uint64_t token);

/* Takes the challenges that have come to the client, and their token. */
int path_take_challenges(uint64_t *token);

#endif
