/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "net/sock_os.h"
#include "report/reporter.h"
#include "report/writer.h"
#include "role/banner.h"
#include "role/client.h"
#include "role/client_back.h"
#include "role/client_stream.h"
#include "role/connect.h"
#include "role/gate.h"
#include "role/job.h"
#include "role/limits.h"
#include "role/peer_detect.h"
#include "role/setup.h"
#include "role/signals.h"
#include "role/threads.h"
#include "stream/payload.h"

/*
 * DESIGN
 *
 * One thread per stream: it connects, passes the gate, sends, waits for the
 * peer's close and reports. The gate opens when every stream has connected
 * or failed to; the one that opens it announces all connections in the order
 * of their ids and sets the common start. So streams start together, and the
 * sum of their rates is a rate that the path carried at one time.
 */

/* Of a test that had an end of its own. */
#define CLIENT_INTERRUPTED "interrupted: the totals are of the time until then"

static void
stop_client(void *arg)
{
	struct client *c = arg;

	atomic_store_explicit(&c->stop, true, memory_order_relaxed);
	client_back_stop(c);
}

static bool
has_ended(void *arg)
{
	struct client *c = arg;

	return atomic_load(&c->running) == 0 && client_back_has_ended(c);
}

static bool
has_failed(void *arg)
{
	struct client *c = arg;

	return atomic_load(&c->failed);
}

static void
release_test(void *arg)
{
	struct client *c = arg;

	test_complete(c->test);
	test_release(c->test);
	client_back_release(c);
}

/* Says once what several streams failed with. */
static void
warn_failures(struct client *c)
{
	const struct client_stream *s, *t;
	int same, i, j;

	for (i = 0; i < c->n; i++) {
		s = &c->streams[i];
		if (s->link.fd != -1 || client_is_stopped(c))
			continue;
		for (same = 0, j = 0; j < c->n; j++) {
			t = &c->streams[j];
			if (t->link.fd != -1 ||
			    strcmp(s->link.error.text, t->link.error.text))
				continue;
			if (j < i)
				break;
			same++;
		}
		if (same > 1)
			reporter_fail(c->reporter, "%s (%d streams)",
			    s->link.error.text, same);
		else if (same == 1)
			reporter_fail(c->reporter, "%s", s->link.error.text);
	}
}

/* When the first payload leaves: now, at --txstart-time, or later. */
static int64_t
planned_start_ns(const struct options *o)
{
	int64_t now_ns = clock_now_ns(), wait_ns = o->txdelay_ns;

	if (o->txstart_rt_ns >= 0)
		wait_ns = o->txstart_rt_ns - clock_wall_ns();
	return wait_ns > 0 ? now_ns + wait_ns : now_ns;
}

/* All streams have connected or failed: see DESIGN. */
static void
open_gate(void *arg)
{
	struct client *c = arg;
	int i, connected = 0;

	warn_failures(c);
	for (i = 0; i < c->n; i++) {
		if (c->streams[i].link.fd != -1) {
			client_stream_announce(&c->streams[i]);
			connected++;
		} else if (!client_is_stopped(c)) {
			atomic_store(&c->failed, true);
		}
	}
	/* With -d the connections back are yet to join. */
	if (c->options->direction != DIRECTION_DUAL)
		test_complete(c->test);
	client_back_connected(c, connected);
	c->start_ns = planned_start_ns(c->options);
}

/* A stream that does not wait for the others; returns its start. */
static int64_t
start_alone(struct client_stream *s)
{
	struct client *c = s->client;

	if (s->link.fd != -1) {
		client_stream_announce(s);
	} else if (!client_is_stopped(c)) {
		reporter_fail(c->reporter, "%s", s->link.error.text);
		atomic_store(&c->failed, true);
	}
	return planned_start_ns(c->options);
}

/* One thread less; the last one wakes the main thread. */
static void
leave(struct client *c)
{
	if (atomic_fetch_sub(&c->running, 1) == 1) {
		client_back_sent(c, atomic_load(&c->succeeded));
		signals_wake();
	}
}

static int
run_stream(struct client_stream *s, int64_t start_ns)
{
	const struct options *o = s->client->options;
	const struct client_runs *runs =
	    o->protocol == PROTOCOL_UDP ? client_udp_runs() : client_tcp_runs();
	int rc;

	if (o->quickack)
		sock_os_set_quickack(s->link.fd);
	switch (o->direction) {
	case DIRECTION_REVERSE:
		rc = runs->reverse(s, start_ns);
		break;
	case DIRECTION_FULL_DUPLEX:
		rc = runs->full_duplex(s, start_ns);
		break;
	default:
		rc = runs->forward(s, start_ns);
		break;
	}
	close(s->link.fd);
	return rc;
}

/* All streams have connected or failed; nothing is done about it yet. */
static void
open_meeting(void *arg)
{
	(void)arg;
}

/* What needs a connection but comes before it is announced. */
static void
exchange(struct client_stream *s)
{
	struct client *c = s->client;

	if (!peer_detect_is_wanted(c->options))
		return;
	if (c->has_gate)
		gate_pass(&c->meeting);
	peer_detect_run(s, planned_start_ns(c->options));
}

