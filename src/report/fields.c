/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/fields.h"

json_t *
fields_object(void)
{
	return json_object();
}

void
fields_add(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

void
fields_null(json_t *o, const char *key)
{
	fields_add(o, key, json_null());
}

/* Paths and system messages may be in any encoding. */
static json_t *
plain_text(const char *text)
{
	size_t i, length = strlen(text);
	char *copy = xcalloc(1, length + 1);
	json_t *value;

	for (i = 0; i < length; i++)
		copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	value = json_string(copy);
	free(copy);
	return value;
}

void
fields_text(json_t *o, const char *key, const char *text)
{
	json_t *value;

	if (text[0] == '\0') {
		fields_null(o, key);
		return;
	}
	value = json_string(text);
	fields_add(o, key, value != NULL ? value : plain_text(text));
}

void
fields_flag(json_t *o, const char *key, bool flag)
{
	fields_add(o, key, json_boolean(flag));
}

void
fields_count(json_t *o, const char *key, uint64_t n)
{
	fields_add(o, key,
	    json_integer(n <= INT64_MAX ? (json_int_t)n : INT64_MAX));
}

void
fields_known(json_t *o, const char *key, int64_t n)
{
	if (n < 0)
		fields_null(o, key);
	else
		fields_add(o, key, json_integer(n));
}

/* JSON has no infinities. */
static void
add_real(json_t *o, const char *key, double value)
{
	if (isfinite(value))
		fields_add(o, key, json_real(value));
	else
		fields_null(o, key);
}

void
fields_real(json_t *o, const char *key, double value)
{
	add_real(o, key, round(value * 1000) / 1000);
}

void
fields_seconds(json_t *o, const char *key, double ns)
{
	/* Picoseconds: gaps and jitter are fractions of a nanosecond. */
	add_real(o, key, round(ns * 1000) / (1000 * (double)NS_PER_S));
}

void
fields_known_seconds(json_t *o, const char *key, int64_t ns)
{
	if (ns < 0)
		fields_null(o, key);
	else
		fields_seconds(o, key, (double)ns);
}

void
fields_time(json_t *o, const char *key, int64_t wall_ns)
{
	int64_t us = wall_ns / (int64_t)NS_PER_US;

	add_real(o, key, (double)us / 1e6);
}
