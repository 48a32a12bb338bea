/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "role/handshake.h"
#include "role/permit.h"

_Static_assert(OPTIONS_KEY_MAX == CLIENT_HEADER_KEY_MAX,
    "a key that can be given can be presented");

/* All bytes of both arrays count; behind a key they are zeros. */
static bool
is_same(const char *a, const char *b)
{
	volatile unsigned char differs = 0;
	size_t i;

	for (i = 0; i <= OPTIONS_KEY_MAX; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return differs == 0;
}

/* A key is asked of everybody, so only who is known to have it is let in. */
const char *
permit_refusal(const struct hello *h, const struct options *server)
{
	bool presents =
	    h->kind == HELLO_CLIENT && h->header.permit_key[0] != '\0';

	if (server->permit_key[0] == '\0')
		return presents ? "refused: the client presents a permit key, "
				  "none is expected"
				: NULL;
	if (h->kind == HELLO_REFUSED)
		return h->why;
	if (h->kind != HELLO_CLIENT)
		return "refused: no test header, and so no permit key";
	if (!presents)
		return "refused: the client presents no permit key";
	if (!is_same(h->header.permit_key, server->permit_key))
		return "refused: the client presents a wrong permit key";
	return NULL;
}

int64_t
permit_life_ns(const struct options *server)
{
	if (server->permit_key[0] == '\0' || server->permit_life_ns == 0)
		return INT64_MAX;
	return server->permit_life_ns;
}