static void *
stream_main(void *arg)
{
	struct client_stream *s = arg;
	struct client *c = s->client;
	int64_t start_ns;

	route_connect(&c->route, s->index, client_is_stopped, c, &s->link);
	s->connected_ns = clock_now_ns();
	exchange(s);
	if (c->has_gate) {
		gate_pass(&c->gate);
		start_ns = c->start_ns;
	} else {
		start_ns = start_alone(s);
	}
	if (s->flow != NULL) {
		if (run_stream(s, start_ns) == 0)
			atomic_fetch_add(&c->succeeded, 1);
		else
			atomic_store(&c->failed, true);
	}
	leave(c);
	return NULL;
}

/* Starts the threads. Streams without one count as failed. */
static void
start_streams(struct client *c)
{
	pthread_t thread;
	int i, rc;

	for (i = 0; i < c->n; i++) {
		c->streams[i].client = c;
		c->streams[i].index = i;
		c->streams[i].link.fd = -1;
		c->streams[i].trouble.reporter = c->reporter;
		c->streams[i].trouble.id = i + 1;
	}
	for (i = 0; i < c->n; i++) {
		rc = threads_start(&thread, stream_main, &c->streams[i]);
		if (rc == 0) {
			c->streams[i].thread = thread;
			c->streams[i].has_thread = true;
			continue;
		}
		errno = rc;
		net_error_set(&c->streams[i].link.error,
		    "cannot start a thread: %s", strerror(rc));
		if (c->has_gate) {
			gate_leave(&c->meeting);
			gate_leave(&c->gate);
		} else {
			start_alone(&c->streams[i]);
		}
		leave(c);
	}
}

static void
join_streams(struct client *c)
{
	int i;

	for (i = 0; i < c->n; i++) {
		if (c->streams[i].has_thread)
			pthread_join(c->streams[i].thread, NULL);
	}
}

/* A name may stand for IPv6 addresses, whose header is larger. */
static void
fit_length(struct options *o, const struct route *r)
{
	if (o->protocol == PROTOCOL_UDP && !o->length_given &&
	    r->peers.list[0].ss.ss_family == AF_INET6)
		o->length_bytes = OPTIONS_UDP_V6_LENGTH;
}

struct preparation {
	struct client *client;
	struct options *own; /* the client's options */
	struct net_error *err;
};

/* What must be right before anything is printed or started. 0, or -1. */
static int
prepare(void *arg)
{
	struct preparation *p = arg;
	struct client *c = p->client;
	struct net_error *err = p->err;
	int fd;

	if (limits_want_files(c->n + LIMITS_FILES_RESERVED) == -1) {
		net_error_set(err,
		    "-P %d needs more open files than the system allows "
		    "(see ulimit -Hn)",
		    c->n);
		return -1;
	}
	if (route_init(&c->route, c->options, err) == -1)
		return -1;
	fit_length(p->own, &c->route);
	fd = route_probe(&c->route, err);
	if (fd == -1)
		return -1;
	banner_client(&c->banner, c->options, fd);
	close(fd);
	if (client_check_input(c->options, err) == -1 ||
	    client_back_open(c, err) == -1)
		return -1;
	gate_init(&c->meeting, c->n, open_meeting, c);
	gate_init(&c->gate, c->n, open_gate, c);
	return 0;
}

int
client_run(const struct options *asked, FILE *out)
{
	struct options own = *asked;
	const struct options *o = &own;
	struct client c = {.options = o, .n = o->parallel};
	struct test_plan plan = {
	    .streams = o->parallel,
	    .until_complete = true,
	    .duration_ns = o->duration_ns,
	};
	struct job job = {
	    .arg = &c,
	    .has_ended = has_ended,
	    .stop = stop_client,
	    .release = release_test,
	    .has_failed = has_failed,
	    .expire_ns = INT64_MAX,
	};
	struct net_error err;
	struct preparation preparation = {&c, &own, &err};
	int rc = -1;

	if (o->duration_ns != 0)
		job.interrupted = CLIENT_INTERRUPTED;
	/* A connection back must not come before its stream is known. */
	c.has_gate =
	    (o->connect_sync && !o->compat) || o->direction == DIRECTION_DUAL ||
	    (o->direction == DIRECTION_TRADEOFF && o->protocol == PROTOCOL_UDP);
	if (setup_run(o, out, prepare, &preparation, &err) == -1) {
		report_failed_run(o, out, err.text);
		goto out;
	}
	c.reporter = reporter_start(o, writer_for(o), out, signals_wake);
	if (c.reporter == NULL) {
		net_error_set(&err, "cannot start the reporter: %s",
		    strerror(errno));
		report_failed_run(o, out, err.text);
		gate_fini(&c.gate);
		gate_fini(&c.meeting);
		goto out;
	}
	c.test = test_open(c.reporter, &plan);
	client_back_prepare(&c);
	reporter_settings(c.reporter, &c.banner);
	c.tag = client_tag(c.n);
	c.chunk = payload_new();
	c.streams = xcalloc((size_t)c.n, sizeof(*c.streams));
	c.running = c.n;
	c.shared.streams = c.n;
	start_streams(&c);
	rc = job_run(&job, c.reporter);
	join_streams(&c);
	gate_fini(&c.gate);
	gate_fini(&c.meeting);
	if (atomic_load(&c.failed))
		rc = -1;
out:
	free(c.streams);
	free(c.chunk);
	client_back_close(&c);
	route_fini(&c.route);
	return rc;
}
