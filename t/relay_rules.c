/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "relay_rules.h"

static uint64_t
number(const char **p)
{
	char *end;
	uint64_t n;

	n = strtoull(*p, &end, 10);
	if (end == *p)
		errx(2, "no number: %s", *p);
	*p = end;
	return n;
}

static void
parse_range(struct ids *ids, const char **p)
{
	int i = ids->n++;

	if (i == RANGES_MAX)
		errx(2, "too many ranges");
	ids->ranges[i].first = ids->ranges[i].last = (int64_t)number(p);
	ids->ranges[i].step = 1;
	if (**p == '-') {
		++*p;
		ids->ranges[i].last = (int64_t)number(p);
	}
	if (**p == '/') {
		++*p;
		ids->ranges[i].step = (int64_t)number(p);
	}
}

static void
parse_ids(struct ids *ids, const char *p)
{
	do {
		if (*p == '?') {
			p++;
			ids->per_mille = number(&p);
		} else {
			parse_range(ids, &p);
		}
	} while (*p++ == ',');
	if (p[-1] == ':')
		ids->by = number(&p);
	else if (p[-1] != '\0')
		errx(2, "no list of ids: %s", p - 1);
}

void
rules_parse(struct rules *r, const char *arg)
{
	const struct {
		const char *name;
		struct ids *ids;
		uint64_t *number;
	} table[] = {
	    {"drop", &r->drop, NULL},
	    {"dup", &r->dup, NULL},
	    {"hold", &r->hold, NULL},
	    {"delay", &r->delay, NULL},
	    {"back", &r->back, NULL},
	    {"backfinals", NULL, &r->backfinals},
	    {"seed", NULL, &r->seed},
	    {"firsts", NULL, &r->firsts},
	    {"mute", NULL, &r->mute},
	    {"finals", NULL, &r->finals},
	    {"reports", NULL, &r->reports},
	    {"add", NULL, &r->add},
	    {"narrow", NULL, &r->narrow},
	};
	size_t i, n = strcspn(arg, "=");
	const char *value = arg + n + 1;

	for (i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (arg[n] != '=' || strlen(table[i].name) != n ||
		    strncmp(table[i].name, arg, n) != 0)
			continue;
		if (table[i].ids != NULL)
			parse_ids(table[i].ids, value);
		else
			*table[i].number = number(&value);
		return;
	}
	errx(2, "what is %s?", arg);
}

/* Without pattern: splitmix64. */
static uint64_t
draw(uint64_t seed, int64_t id)
{
	uint64_t z = seed * UINT64_C(0xd1342543de82ef95) +
		     (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

bool
ids_have(const struct ids *ids, int64_t id, uint64_t seed)
{
	int i;

	for (i = 0; i < ids->n; i++) {
		if (id >= ids->ranges[i].first && id <= ids->ranges[i].last &&
		    (id - ids->ranges[i].first) % ids->ranges[i].step == 0)
			return true;
	}
	return draw(seed, id) % 1000 < ids->per_mille;
}
