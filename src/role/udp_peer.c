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

	*dropped = 0;
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
		*dropped = p->dropped;
		p->dropped = 0;
	}
	pthread_mutex_unlock(&t->mutex);
	*taken = h;
	return more;
}
