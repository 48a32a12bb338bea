/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

/* Socket addresses: from names, with ports, one after another. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/options.h"

/* Room for "address port 65535" of any family, with a scope. */
#define ADDRESS_TEXT_MAX 96

struct address {
	struct sockaddr_storage ss;
	socklen_t len;
};

struct addresses {
	struct address *list; /* in the resolver's order of preference */
	size_t n;
};

/*
 * Resolves the host of an endpoint to stream addresses with a port. An empty
 * host is the wildcard address. An IPv6 link-local address takes the
 * endpoint's device as its scope. Returns 0, or an EAI_* code for
 * address_explain(). The caller frees with addresses_fini(), also after an
 * error. Any thread; may block for as long as the resolver does.
 */
int addresses_resolve(struct addresses *, const struct endpoint *, enum family,
    uint16_t port);
void addresses_fini(struct addresses *);

/* Room for what address_explain() writes. */
#define ADDRESS_EXPLAIN_MAX (OPTIONS_HOST_MAX + 96)

/*
 * Writes what is wrong with the endpoint, by the EAI_* code of resolving it:
 * "HOST: Unknown host", or that its device does not exist. Returns buf. Right
 * after that call, as some codes leave more in errno.
 */
const char *address_explain(const struct endpoint *, int eai,
    char buf[static ADDRESS_EXPLAIN_MAX]);

/* The length of an IPv4 or IPv6 socket address. */
socklen_t address_length(const struct sockaddr_storage *);

/* The address of a socket's own end. Returns 0 or -1 (errno). */
int address_of_local(struct address *, int fd);

uint16_t address_port(const struct address *);
void address_set_port(struct address *, uint16_t port);

/*
 * The bytes of the host part, within the address, and how many. Of a v4-mapped
 * address only the IPv4 part, so that both spellings of a host compare equal.
 */
const uint8_t *address_bytes(const struct address *, size_t *len);

/* Adds n to the host part, as one big-endian number that may wrap. */
void address_add(struct address *, unsigned n);

/* Whether it is one of this host's own. */
bool address_is_local(const struct address *);

/* True when both name the same host; v4-mapped IPv6 counts as IPv4. */
bool address_same_host(const struct address *, const struct address *);

/* Writes "192.0.2.1", or an IPv6 address with its scope; returns buf. */
const char *address_host(const struct address *, char *buf, size_t size);

/* Writes "192.0.2.1 port 5001" and returns buf. For messages. */
const char *address_text(const struct address *, char *buf, size_t size);

/* The name of the interface that has the address; false when unknown. */
bool address_device(const struct address *, char name[static IFNAMSIZ]);

#endif
