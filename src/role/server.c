/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "net/socket.h"
#include "net/udp_socket.h"
#include "report/reporter.h"
#include "report/writer.h"
#include "role/banner.h"
#include "role/job.h"
#include "role/permit.h"
#include "role/realtime.h"
#include "role/server.h"
#include "role/server_impl.h"
#include "role/setup.h"
#include "role/signals.h"
#include "role/threads.h"

/* How often a listener looks whether it knows how long it is to wait. */
#define AWAIT_LOOK_MS 100

/* Listens on one port, on the first address that can be had. */
static int
open_port(struct server *s, const struct addresses *as, uint16_t port,
    struct net_error *err)
{
	struct address a;
	size_t i;
	int fd = -1;

	net_error_set(err, "no address to listen on");
	for (i = 0; i < as->n && fd == -1; i++) {
		a = as->list[i];
		address_set_port(&a, port);
		fd = s->options->protocol == PROTOCOL_UDP
			 ? udp_socket_listen(&a, s->options, err)
			 : socket_listen(&a, s->options, err);
		if (fd == -1 && err->code == EADDRINUSE)
			break;
	}
	if (fd == -1)
		return -1;
	if (address_of_local(&a, fd) == 0) {
		if (s->n_fds == 0) {
			s->local = a;
			s->port = address_port(&a);
		}
		s->last_port = address_port(&a);
	}
	s->fds[s->n_fds++] = fd;
	return 0;
}

/*
 * The wildcard address: IPv6 first, since its socket accepts both families
 * where the system has IPv6.
 */
static void
prefer_ipv6(struct addresses *as)
{
	struct address a;
	size_t i;

	for (i = 1; i < as->n; i++) {
		if (as->list[i].ss.ss_family != AF_INET6 ||
		    as->list[0].ss.ss_family == AF_INET6)
			continue;
		a = as->list[0];
		as->list[0] = as->list[i];
		as->list[i] = a;
	}
}

static int
open_ports(struct server *s, struct net_error *err)
{
	const struct options *o = s->options;
	char why[ADDRESS_EXPLAIN_MAX];
	struct addresses as;
	int port, rc;

	rc = addresses_resolve(&as, &o->bind, o->family, o->ports.first);
	if (rc != 0) {
		net_error_set(err, "%s", address_explain(&o->bind, rc, why));
		addresses_fini(&as);
		return -1;
	}
	if (o->bind.host[0] == '\0')
		prefer_ipv6(&as);
	rc = 0;
	for (port = o->ports.first; port <= o->ports.last && rc == 0; port++) {
		if (s->n_fds == SERVER_PORTS_MAX) {
			net_error_set(err,
			    "cannot listen on ports %u-%u: more than %d",
			    (unsigned)o->ports.first, (unsigned)o->ports.last,
			    SERVER_PORTS_MAX);
			rc = -1;
		} else {
			rc = open_port(s, &as, (uint16_t)port, err);
		}
	}
	addresses_fini(&as);
	return rc;
}

struct server *
server_open(const struct options *o, struct net_error *err)
{
	struct server *s = xcalloc(1, sizeof(*s));

	s->options = o;
	s->wake[0] = -1;
	s->wake[1] = -1;
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->cond, NULL);
	udp_peers_init(&s->peers);
	penalties_init(&s->penalties);
	s->await_until_ns = INT64_MAX;
	if (pipe2(s->wake, O_CLOEXEC) == -1) {
		net_error_set(err, "pipe: %s", strerror(errno));
		server_close(s);
		return NULL;
	}
	if (open_ports(s, err) == -1) {
		server_close(s);
		return NULL;
	}
	return s;
}

void
server_await(struct server *s, const struct awaited *awaited)
{
	s->awaited = *awaited;
	atomic_store(&s->flows, (unsigned)awaited->last_id);
	s->visitors.test = awaited->test;
	s->visitors.expected = awaited->flows;
}

void
server_await_until(struct server *s, int64_t until_ns)
{
	s->await_until_ns = until_ns;
}

bool
server_listens_at(const struct server *s, const struct address *a)
{
	if (address_port(a) < s->port || address_port(a) > s->last_port)
		return false;
	return s->options->bind.host[0] == '\0'
		   ? address_is_local(a)
		   : address_same_host(&s->local, a);
}

