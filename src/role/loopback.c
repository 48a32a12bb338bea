/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/options.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "report/writer.h"
#include "role/client.h"
#include "role/job.h"
#include "role/limits.h"
#include "role/loopback.h"
#include "role/server.h"
#include "role/signals.h"

static const char *
loopback_host(const struct options *o)
{
	return o->family == FAMILY_V6 ? "::1" : "127.0.0.1";
}

/* The server end: the same options, at a port that the system chooses. */
static void
server_options(struct options *server, const struct options *o)
{
	*server = *o;
	server->role = ROLE_SERVER;
	memset(&server->bind, 0, sizeof(server->bind));
	strlcpy(server->bind.host, loopback_host(o), sizeof(server->bind.host));
	server->parallel = 0;
	server->duration_ns = -1;
	server->interval_ns = 0;
	server->rate.mean = -1;
	server->single_client = false;
	server->header_timeout_ns = 0;
	/* All flows of UDP come from one address, and none is a stranger's. */
	if (server->max_flows < o->parallel)
		server->max_flows = o->parallel;
	if (server->max_flows_per_host < o->parallel)
		server->max_flows_per_host = o->parallel;
}

static void
client_options(struct options *client, const struct options *o, uint16_t port)
{
	*client = *o;
	strlcpy(client->server.host, loopback_host(o),
	    sizeof(client->server.host));
	client->ports.first = port;
	client->ports.last = port;
}

static bool
has_ended(void *server)
{
	return server_has_ended(server);
}

static void
release(void *server)
{
	server_release(server);
}

static void
stop(void *server)
{
	server_stop(server);
}

int
loopback_run(const struct options *o, FILE *out)
{
	struct options server_end, client_end;
	struct job job = {
	    .has_ended = has_ended,
	    .stop = stop,
	    .release = release,
	    .expire_ns = INT64_MAX,
	};
	struct reporter *quiet;
	struct net_error err;
	struct server *s;
	int rc = -1;

	if (limits_want_files(2 * o->parallel + LIMITS_FILES_RESERVED) == -1) {
		net_error_set(&err,
		    "-P %d with --loopback needs more open files than the "
		    "system allows (see ulimit -Hn)",
		    o->parallel);
		report_failed_run(o, out, err.text);
		return -1;
	}
	server_options(&server_end, o);
	s = server_open(&server_end, &err);
	if (s == NULL) {
		report_failed_run(o, out, err.text);
		return -1;
	}
	client_options(&client_end, o, server_port(s));
	quiet = reporter_start(&server_end, writer_null(), NULL, signals_wake);
	if (quiet == NULL) {
		net_error_set(&err, "cannot start the reporter: %s",
		    strerror(errno));
		report_failed_run(o, out, err.text);
		goto out;
	}
	job.arg = s;
	if (server_start(s, quiet) == 0)
		rc = o->connect_only >= 0 ? connect_only_run(&client_end, out)
					  : client_run(&client_end, out);
	/* With UDP nobody is left who might ask for a report again. */
	if (o->protocol == PROTOCOL_UDP)
		server_stop(s);
	else
		server_stop_accepting(s);
	job_run(&job, quiet);
out:
	server_close(s);
	return rc;
}
