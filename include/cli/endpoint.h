/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ENDPOINT_H
#define CLI_ENDPOINT_H

/*
 * Hosts as users write them: "name", "10.0.0.1", "fe80::1%eth0", "[::1]",
 * "10.0.0.1:5001", "[fe80::1%eth0]:5001". Pure; nothing is resolved.
 */

#include <stdbool.h>

struct endpoint;

enum endpoint_error {
	ENDPOINT_EMPTY = -1,
	ENDPOINT_TOO_LONG = -2,
	ENDPOINT_BRACKET = -3,
	ENDPOINT_DEVICE = -4,
	ENDPOINT_PORT = -5,
};

/* The end of a sentence: "the host is missing". */
const char *endpoint_strerror(enum endpoint_error);

/*
 * Takes a host apart. Returns 0 or a negative enum endpoint_error, which
 * leaves the result as it was.
 */
int endpoint_parse(const char *, struct endpoint *);

/* What kind of address the host is; a name is none of them. */
bool endpoint_is_v4(const struct endpoint *);
bool endpoint_is_v6(const struct endpoint *);
bool endpoint_is_link_local(const struct endpoint *);
bool endpoint_is_multicast(const struct endpoint *);

#endif
