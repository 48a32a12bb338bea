/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "role/udp_peer.h"

void
udp_peers_init(struct udp_peers *t)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->mutex, NULL);
}

void
udp_peers_fini(struct udp_peers *t)
{
	pthread_mutex_destroy(&t->mutex);
}

/* Ports differ most among peers, so they choose the bucket. */
static struct udp_peer **
bucket_of(struct udp_peers *t, const struct address *peer)
{
	return &t->buckets[address_port(peer) % UDP_PEER_BUCKETS];
}

static bool
is_same(const struct udp_peer *p, const struct address *peer,
    const struct address *local)
{
	return address_port(&p->address) == address_port(peer) &&
	       address_port(&p->local) == address_port(local) &&
	       address_same_host(&p->address, peer) &&
	       address_same_host(&p->local, local);
}

/* The mutex is held. NULL: nobody. */
static struct udp_peer *
find(struct udp_peers *t, const struct address *peer,
    const struct address *local)
{
	struct udp_peer *p = *bucket_of(t, peer);

	while (p != NULL && !is_same(p, peer, local))
		p = p->next;
	return p;
}

static int
read_count(struct udp_peers *t, const int *count)
{
	int n;

	pthread_mutex_lock(&t->mutex);
	n = *count;
	pthread_mutex_unlock(&t->mutex);
	return n;
}

int
udp_peers_count(struct udp_peers *t)
{
	return read_count(t, &t->count);
}

int
udp_peers_count_shared(struct udp_peers *t)
{
	return read_count(t, &t->shared);
}

int
udp_peers_count_host(struct udp_peers *t, const struct address *host)
{
	const struct udp_peer *p;
	size_t i;
	int n = 0;

	pthread_mutex_lock(&t->mutex);
	for (i = 0; i < UDP_PEER_BUCKETS; i++) {
		for (p = t->buckets[i]; p != NULL; p = p->next)
			n += address_same_host(&p->address, host);
	}
	pthread_mutex_unlock(&t->mutex);
	return n;
}

enum udp_room
udp_peers_room(struct udp_peers *t, const struct address *host, int max_flows,
    int max_flows_per_host)
{
	int n = 0, busy = 0, n_host = 0, busy_host = 0;
	const struct udp_peer *p;
	size_t i;

	pthread_mutex_lock(&t->mutex);
	for (i = 0; i < UDP_PEER_BUCKETS; i++) {
		for (p = t->buckets[i]; p != NULL; p = p->next) {
			n++;
			busy += !p->is_lingering;
			if (!address_same_host(&p->address, host))
				continue;
			n_host++;
			busy_host += !p->is_lingering;
		}
	}
	pthread_mutex_unlock(&t->mutex);
	if (busy >= max_flows || n - busy >= max_flows + UDP_PEERS_LINGERING)
		return UDP_ROOM_NO_FLOW;
	if (busy_host >= max_flows_per_host ||
	    n_host - busy_host >= max_flows_per_host + UDP_PEERS_LINGERING)
		return UDP_ROOM_NO_HOST;
	return UDP_ROOM;
}

void
udp_peers_set_lingering(struct udp_peers *t, struct udp_peer *p, bool on)
{
	pthread_mutex_lock(&t->mutex);
	p->is_lingering = on;
	pthread_mutex_unlock(&t->mutex);
}

/* Where the latest flow from a port is remembered. The mutex is held. */
static struct udp_ended *
ended_of(struct udp_peers *t, const struct address *peer)
{
	return &t->ended[address_port(peer) % UDP_PEERS_ENDED];
}

static void
remember(struct udp_peers *t, const struct udp_peer *p)
{
	struct udp_ended *e = ended_of(t, &p->address);

	if (p->ended_sent_ns == 0)
		return;
	e->address = p->address;
	e->sent_ns = p->ended_sent_ns;
	e->resume_id = p->resume_id;
	e->until_ns = clock_now_ns() + UDP_PEERS_ENDED_NS;
}

/*
 * A flow that begins anew does so with the first id, and what is left over
 * has the first id hardly ever: so its time need only be no earlier.
 */
bool
udp_peers_is_leftover(struct udp_peers *t, const struct address *peer,
    int64_t id, int64_t sent_ns, int64_t *resume_id)
{
	struct udp_ended e;

	pthread_mutex_lock(&t->mutex);
	e = *ended_of(t, peer);
	pthread_mutex_unlock(&t->mutex);
	*resume_id = 0;
	if (e.sent_ns == 0 || clock_now_ns() > e.until_ns ||
	    address_port(&e.address) != address_port(peer) ||
	    !address_same_host(&e.address, peer))
		return false;
	*resume_id = e.resume_id;
	return sent_ns < e.sent_ns || (id > 1 && sent_ns == e.sent_ns);
}

static void
init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

void
udp_peers_add(struct udp_peers *t, struct udp_peer *p)
{
	struct udp_peer **bucket = bucket_of(t, &p->address);

	p->head = NULL;
	p->tail = &p->head;
	init_cond(&p->cond);
	pthread_mutex_lock(&t->mutex);
	p->next = *bucket;
	*bucket = p;
	t->count++;
	t->shared += p->fd == -1;
	pthread_mutex_unlock(&t->mutex);
}