bool
server_admits(const struct server *s, const struct address *peer)
{
	return s->awaited.test == NULL ||
	       s->awaited.is_from_peer(s->awaited.arg, peer);
}

int
server_accept_wait_ms(const struct server *s)
{
	int64_t left_ns;

	if (s->await_until_ns == INT64_MAX)
		return s->awaited.is_open_ended ? AWAIT_LOOK_MS : -1;
	left_ns = s->await_until_ns - clock_now_ns();
	return left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0;
}

bool
server_is_full(const struct server *s)
{
	if (s->awaited.test != NULL)
		return s->accepted >= s->awaited.flows ||
		       clock_now_ns() >= s->await_until_ns;
	return s->options->parallel > 0 && s->accepted >= s->options->parallel;
}

bool
server_is_closing(const struct server *s)
{
	return atomic_load(&s->closing) || server_is_full(s);
}

int
server_next_id(struct server *s)
{
	/* After 2^31 flows numbers are used again, but not 0. */
	return (int)(atomic_fetch_add(&s->flows, 1) % INT_MAX) + 1;
}

void
server_count_accepted(struct server *s)
{
	if (s->accepted < INT_MAX)
		s->accepted++;
}

int
server_admit(struct server *s)
{
	int id = 0;

	pthread_mutex_lock(&s->mutex);
	if (!server_is_full(s)) {
		server_count_accepted(s);
		id = server_next_id(s);
	}
	pthread_mutex_unlock(&s->mutex);
	return id;
}

void
server_end_accepting(struct server *s)
{
	int i, missing = s->awaited.flows - s->accepted;

	if (missing > 0 && !atomic_load(&s->stop))
		s->awaited.is_over(s->awaited.arg, missing);
	pthread_mutex_lock(&s->mutex);
	for (i = 0; i < s->n_fds; i++)
		close(s->fds[i]);
	s->n_fds = 0;
	s->accepting = false;
	signals_wake();
	pthread_mutex_unlock(&s->mutex);
}

void
server_worker_began(struct server *s)
{
	pthread_mutex_lock(&s->mutex);
	s->n_workers++;
	pthread_mutex_unlock(&s->mutex);
}

void
server_worker_ended(struct server *s)
{
	pthread_mutex_lock(&s->mutex);
	s->n_workers--;
	parties_prune(s);
	if (s->n_workers == 0 && !s->accepting)
		signals_wake();
	pthread_mutex_unlock(&s->mutex);
}

uint16_t
server_port(const struct server *s)
{
	return s->port;
}

uint16_t
server_last_port(const struct server *s)
{
	return s->last_port;
}

void
server_announce(struct server *s, struct reporter *reporter)
{
	struct settings_fact banner;

	banner_server(&banner, s->options, s->fds[0]);
	banner.port_first = server_port(s);
	banner.port_last = server_last_port(s);
	reporter_settings(reporter, &banner);
}

int
server_start(struct server *s, struct reporter *reporter)
{
	int rc;

	s->reporter = reporter;
	s->accepting = true;
	if (s->awaited.test != NULL && !s->awaited.is_open_ended)
		s->await_until_ns = clock_now_ns() + s->awaited.wait_ns;
	rc = threads_start(NULL,
	    s->options->protocol == PROTOCOL_UDP ? udp_listener_main
						 : listener_main,
	    s);
	if (rc != 0) {
		reporter_fail(reporter, "cannot start the listener: %s",
		    strerror(rc));
		s->accepting = false;
		s->is_deaf = true;
		return -1;
	}
	return 0;
}

void
server_stop_accepting(struct server *s)
{
	atomic_store(&s->closing, true);
	/* The pipe has room for a byte: nothing is ever read from it. */
	if (write(s->wake[1], "", 1) == -1)
		log_warn("cannot stop the listener: %s", strerror(errno));
}

void
server_stop(struct server *s)
{
	struct worker *w;

	/* Or the listener, once awake, says that somebody is missing. */
	atomic_store(&s->stop, true);
	server_stop_accepting(s);
	pthread_mutex_lock(&s->mutex);
	/* Who was awaited is told, and what is under way is read. */
	for (w = s->workers; w != NULL && s->awaited.test == NULL; w = w->next)
		if (!w->drains)
			shutdown(w->fd, SHUT_RD);
	pthread_cond_broadcast(&s->cond);
	pthread_mutex_unlock(&s->mutex);
}

