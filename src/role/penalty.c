/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "role/penalty.h"

#define PENALTY_NS (60 * NS_PER_S)

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

static bool
is_past(const struct penalty *e, int64_t now_ns)
{
	return e->failures == 0 || now_ns - e->latest_ns > PENALTY_NS;
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
	struct penalty *oldest = &p->list[0];
	size_t i;

	for (i = 0; i < PENALTY_ADDRESSES; i++) {
		if (is_past(&p->list[i], now_ns))
			return &p->list[i];
		if (p->list[i].latest_ns < oldest->latest_ns)
			oldest = &p->list[i];
	}
	return oldest;
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
	if (e->failures < PENALTY_FAILURES)
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
	barred = e != NULL && e->failures >= PENALTY_FAILURES;
	pthread_mutex_unlock(&p->mutex);
	return barred;
}