void
udp_peers_remove(struct udp_peers *t, struct udp_peer *p)
{
	struct udp_peer **at;
	struct udp_handed *h;

	pthread_mutex_lock(&t->mutex);
	for (at = bucket_of(t, &p->address); *at != p; at = &(*at)->next)
		continue;
	*at = p->next;
	remember(t, p);
	t->count--;
	t->shared -= p->fd == -1;
	pthread_mutex_unlock(&t->mutex);
	while ((h = p->head) != NULL) {
		p->head = h->next;
		free(h);
	}
	pthread_cond_destroy(&p->cond);
	free(p);
}

/* Queues a copy. The mutex is held. */
static void
append(struct udp_peer *p, const struct datagram_in *in)
{
	struct udp_handed *h;

	if (p->queued == UDP_PEER_QUEUE_MAX) {
		p->dropped++;
		return;
	}
	h = xcalloc(1, sizeof(*h) + in->stored);
	h->in = *in;
	h->in.data = h->data;
	h->in.from = NULL;
	h->in.to = NULL;
	memcpy(h->data, in->data, in->stored);
	*p->tail = h;
	p->tail = &h->next;
	p->queued++;
	pthread_cond_signal(&p->cond);
}

bool
udp_peers_hand(struct udp_peers *t, const struct address *peer,
    const struct address *local, const struct datagram_in *in)
{
	struct udp_peer *p;

	pthread_mutex_lock(&t->mutex);
	p = find(t, peer, local);
	if (p != NULL)
		append(p, in);
	pthread_mutex_unlock(&t->mutex);
	return p != NULL;
}

void
udp_peers_put_back(struct udp_peers *t, struct udp_peer *p,
    struct udp_handed *h)
{
	pthread_mutex_lock(&t->mutex);
	h->next = p->head;
	if (p->head == NULL)
		p->tail = &h->next;
	p->head = h;
	p->queued++;
	pthread_mutex_unlock(&t->mutex);
}

/* Counts those not handed over; *last is one of them. The mutex is held. */
static int
count_waiting(struct udp_peers *t, struct udp_peer **last)
{
	struct udp_peer *p;
	size_t i;
	int n = 0;

	for (i = 0; i < UDP_PEER_BUCKETS; i++) {
		for (p = t->buckets[i]; p != NULL; p = p->next) {
			if (p->is_handed_over)
				continue;
			n++;
			*last = p;
		}
	}
	return n;
}

int
udp_peers_count_waiting(struct udp_peers *t)
{
	struct udp_peer *last;
	int n;

	pthread_mutex_lock(&t->mutex);
	n = count_waiting(t, &last);
	pthread_mutex_unlock(&t->mutex);
	return n;
}

bool
udp_peers_note_drops(struct udp_peers *t, uint64_t n)
{
	struct udp_peer *only;
	bool known;

	pthread_mutex_lock(&t->mutex);
	known = count_waiting(t, &only) == 1;
	if (known)
		only->dropped += n;
	pthread_mutex_unlock(&t->mutex);
	return known;
}

uint64_t
udp_peers_take_drops(struct udp_peers *t, struct udp_peer *p)
{
	uint64_t n;

	pthread_mutex_lock(&t->mutex);
	n = p->dropped;
	p->dropped = 0;
	pthread_mutex_unlock(&t->mutex);
	return n;
}

void
udp_peers_hand_over(struct udp_peers *t)
{
	struct udp_peer *p;
	size_t i;

	pthread_mutex_lock(&t->mutex);
	for (i = 0; i < UDP_PEER_BUCKETS; i++) {
		for (p = t->buckets[i]; p != NULL; p = p->next) {
			if (p->fd == -1 || p->is_handed_over)
				continue;
			p->is_handed_over = p->is_due;
			p->is_due = true;
			if (p->is_handed_over)
				pthread_cond_signal(&p->cond);
		}
	}
	pthread_mutex_unlock(&t->mutex);
}

bool
udp_peers_take(struct udp_peers *t, struct udp_peer *p, int64_t deadline_ns,
    struct udp_handed **taken, uint64_t *dropped)
{
	struct timespec ts = clock_timespec(deadline_ns);
	struct udp_handed *h;
	bool more;

	pthread_mutex_lock(&t->mutex);
	while (p->head == NULL && !p->is_handed_over &&
	       clock_now_ns() < deadline_ns)
		pthread_cond_timedwait(&p->cond, &t->mutex, &ts);
	h = p->head;
	more = h != NULL || !p->is_handed_over;
	if (h != NULL) {
		p->head = h->next;
		if (p->head == NULL)
			p->tail = &p->head;
		p->queued--;
	}
	*dropped = p->dropped;
	p->dropped = 0;
	pthread_mutex_unlock(&t->mutex);
	*taken = h;
	return more;
}
