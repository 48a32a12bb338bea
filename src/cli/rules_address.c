/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/endpoint.h"
#include "cli/parse.h"
#include "cli/rules_address.h"

static bool
is_link_local_v6(const struct sockaddr *address)
{
	struct sockaddr_in6 a;

	if (address == NULL || address->sa_family != AF_INET6)
		return false;
	memcpy(&a, address, sizeof(a));
	return IN6_IS_ADDR_LINKLOCAL(&a.sin6_addr);
}

/* The device that a link-local address must mean, "" if there are several. */
static void
find_link_local_device(char device[IFNAMSIZ])
{
	struct ifaddrs *all, *i;

	device[0] = '\0';
	if (getifaddrs(&all) == -1)
		return;
	for (i = all; i != NULL; i = i->ifa_next) {
		if (!is_link_local_v6(i->ifa_addr) ||
		    strcmp(device, i->ifa_name) == 0)
			continue;
		if (device[0] != '\0') {
			device[0] = '\0';
			break;
		}
		strlcpy(device, i->ifa_name, IFNAMSIZ);
	}
	freeifaddrs(all);
}

/* A link-local address means nothing without its device. */
static bool
check_link_local(const struct endpoint *e, const char *spelling)
{
	char device[IFNAMSIZ];

	if (!endpoint_is_link_local(e) || e->device[0] != '\0')
		return true;
	find_link_local_device(device);
	log_warn("bad value '%s' for %s: a link-local address needs %%DEVICE, "
		 "such as %s%%%s",
	    e->host, spelling, e->host, device[0] != '\0' ? device : "eth0");
	return false;
}

/* -4, -6 and -V, then the literal addresses, settle the family. */
static bool
choose_family(struct options *o, const struct command_line *line)
{
	const struct endpoint *literals[] = {&o->server, &o->bind,
	    &o->ssm_source};
	enum family family;
	size_t i;

	if (line->given[OPTION_IPV4].order != 0)
		o->family = FAMILY_V4;
	else if (line->given[OPTION_IPV6].order != 0 ||
		 line->given[OPTION_IPV6_DOMAIN].order != 0)
		o->family = FAMILY_V6;

	for (i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		if (endpoint_is_v4(literals[i]))
			family = FAMILY_V4;
		else if (endpoint_is_v6(literals[i]))
			family = FAMILY_V6;
		else
			continue;
		if (o->family != FAMILY_ANY && o->family != family) {
			log_warn("'%s' is an address of IPv%d, but IPv%d is "
				 "asked for",
			    literals[i]->host, family == FAMILY_V4 ? 4 : 6,
			    family == FAMILY_V4 ? 6 : 4);
			return false;
		}
		o->family = family;
	}
	return true;
}

/* The one sender whose traffic to a group is wanted. */
static bool
check_source(const struct options *o, const char *spelling)
{
	const struct endpoint *source = &o->ssm_source;

	if (source->host[0] == '\0')
		return true;
	if (!endpoint_is_multicast(&o->bind)) {
		log_warn("%s needs a multicast group for -B", spelling);
		return false;
	}
	if (endpoint_is_multicast(source)) {
		log_warn("bad value '%s' for %s: a group is no source",
		    source->host, spelling);
		return false;
	}
	return true;
}

static bool
check_multicast(const struct options *o, const char *bind_spelling,
    const char *ssm_spelling)
{
	if (endpoint_is_multicast(&o->bind) && o->role != ROLE_SERVER) {
		log_warn("bad value '%s' for %s: only a server joins a "
			 "multicast group",
		    o->bind.host, bind_spelling);
		return false;
	}
	if (o->protocol == PROTOCOL_UDP)
		return check_source(o, ssm_spelling);
	if (endpoint_is_multicast(&o->server)) {
		log_warn("multicast group %s needs -u", o->server.host);
		return false;
	}
	if (endpoint_is_multicast(&o->bind)) {
		log_warn("multicast group %s needs -u", o->bind.host);
		return false;
	}
	return true;
}

/* What -B may carry differs between the sides. */
static void
trim_bind(struct options *o, const char *spelling)
{
	if (o->role == ROLE_SERVER && o->bind.port != 0) {
		remarks_warn(o->remarks,
		    "the port of %s has no effect on a server: "
		    "use -p to set it",
		    spelling);
		o->bind.port = 0;
	}
	if (o->role == ROLE_CLIENT && o->bind.device[0] != '\0' &&
	    !endpoint_is_link_local(&o->bind)) {
		remarks_warn(o->remarks,
		    "the device of %s has no effect on a client: "
		    "use -c HOST%%%s",
		    spelling, o->bind.device);
		o->bind.device[0] = '\0';
	}
}

bool
rules_check_addresses(struct options *o, const struct command_line *line)
{
	const char *bind_spelling = line->given[OPTION_BIND].spelling;

	if (!choose_family(o, line))
		return false;
	if (!check_link_local(&o->server, line->given[OPTION_CLIENT].spelling))
		return false;
	if (!check_link_local(&o->bind, bind_spelling))
		return false;
	if (!check_multicast(o, bind_spelling,
		line->given[OPTION_SSM_HOST].spelling))
		return false;
	trim_bind(o, bind_spelling);
	if (o->incr_srcport && o->bind.port == 0) {
		remarks_warn(o->remarks,
		    "--incr-srcport has no effect without -B ADDRESS:PORT");
		o->incr_srcport = false;
	}
	return true;
}

/* Streams and ports of a range correspond one to one. */
static bool
match_port_range(struct options *o, const struct given *parallel)
{
	int ports = o->ports.last - o->ports.first + 1;

	if (o->parallel < ports) {
		if (parallel->order != 0)
			remarks_warn(o->remarks,
			    "%s raised to %d, one stream for each port",
			    parallel->spelling, ports);
		o->parallel = ports;
	} else if (o->parallel > ports) {
		if (o->ports.first + o->parallel - 1 > UINT16_MAX) {
			log_warn("not enough ports for %s %d from port %d on",
			    parallel->spelling, o->parallel, o->ports.first);
			return false;
		}
		o->ports.last = (uint16_t)(o->ports.first + o->parallel - 1);
		remarks_warn(o->remarks,
		    "ports extended to %d-%d, one for each stream",
		    o->ports.first, o->ports.last);
	}
	o->incr_dstport = true;
	return true;
}

bool
rules_spread_streams(struct options *o, const struct command_line *line)
{
	const struct given *parallel = &line->given[OPTION_PARALLEL];

	o->port_range_given = o->ports.first < o->ports.last;
	if (o->role == ROLE_SERVER) {
		if (parallel->order == 0)
			o->parallel = 0;
		return true;
	}
	if (o->parallel == 0) {
		log_warn("bad value '0' for %s: out of range (at least 1)",
		    parallel->spelling);
		return false;
	}
	if (parallel->order == 0)
		o->parallel = 1;
	if (o->role == ROLE_LOOPBACK) {
		if (o->port_range_given) {
			log_warn("--loopback cannot be used with a range of "
				 "ports");
			return false;
		}
		if (line->given[OPTION_PORT].order == 0)
			o->ports = (struct port_range){0, 0};
	}
	if (o->port_range_given)
		return match_port_range(o, parallel);
	if ((o->incr_dstport &&
		o->ports.first + o->parallel - 1 > UINT16_MAX) ||
	    (o->incr_srcport && o->bind.port + o->parallel - 1 > UINT16_MAX)) {
		log_warn("not enough ports for %s %d", parallel->spelling,
		    o->parallel);
		return false;
	}
	return true;
}
