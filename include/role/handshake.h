/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_HANDSHAKE_H
#define ROLE_HANDSHAKE_H

/* The first exchange on an accepted TCP connection. */

#include <stddef.h>
#include <stdint.h>

#include "wire/client_header.h"

struct options;

enum hello_kind {
	HELLO_PLAIN,   /* no header (old or foreign client): all is payload */
	HELLO_CLIENT,  /* a header, understood */
	HELLO_REFUSED, /* asks for what is not done here: see `why` */
	HELLO_SILENT,  /* nothing, or not enough, came in time */
	HELLO_FAILED,  /* the connection broke */
};

struct hello {
	enum hello_kind kind;
	struct client_header header; /* HELLO_CLIENT */
	size_t bytes;		     /* read so far; they count as payload */
	int64_t first_ns; /* when the first bytes were there, monotonic */
	int64_t wall_ns;  /* when reading began, since 1970 */
	const char *why;  /* for the user; NULL nothing to say */
};

/*
 * Reads what the client begins with, up to the end of its header and no
 * further. HELLO_PLAIN may come with a remark in `why`. The calling worker
 * blocks until deadline_ns; INT64_MAX for ever.
 */
void handshake_read(struct hello *, int fd, int64_t deadline_ns);

/* Answers a header, when the client's version expects it. 0, or -1 (errno). */
int handshake_answer(const struct hello *, int fd);

#endif
