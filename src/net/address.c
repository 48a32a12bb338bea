/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "net/address.h"

static const struct sockaddr_in *
as_in(const struct address *a)
{
	return (const struct sockaddr_in *)&a->ss;
}

static const struct sockaddr_in6 *
as_in6(const struct address *a)
{
	return (const struct sockaddr_in6 *)&a->ss;
}

socklen_t
address_length(const struct sockaddr_storage *ss)
{
	return ss->ss_family == AF_INET ? sizeof(struct sockaddr_in)
					: sizeof(struct sockaddr_in6);
}

const uint8_t *
address_bytes(const struct address *a, size_t *len)
{
	const struct in6_addr *in6;

	if (a->ss.ss_family == AF_INET) {
		*len = 4;
		return (const uint8_t *)&as_in(a)->sin_addr;
	}
	in6 = &as_in6(a)->sin6_addr;
	*len = IN6_IS_ADDR_V4MAPPED(in6) ? 4 : 16;
	return in6->s6_addr + (16 - *len);
}

static int
family_hint(enum family family)
{
	switch (family) {
	case FAMILY_V4:
		return AF_INET;
	case FAMILY_V6:
		return AF_INET6;
	case FAMILY_ANY:
		break;
	}
	return AF_UNSPEC;
}

/* Only a link-local literal is looked up with its zone. */
static bool
needs_zone(const struct endpoint *ep)
{
	struct in6_addr in6;

	return ep->device[0] != '\0' &&
	       inet_pton(AF_INET6, ep->host, &in6) == 1 &&
	       IN6_IS_ADDR_LINKLOCAL(&in6);
}

int
addresses_resolve(struct addresses *as, const struct endpoint *ep,
    enum family family, uint16_t port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL, *ai;
	char name[OPTIONS_HOST_MAX + IFNAMSIZ + 1], service[8];
	const char *node = ep->host[0] != '\0' ? name : NULL;
	int rc;

	as->list = NULL;
	as->n = 0;
	hints.ai_family = family_hint(family);
	hints.ai_flags = AI_NUMERICSERV | (node == NULL ? AI_PASSIVE : 0);
	snprintf(name, sizeof(name), "%s%s%s", ep->host,
	    needs_zone(ep) ? "%" : "", needs_zone(ep) ? ep->device : "");
	snprintf(service, sizeof(service), "%u", (unsigned)port);
	rc = getaddrinfo(node, service, &hints, &found);
	if (rc != 0)
		return rc;
	for (ai = found; ai != NULL; ai = ai->ai_next)
		as->n++;
	as->list = xcalloc(as->n, sizeof(*as->list));
	as->n = 0;
	for (ai = found; ai != NULL; ai = ai->ai_next) {
		struct address *a = &as->list[as->n++];

		memcpy(&a->ss, ai->ai_addr, ai->ai_addrlen);
		a->len = ai->ai_addrlen;
	}
	freeaddrinfo(found);
	return 0;
}

void
addresses_fini(struct addresses *as)
{
	free(as->list);
	as->list = NULL;
	as->n = 0;
}

static const char *
reason(int eai)
{
	if (eai == EAI_NONAME)
		return "Unknown host";
	if (eai == EAI_SYSTEM)
		return strerror(errno);
	return gai_strerror(eai);
}

const char *
address_explain(const struct endpoint *ep, int eai,
    char buf[static ADDRESS_EXPLAIN_MAX])
{
	const char *why = reason(eai);

	if (needs_zone(ep) && if_nametoindex(ep->device) == 0)
		snprintf(buf, ADDRESS_EXPLAIN_MAX, "cannot use device '%s': %s",
		    ep->device, strerror(ENODEV));
	else
		snprintf(buf, ADDRESS_EXPLAIN_MAX, "%s: %s", ep->host, why);
	return buf;
}

int
address_of_local(struct address *a, int fd)
{
	a->len = sizeof(a->ss);
	return getsockname(fd, (struct sockaddr *)&a->ss, &a->len);
}

bool
address_is_local(const struct address *a)
{
	struct address any_port = *a;
	bool is_local;
	int fd;

	/* The system knows best: it lets nobody bind to others' addresses. */
	fd = socket(a->ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return false;
	address_set_port(&any_port, 0);
	is_local =
	    bind(fd, (const struct sockaddr *)&any_port.ss, any_port.len) == 0;
	close(fd);
	return is_local;
}

uint16_t
address_port(const struct address *a)
{
	if (a->ss.ss_family == AF_INET)
		return ntohs(as_in(a)->sin_port);
	return ntohs(as_in6(a)->sin6_port);
}

void
address_set_port(struct address *a, uint16_t port)
{
	if (a->ss.ss_family == AF_INET)
		((struct sockaddr_in *)&a->ss)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&a->ss)->sin6_port = htons(port);
}

void
address_add(struct address *a, unsigned n)
{
	uint8_t *bytes;
	size_t i;

	if (a->ss.ss_family == AF_INET) {
		bytes = (uint8_t *)&((struct sockaddr_in *)&a->ss)->sin_addr;
		i = 4;
	} else {
		bytes = ((struct sockaddr_in6 *)&a->ss)->sin6_addr.s6_addr;
		i = 16;
	}
	while (i-- > 0 && n > 0) {
		n += bytes[i];
		bytes[i] = (uint8_t)n;
		n >>= 8;
	}
}

bool
address_same_host(const struct address *a, const struct address *b)
{
	const uint8_t *ab, *bb;
	size_t alen, blen;

	ab = address_bytes(a, &alen);
	bb = address_bytes(b, &blen);
	return alen == blen && memcmp(ab, bb, alen) == 0;
}

const char *
address_host(const struct address *a, char *buf, size_t size)
{
	char host[NI_MAXHOST];
	size_t len;
	const uint8_t *bytes = address_bytes(a, &len);

	/* A v4-mapped address is the IPv4 one to its reader. */
	if (len == 4)
		inet_ntop(AF_INET, bytes, host, sizeof(host));
	else if (getnameinfo((const struct sockaddr *)&a->ss, a->len, host,
		     sizeof(host), NULL, 0, NI_NUMERICHOST) != 0)
		strlcpy(host, "?", sizeof(host));
	strlcpy(buf, host, size);
	return buf;
}

const char *
address_text(const struct address *a, char *buf, size_t size)
{
	char host[NI_MAXHOST];

	address_host(a, host, sizeof(host));
	snprintf(buf, size, "%s port %u", host, (unsigned)address_port(a));
	return buf;
}

bool
address_device(const struct address *a, char name[static IFNAMSIZ])
{
	struct ifaddrs *all, *ifa;
	struct address have;
	bool found = false;

	if (getifaddrs(&all) == -1)
		return false;
	for (ifa = all; ifa != NULL && !found; ifa = ifa->ifa_next) {
		if (ifa->ifa_addr == NULL)
			continue;
		memset(&have, 0, sizeof(have));
		if (ifa->ifa_addr->sa_family == AF_INET)
			memcpy(&have.ss, ifa->ifa_addr,
			    sizeof(struct sockaddr_in));
		else if (ifa->ifa_addr->sa_family == AF_INET6)
			memcpy(&have.ss, ifa->ifa_addr,
			    sizeof(struct sockaddr_in6));
		else
			continue;
		if (address_same_host(a, &have)) {
			strlcpy(name, ifa->ifa_name, IFNAMSIZ);
			found = true;
		}
	}
	freeifaddrs(all);
	return found;
}
