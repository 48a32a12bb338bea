/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_FIXTURE_H
#define NET_FIXTURE_H

/* What tests of sockets begin with. */

#include <stdint.h>

#include "base/options.h"
#include "net/address.h"

/* The address of a host that is written in figures; or fails the test. */
struct address net_fixture_address(const char *host, uint16_t port);

/* Options that ask nothing of a socket. */
struct options net_fixture_options(void);

#endif
