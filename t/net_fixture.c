/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "net_fixture.h"

struct address
net_fixture_address(const char *host, uint16_t port)
{
	struct endpoint ep = {.port = port};
	struct addresses found;
	struct address a;

	strlcpy(ep.host, host, sizeof(ep.host));
	ck_assert_int_eq(addresses_resolve(&found, &ep, FAMILY_ANY, port), 0);
	a = found.list[0];
	addresses_fini(&found);
	return a;
}

struct options
net_fixture_options(void)
{
	struct options o = {
	    .window_bytes = -1,
	    .mss_bytes = -1,
	    .tos = -1,
	    .ttl = -1,
	    .fq_rate_bps = -1,
	    .write_prefetch_bytes = -1,
	    .rx_window_clamp_bytes = -1,
	};

	return o;
}
