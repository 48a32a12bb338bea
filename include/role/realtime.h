/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_REALTIME_H
#define ROLE_REALTIME_H

struct remarks;

/*
 * -z: real-time scheduling and memory that is never paged out, for all
 * threads started later, but not for child processes. Without the privilege it
 * warns, for the report too, and goes on. Main thread, before there are others.
 */
void realtime_start(struct remarks *);

#endif
