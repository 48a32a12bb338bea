/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/options.h"
#include "report/reporter.h"
#include "role/handshake.h"
#include "role/request.h"
#include "role/server_impl.h"

/*
 * DESIGN
 *
 * Nothing on the wire says outright which streams belong to one client
 * process. Its headers do, taken together: they come from one host, announce
 * the same number of streams and the same settings, and, if the client is
 * ours, carry a tag of its own. A party is full when the announced number
 * has joined, so a second client with the same settings gets a party of its
 * own. Streams without a header (clients before 2.0.10, -C) are taken
 * together when they arrive at about the same time.
 */

#define PLAIN_WINDOW_NS (250 * NS_PER_MS)

static bool
same_header(const struct client_header *a, const struct client_header *b)
{
	return a->num_threads == b->num_threads && a->test_tag == b->test_tag &&
	       a->listen_port == b->listen_port &&
	       a->length_bytes == b->length_bytes &&
	       a->duration_ns == b->duration_ns &&
	       a->amount_bytes == b->amount_bytes &&
	       a->rate_bps == b->rate_bps && a->tos == b->tos &&
	       a->dual == b->dual && a->run_now == b->run_now &&
	       a->reverse == b->reverse && a->full_duplex == b->full_duplex &&
	       a->version.upper == b->version.upper &&
	       a->version.lower == b->version.lower;
}

static bool
may_join(const struct party *p, const struct party_key *key, int64_t now_ns)
{
	if (p->key.is_solo || key->is_solo ||
	    !address_same_host(&p->key.host, &key->host))
		return false;
	if (p->expected > 0 && p->joined >= p->expected)
		return false;
	if (p->key.has_header != key->has_header)
		return false;
	if (!key->has_header)
		return now_ns - p->opened_ns < PLAIN_WINDOW_NS;
	return same_header(&p->key.header, &key->header);
}

static void
party_free(struct party *p)
{
	test_release(p->test);
	if (p->back != NULL)
		test_release(p->back);
	free(p->back_options);
	free(p);
}

/* Whether all rows of a party are out, and nobody is in it. */
static bool
has_ended(const struct party *p)
{
	return p->active == 0 && test_has_ended(p->test) &&
	       (p->back == NULL || test_has_ended(p->back));
}

