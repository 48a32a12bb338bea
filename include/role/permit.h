/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_PERMIT_H
#define ROLE_PERMIT_H

/* --permit-key on a server: who is let in, and for how long. Any thread. */

#include <stdint.h>

struct hello;
struct options;

/*
 * Why a client is not let in, a sentence; NULL: it is. The time that the
 * comparison takes tells nothing of the key.
 */
const char *permit_refusal(const struct hello *, const struct options *server);

/* For how long a server lets clients in, ns; INT64_MAX: for ever. */
int64_t permit_life_ns(const struct options *server);

#endif
