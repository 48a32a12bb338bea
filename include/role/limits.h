/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_LIMITS_H
#define ROLE_LIMITS_H

/* Descriptors beside those of the streams. */
#define LIMITS_FILES_RESERVED 16

/*
 * Raises the limit of open files to the hard limit. Main thread, at start.
 */
void limits_raise_files(void);

/* Whether n descriptors can be open. Returns 0, or -1. */
int limits_want_files(int n);

#endif