void
parties_prune(struct server *s)
{
	struct party **at = &s->parties, *p;

	while ((p = *at) != NULL) {
		if (!has_ended(p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		if (s->served == p)
			s->served = NULL;
		party_free(p);
	}
}

void
parties_close(struct server *s)
{
	struct party *p;

	while ((p = s->parties) != NULL) {
		s->parties = p->next;
		test_complete(p->test);
		if (p->back != NULL)
			test_complete(p->back);
		party_free(p);
	}
	s->served = NULL;
}

/* No client has more streams; more would be a lie. */
#define STREAMS_MAX 16384

/* How many streams the client has; a lie costs it a delay at its end only. */
static int
expected_streams(const struct server *s, const struct hello *h)
{
	if (s->options->sum_dstip || h->kind != HELLO_CLIENT)
		return 0;
	if (h->header.num_threads < 1)
		return 1;
	return h->header.num_threads < STREAMS_MAX ? (int)h->header.num_threads
						   : STREAMS_MAX;
}

static struct party *
party_open(struct server *s, const struct party_key *key, const struct hello *h)
{
	struct party *p = xcalloc(1, sizeof(*p));
	struct test_plan plan = {.duration_ns = -1};

	if (h->kind == HELLO_CLIENT)
		plan.duration_ns = h->header.duration_ns;
	plan.streams = expected_streams(s, h);
	p->key = *key;
	p->expected = plan.streams;
	p->sending.streams = plan.streams;
	/* With -d each stream has one that goes back, in the same test. */
	if (key->has_header && request_direction(&h->header) == DIRECTION_DUAL)
		plan.streams *= 2;
	p->opened_ns = clock_now_ns();
	p->test = test_open(s->reporter, &plan);
	p->next = s->parties;
	s->parties = p;
	return p;
}

static bool
has_id(const struct party *p, int id)
{
	return (p->ids[id / 32] >> id % 32 & 1) != 0;
}

/* Whether a stream that is not over has a number. The mutex is held. */
static bool
is_taken(const struct server *s, int id)
{
	const struct party *p;

	if (id > CLIENT_HEADER_TRANSFER_ID_MAX)
		return false;
	for (p = s->parties; p != NULL; p = p->next) {
		if (has_id(p, id))
			return true;
	}
	return false;
}

/*
 * The number of a stream: the one under which its client prints it, unless
 * somebody has that, or else our own next. The mutex is held.
 */
static void
choose_id(struct server *s, const struct hello *h, struct connection_fact *c)
{
	int asked = 0;

	if (h->kind == HELLO_CLIENT && h->header.has_transfer_id)
		asked = h->header.transfer_id;
	c->transfer_id = asked;
	if (asked != 0 && !is_taken(s, asked))
		c->id = asked;
	while (is_taken(s, c->id))
		c->id = server_next_id(s);
}

static void
keep_id(struct party *p, int id)
{
	if (id <= CLIENT_HEADER_TRANSFER_ID_MAX)
		p->ids[id / 32] |= UINT32_C(1) << id % 32;
}

/* With -1: waits for the client that is served. The mutex is held. */
static bool
await_turn(struct server *s, const struct party_key *key)
{
	while (s->served != NULL && s->served->active > 0 &&
	       !may_join(s->served, key, clock_now_ns())) {
		if (atomic_load(&s->stop))
			return false;
		pthread_cond_wait(&s->cond, &s->mutex);
	}
	return true;
}

static struct flow *
try_join(struct party *p, const struct connection_fact *c, enum row_kind kind,
    int fd)
{
	struct flow *flow;

	flow = flow_open(p->test, c, kind, fd);
	if (flow == NULL)
		return NULL;
	keep_id(p, c->id);
	p->joined++;
	p->active++;
	return flow;
}

/* Of a client that awaits connections back: they have one test. */
static struct party *
join_visitors(struct server *s, const struct connection_fact *c,
    enum row_kind kind, int fd, struct flow **flow)
{
	pthread_mutex_lock(&s->mutex);
	*flow = try_join(&s->visitors, c, kind, fd);
	pthread_mutex_unlock(&s->mutex);
	return *flow != NULL ? &s->visitors : NULL;
}

struct party *
party_join(struct server *s, const struct hello *h, struct connection_fact *c,
    enum row_kind kind, int fd, struct flow **flow)
{
	struct party_key key;
	struct party *p = NULL;

	*flow = NULL;
	if (s->awaited.test != NULL)
		return join_visitors(s, c, kind, fd, flow);
	memset(&key, 0, sizeof(key));
	key.host.ss = s->options->sum_dstip ? c->local : c->peer;
	key.has_header = h->kind == HELLO_CLIENT && !s->options->sum_dstip;
	key.is_solo = h->bytes == 0;
	if (key.has_header)
		key.header = h->header;
	pthread_mutex_lock(&s->mutex);
	if (s->options->single_client && !key.is_solo && !await_turn(s, &key))
		goto out;
	parties_prune(s);
	choose_id(s, h, c);
	for (p = s->parties; p != NULL; p = p->next) {
		if (may_join(p, &key, clock_now_ns()) &&
		    (*flow = try_join(p, c, kind, fd)) != NULL)
			break;
	}
	if (*flow == NULL) {
		p = party_open(s, &key, h);
		*flow = try_join(p, c, kind, fd);
	}
	if (!key.is_solo)
		s->served = p;
out:
	pthread_mutex_unlock(&s->mutex);
	return p;
}

/* Opens the test of the streams back with -r. The mutex is held. */
static void
open_back(struct server *s, struct party *p)
{
	struct test_plan plan = {
	    .streams = p->expected - p->given_up,
	    .duration_ns = p->key.header.duration_ns,
	};

	p->back = test_open(s->reporter, &plan);
	test_hold(p->back, p->owed_after > 0);
}

/* More streams back, or fewer, are to come. The mutex is held. */
static void
owe(struct party *p, enum direction direction, int more)
{
	if (direction == DIRECTION_DUAL) {
		p->owed += more;
		test_hold(p->test, p->owed > 0);
		return;
	}
	p->owed_after += more;
	if (p->back != NULL)
		test_hold(p->back, p->owed_after > 0);
}

void
party_promise_back(struct server *s, struct party *p, enum direction direction)
{
	pthread_mutex_lock(&s->mutex);
	owe(p, direction, 1);
	pthread_mutex_unlock(&s->mutex);
}

void
party_give_up_back(struct server *s, struct party *p, enum direction direction)
{
	pthread_mutex_lock(&s->mutex);
	if (direction == DIRECTION_DUAL)
		test_give_up_stream(p->test);
	else if (p->back != NULL)
		test_give_up_stream(p->back);
	else
		p->given_up++;
	owe(p, direction, -1);
	pthread_mutex_unlock(&s->mutex);
}

struct flow *
party_join_back(struct server *s, struct party *p, struct connection_fact *c,
    enum row_kind kind, int fd, enum direction direction)
{
	struct flow *flow;

	pthread_mutex_lock(&s->mutex);
	while (is_taken(s, c->id))
		c->id = server_next_id(s);
	keep_id(p, c->id);
	if (direction == DIRECTION_TRADEOFF && p->back == NULL)
		open_back(s, p);
	flow = flow_open(direction == DIRECTION_TRADEOFF ? p->back : p->test, c,
	    kind, fd);
	owe(p, direction, -1);
	pthread_mutex_unlock(&s->mutex);
	return flow;
}

bool
party_keep_options(struct server *s, struct party *p, struct options *o)
{
	bool is_first;

	pthread_mutex_lock(&s->mutex);
	is_first = p->back_options == NULL;
	if (is_first)
		p->back_options = o;
	pthread_mutex_unlock(&s->mutex);
	return is_first;
}

void
party_leave(struct server *s, struct party *p)
{
	pthread_mutex_lock(&s->mutex);
	p->active--;
	pthread_cond_broadcast(&s->cond);
	pthread_mutex_unlock(&s->mutex);
}
