/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROLE_BANNER_H
#define ROLE_BANNER_H

/* The settings that a banner shows, as far as a socket tells them. */

#include <stdint.h>

struct options;
struct settings_fact;

/* fd: a socket like those of the streams, before it connects. */
void banner_client(struct settings_fact *, const struct options *, int fd);

/* fd: a listening socket. */
void banner_server(struct settings_fact *, const struct options *, int fd);

#endif
