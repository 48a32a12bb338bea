/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/socket.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "report/address.h"

#define MAPPED_PREFIX "::ffff:"
#define MAPPED_OFFSET 12 /* of the IPv4 address in a v4-mapped one */

static void
print_v4(char *buf, size_t size, const struct in_addr *a,
    const struct options *options)
{
	if (options->hide_ips)
		snprintf(buf, size, "*.*.*.%u",
		    (unsigned)(ntohl(a->s_addr) & 0xff));
	else
		inet_ntop(AF_INET, a, buf, (socklen_t)size);
}

static void
print_mapped(char *buf, size_t size, const struct in6_addr *a,
    const struct options *options)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr v4;

	memcpy(&v4, &a->s6_addr[MAPPED_OFFSET], sizeof(v4));
	print_v4(text, sizeof(text), &v4, options);
	snprintf(buf, size, "%s%s",
	    options->family == FAMILY_V6 ? MAPPED_PREFIX : "", text);
}

static void
print_v6(char *buf, size_t size, const struct in6_addr *a,
    const struct options *options)
{
	if (IN6_IS_ADDR_V4MAPPED(a))
		print_mapped(buf, size, a, options);
	else if (options->hide_ips)
		snprintf(buf, size, "*::%02x%02x", a->s6_addr[14],
		    a->s6_addr[15]);
	else
		inet_ntop(AF_INET6, a, buf, (socklen_t)size);
}

void
address_print(char *buf, size_t size, const struct sockaddr_storage *ss,
    const struct options *options)
{
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;

	switch (ss->ss_family) {
	case AF_INET:
		memcpy(&sin, ss, sizeof(sin));
		print_v4(buf, size, &sin.sin_addr, options);
		break;
	case AF_INET6:
		memcpy(&sin6, ss, sizeof(sin6));
		print_v6(buf, size, &sin6.sin6_addr, options);
		break;
	default:
		snprintf(buf, size, "unknown");
		break;
	}
}

void
address_print_host(char *buf, size_t size, const char *host,
    const struct options *options)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (!options->hide_ips)
		snprintf(buf, size, "%s", host);
	else if (inet_pton(AF_INET, host, &v4) == 1)
		print_v4(buf, size, &v4, options);
	else if (inet_pton(AF_INET6, host, &v6) == 1)
		print_v6(buf, size, &v6, options);
	else
		snprintf(buf, size, ADDRESS_HIDDEN);
}

uint16_t
address_port_of(const struct sockaddr_storage *ss)
{
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;

	switch (ss->ss_family) {
	case AF_INET:
		memcpy(&sin, ss, sizeof(sin));
		return ntohs(sin.sin_port);
	case AF_INET6:
		memcpy(&sin6, ss, sizeof(sin6));
		return ntohs(sin6.sin6_port);
	default:
		return 0;
	}
}
