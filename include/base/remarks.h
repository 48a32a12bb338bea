/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_REMARKS_H
#define BASE_REMARKS_H

/*
 * Warnings from before there is a report: told on stderr at once, and kept so
 * that a report which has room for warnings can repeat them. Main thread, and
 * only read once there are others.
 */

#include <stdint.h>

struct remark {
	struct remark *next;
	int64_t wall_ns; /* ns since 1970 */
	char text[512];
};

/* All zero when there are none. */
struct remarks {
	struct remark *first; /* in their order */
	struct remark *last;
};

/* Warns as log_warn() does. Nothing is kept where there are no remarks. */
void remarks_warn(struct remarks *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees them. */
void remarks_fini(struct remarks *);

#endif
