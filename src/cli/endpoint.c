/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "cli/endpoint.h"

const char *
endpoint_strerror(enum endpoint_error error)
{
	switch (error) {
	case ENDPOINT_EMPTY:
		return "the host is missing";
	case ENDPOINT_TOO_LONG:
		return "too long";
	case ENDPOINT_BRACKET:
		return "unmatched bracket";
	case ENDPOINT_DEVICE:
		return "not a device name behind '%'";
	case ENDPOINT_PORT:
		return "not a port behind ':'";
	}
	return "unknown error";
}

/* Splits text of `len` bytes into host and device. */
static int
split_device(const char *text, size_t len, struct endpoint *e)
{
	const char *percent = memchr(text, '%', len);
	size_t host_len = len, device_len;

	if (percent != NULL) {
		host_len = (size_t)(percent - text);
		device_len = len - host_len - 1;
		if (device_len == 0 || device_len >= sizeof(e->device))
			return ENDPOINT_DEVICE;
		memcpy(e->device, percent + 1, device_len);
	}
	if (host_len == 0)
		return ENDPOINT_EMPTY;
	if (host_len >= sizeof(e->host))
		return ENDPOINT_TOO_LONG;
	memcpy(e->host, text, host_len);
	return 0;
}

static int
parse_port(const char *text, uint16_t *port)
{
	int64_t value;

	if (number_integer(text, 1, UINT16_MAX, &value) != 0)
		return ENDPOINT_PORT;
	*port = (uint16_t)value;
	return 0;
}

/* "[HOST]", "[HOST%DEVICE]", "[HOST]%DEVICE", each perhaps with ":PORT". */
static int
parse_bracketed(const char *text, struct endpoint *e)
{
	const char *end = strchr(text, ']');
	size_t len;
	int error;

	if (end == NULL)
		return ENDPOINT_BRACKET;
	error = split_device(text + 1, (size_t)(end - text - 1), e);
	if (error != 0)
		return error;
	end++;
	if (*end == '%' && e->device[0] == '\0') {
		len = strcspn(++end, ":");
		if (len == 0 || len >= sizeof(e->device))
			return ENDPOINT_DEVICE;
		memcpy(e->device, end, len);
		end += len;
	}
	if (*end == ':')
		return parse_port(end + 1, &e->port);
	return *end == '\0' ? 0 : ENDPOINT_BRACKET;
}

int
endpoint_parse(const char *text, struct endpoint *endpoint)
{
	struct endpoint e = {0};
	size_t len = strlen(text);
	const char *colon;
	int error;

	if (text[0] == '[') {
		error = parse_bracketed(text, &e);
	} else {
		/* Several colons are an address of IPv6, one is a port. */
		colon = strchr(text, ':');
		if (colon != NULL && strchr(colon + 1, ':') == NULL) {
			error = parse_port(colon + 1, &e.port);
			if (error != 0)
				return error;
			len = (size_t)(colon - text);
		}
		error = split_device(text, len, &e);
	}
	if (error != 0)
		return error;
	*endpoint = e;
	return 0;
}

bool
endpoint_is_v4(const struct endpoint *e)
{
	struct in_addr a;

	return inet_pton(AF_INET, e->host, &a) == 1;
}

bool
endpoint_is_v6(const struct endpoint *e)
{
	struct in6_addr a;

	return inet_pton(AF_INET6, e->host, &a) == 1;
}

bool
endpoint_is_link_local(const struct endpoint *e)
{
	struct in6_addr a;

	return inet_pton(AF_INET6, e->host, &a) == 1 &&
	       (IN6_IS_ADDR_LINKLOCAL(&a) || IN6_IS_ADDR_MC_LINKLOCAL(&a));
}

bool
endpoint_is_multicast(const struct endpoint *e)
{
	struct in_addr a;
	struct in6_addr a6;

	if (inet_pton(AF_INET, e->host, &a) == 1)
		return IN_MULTICAST(ntohl(a.s_addr));
	return inet_pton(AF_INET6, e->host, &a6) == 1 &&
	       IN6_IS_ADDR_MULTICAST(&a6);
}
