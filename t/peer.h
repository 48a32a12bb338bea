/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PEER_H
#define PEER_H

/*
 * What the clients, in peer.c and peer_ask.c, and the servers, in
 * peer_server.c, share.
 */

#include <netinet/in.h>
#include <stdint.h>

/* No run lasts longer. */
#define RUN_MAX_S 60

struct run {
	struct sockaddr_in to; /* a server: where to listen */
	char **args;	       /* of the command */
};

/* Monotonic time. */
int64_t peer_now_ms(void);

/* An argument; ends the program if it is no number in the range. */
long long peer_number(const char *text, long long low, long long high);

/* Writes a number in network order. */
void peer_put_u16(uint8_t *, unsigned);
void peer_put_u32(uint8_t *, uint32_t);

/* Connects, or ends the program. */
int peer_connect(const struct run *);

/* Closes a connection with a reset. */
void peer_reset(int fd);

/* Plays a client that asks its server to send. */
void peer_ask(const struct run *);

/* Plays a server whose answer to the header is late, for one client. */
void peer_answer(const struct run *);

/* Plays a server until the alarm or a signal. */
void peer_serve(const struct run *);

#endif
