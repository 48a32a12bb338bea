/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_REQUEST_H
#define ROLE_REQUEST_H

/* What a client asks its server to send: -R, --full-duplex, -d, -r. */

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

struct client_header;

/* Which way data shall flow. */
enum direction request_direction(const struct client_header *);

/*
 * Why the server does not do what the header asks for, a sentence; NULL: it
 * does.
 */
const char *request_refusal(const struct client_header *,
    const struct options *server);

/*
 * The options of a sender as the header asks for it: amount, rate, length of
 * a write or datagram and what else a header carries; the rest is as on the
 * server.
 */
void request_options(struct options *, const struct options *server,
    const struct client_header *);

/*
 * The type of service of what is sent to a client: --tos-override, or -S of
 * the server, or as the client has it; -1: unset.
 */
int request_tos(const struct client_header *, const struct options *server);

/* A start that is further away is none, as with iperf 2. */
#define REQUEST_AHEAD_MAX_NS INT64_C(3601000000000)

/*
 * Whether a client whose direction ends now stopped well before the time that
 * it announced: it was interrupted, and wants no more of the other direction.
 */
bool request_ended_early(const struct client_header *, int64_t start_ns);

/*
 * When to begin, monotonic: now, or at the start that the header announces
 * if that is not far from now.
 */
int64_t request_start_ns(const struct client_header *);

#endif
