/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PAIR_H
#define PAIR_H

/* Two connected sockets: ours, and the peer's. A fixture of Check. */

#include <stddef.h>

extern int pair[2]; /* our end, the peer's end */

void pair_open(void);
void pair_close(void);

/* What the peer sends; all of it, or the test fails. */
void pair_send(const void *bytes, size_t len);

/* What our end has not read yet begins with this, which is then read. */
void pair_check_left(const char *text);

#endif