bool
server_has_ended(struct server *s)
{
	bool ended;

	pthread_mutex_lock(&s->mutex);
	ended = s->n_workers == 0 && !s->accepting;
	pthread_mutex_unlock(&s->mutex);
	return ended;
}

int
server_running(struct server *s)
{
	const struct party *p;
	int n = 0;

	pthread_mutex_lock(&s->mutex);
	for (p = s->parties; p != NULL; p = p->next)
		n += p->active;
	pthread_mutex_unlock(&s->mutex);
	return n;
}

void
server_release(struct server *s)
{
	pthread_mutex_lock(&s->mutex);
	parties_close(s);
	pthread_mutex_unlock(&s->mutex);
}

void
server_close(struct server *s)
{
	int i;

	for (i = 0; i < s->n_fds; i++)
		close(s->fds[i]);
	for (i = 0; i < 2; i++) {
		if (s->wake[i] != -1)
			close(s->wake[i]);
	}
	udp_peers_fini(&s->peers);
	penalties_fini(&s->penalties);
	pthread_cond_destroy(&s->cond);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

/* For how long a server accepts, by -t; INT64_MAX: for ever. */
static int64_t
time_limit_ns(const struct options *o)
{
	return o->duration_ns > 0 && !o->daemon ? o->duration_ns : INT64_MAX;
}

/* The same, by -t or the life of the permit key. */
static int64_t
accepting_ns(const struct options *o)
{
	int64_t life_ns = permit_life_ns(o), limit_ns = time_limit_ns(o);

	return life_ns < limit_ns ? life_ns : limit_ns;
}

static bool
job_has_ended(void *arg)
{
	return server_has_ended(arg);
}

static void
job_release(void *arg)
{
	server_release(arg);
}

static void
job_stop(void *arg)
{
	struct server *s = arg;

	if (server_running(s) > 0)
		log_warn("ending the running tests; interrupt again to stop "
			 "at once");
	server_stop(s);
}

static void
job_expire(void *arg)
{
	struct server *s = arg;

	if (permit_life_ns(s->options) <= accepting_ns(s->options))
		reporter_warn(s->reporter,
		    "the permit key has expired: no more clients are "
		    "accepted");
	server_stop_accepting(s);
}

static int
become_daemon(struct net_error *err)
{
	log_warn("running as a daemon");
	if (daemon(1, 0) == 0)
		return 0;
	net_error_set(err, "cannot become a daemon: %s", strerror(errno));
	return -1;
}

/* A server ends well unless it never came to serve. */
static bool
job_has_failed(void *arg)
{
	const struct server *s = arg;

	return s->is_deaf;
}

struct opening {
	const struct options *options;
	struct server *server; /* NULL: failed */
	struct net_error *err;
};

static int
open_server(void *arg)
{
	struct opening *opening = arg;

	opening->server = server_open(opening->options, opening->err);
	return opening->server != NULL ? 0 : -1;
}

int
server_run(const struct options *o, FILE *out)
{
	struct job job = {
	    .has_ended = job_has_ended,
	    .stop = job_stop,
	    .release = job_release,
	    .has_failed = job_has_failed,
	    .expire = job_expire,
	    .expire_ns = INT64_MAX,
	};
	struct reporter *reporter;
	struct net_error err;
	struct opening opening = {.options = o, .err = &err};
	struct server *s;
	int rc = -1;

	if (setup_run(o, out, open_server, &opening, &err) == -1) {
		report_failed_run(o, out, err.text);
		return -1;
	}
	s = opening.server;
	if (o->daemon && become_daemon(&err) == -1) {
		report_failed_run(o, out, err.text);
		goto out;
	}
	/* Locks on memory are not inherited. */
	if (o->daemon && o->realtime)
		realtime_start(o->remarks);
	reporter = reporter_start(o, writer_for(o), out, signals_wake);
	if (reporter == NULL) {
		net_error_set(&err, "cannot start the reporter: %s",
		    strerror(errno));
		report_failed_run(o, out, err.text);
		goto out;
	}
	job.arg = s;
	if (accepting_ns(o) != INT64_MAX)
		job.expire_ns = clock_now_ns() + accepting_ns(o);
	server_announce(s, reporter);
	rc = server_start(s, reporter);
	if (job_run(&job, reporter) == -1)
		rc = -1;
out:
	server_close(s);
	return rc;
}
