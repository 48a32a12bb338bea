/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_TROUBLE_H
#define ROLE_TROUBLE_H

/*
 * What goes wrong with a connection, in one line: that both directions notice
 * when it breaks is not worth a second one.
 */

#include <stdatomic.h>

struct reporter;

/* Its threads share it: all members but is_told are immutable. */
struct trouble {
	struct reporter *reporter;
	int id;		     /* of the stream */
	atomic_bool is_told; /* false at first */
};

/*
 * A warning, or an error for which the stream fails, after "[ID] ", unless
 * there has been one of either. Any thread.
 */
void trouble_tell(struct trouble *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void trouble_fail(struct trouble *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
