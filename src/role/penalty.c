/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "role/penalty.h"

/* The first bar; each further failure doubles it, up to 64 times. */
#define BAR_NS (60 * NS_PER_S)
#define DOUBLINGS 6

/* Failures are remembered for so long after the bar. */
#define MEMORY_NS (600 * NS_PER_S)

/* An IPv4 address, also within IPv6, or the network of an IPv6 one. */
static uint64_t
key_of(const struct address *a)
{
	uint64_t key = 0;
	size_t len;
	const uint8_t *bytes = address_bytes(a, &len);

	memcpy(&key, bytes, len < sizeof(key) ? len : sizeof(key));
	return key;
}

/* How long the address is barred after its latest failure. */
static int64_t
bar_ns(const struct penalty *e)
{
	unsigned doublings;

	if (e->failures < PENALTY_FAILURES)
		return 0;
	doublings = e->failures - PENALTY_FAILURES;
	return BAR_NS << (doublings < DOUBLINGS ? doublings : DOUBLINGS);
}

static bool
is_past(const struct penalty *e, int64_t now_ns)
{
	return e->failures == 0 ||
	       now_ns - e->latest_ns > bar_ns(e) + MEMORY_NS;
}

/* Which of two entries is kept when there is room for one. */
static bool
is_worse(const struct penalty *a, const struct penalty *b)
{
	return a->failures != b->failures ? a->failures > b->failures
					  : a->latest_ns > b->latest_ns;
}

static struct penalty *
find(struct penalties *p, uint64_t key, int64_t now_ns)
{
	size_t i;

	for (i = 0; i < PENALTY_ADDRESSES; i++)
		if (!is_past(&p->list[i], now_ns) && p->list[i].key == key)
			return &p->list[i];
	return NULL;
}

/* An entry to use anew. */
static struct penalty *
replace(struct penalties *p, int64_t now_ns)
{
	struct penalty *least = &p->list[0];
	size_t i;

	for (i = 0; i < PENALTY_ADDRESSES; i++) {
		if (is_past(&p->list[i], now_ns))
			return &p->list[i];
		if (is_worse(least, &p->list[i]))
			least = &p->list[i];
	}
	return least;
}

void
penalties_init(struct penalties *p)
{
	memset(p->list, 0, sizeof(p->list));
	pthread_mutex_init(&p->mutex, NULL);
}

void
penalties_fini(struct penalties *p)
{
	pthread_mutex_destroy(&p->mutex);
}

void
penalties_add(struct penalties *p, const struct address *a, int64_t now_ns)
{
	uint64_t key = key_of(a);
	struct penalty *e;

	pthread_mutex_lock(&p->mutex);
	e = find(p, key, now_ns);
	if (e == NULL) {
		e = replace(p, now_ns);
		e->key = key;
		e->failures = 0;
	}
	if (e->failures < PENALTY_FAILURES + DOUBLINGS)
		e->failures++;
	e->latest_ns = now_ns;
	pthread_mutex_unlock(&p->mutex);
}

bool
penalties_bar(struct penalties *p, const struct address *a, int64_t now_ns)
{
	const struct penalty *e;
	bool barred;

	pthread_mutex_lock(&p->mutex);
	e = find(p, key_of(a), now_ns);
	barred = e != NULL && e->failures >= PENALTY_FAILURES &&
		 now_ns - e->latest_ns <= bar_ns(e);
	pthread_mutex_unlock(&p->mutex);
	return barred;
}
