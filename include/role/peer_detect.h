/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_PEER_DETECT_H
#define ROLE_PEER_DETECT_H

/*
 * -X and --permit-key: a client that waits for the server's answer to the
 * header before it does anything else, and so learns the version of the
 * server, and whether it is let in.
 */

#include <stdbool.h>
#include <stdint.h>

#include "wire/ack.h"

struct client_header;
struct client_stream;
struct late_answer;
struct options;

/* Whether streams wait for the answer. */
bool peer_detect_is_wanted(const struct options *);

/* Asks for the answer where the server would not give it unasked. */
void peer_detect_ask(const struct options *, struct client_header *);

/*
 * Reads an answer. Returns 0, or -1 with errno: ETIMEDOUT after the deadline
 * (monotonic); EPROTO, something else came, of which nothing was taken;
 * EBADMSG, an answer that makes no sense; ECONNRESET, also at the end of the
 * stream; others as recv(). *late is what came of it.
 */
int peer_detect_read(int fd, int64_t deadline_ns, struct ack *,
    struct late_answer *late);

/*
 * Sends the header of a connected stream and waits for the answer. Without
 * one in time the test goes on, after a warning. If the server closes the
 * connection it becomes one that could not be made.
 */
void peer_detect_run(struct client_stream *, int64_t start_ns);

#endif
