/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_TROUBLE_H
#define ROLE_TROUBLE_H

/*
 * What goes wrong with a connection, in one line: that both directions notice
 * when it breaks is not worth a second one.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct reporter;

/* Room for the text of a message. */
#define TROUBLE_TEXT_MAX 512

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

/*
 * For trouble that may come again and again: whether it may be told now, not
 * more often than is bearable. *told_ns, 0 at first, is when it was told
 * last, monotonic; its caller's own.
 */
bool trouble_is_bearable(int64_t *told_ns, int64_t now_ns);

/*
 * Writes that what is to be sent cannot be read, a file or ("-") standard
 * input, by the errno of it. Returns buf. Any thread.
 */
const char *trouble_input(const char *path, int error,
    char buf[static TROUBLE_TEXT_MAX]);

#endif
