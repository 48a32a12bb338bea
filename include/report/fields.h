/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

/*
 * Members of JSON objects, in the units and forms that doc/json-schema.json
 * promises. What is unknown or unset becomes null. Keys have static storage
 * or are copied. Reporter thread only.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* An empty object; the caller gives it away or calls json_decref(). */
json_t *fields_object(void);

/* Text; "" becomes null, bytes that are not UTF-8 question marks. */
void fields_text(json_t *, const char *key, const char *text);
void fields_flag(json_t *, const char *key, bool);
void fields_count(json_t *, const char *key, uint64_t);
/* A number that is -1 (any negative one) when unknown. */
void fields_known(json_t *, const char *key, int64_t);
/* A fraction, rounded to thousandths. */
void fields_real(json_t *, const char *key, double);
/* Nanoseconds as seconds; the second form: null if negative. */
void fields_seconds(json_t *, const char *key, double ns);
void fields_known_seconds(json_t *, const char *key, int64_t ns);
/* Wall time, ns since 1970, as seconds; 15 digits of it are written. */
void fields_time(json_t *, const char *key, int64_t wall_ns);
void fields_null(json_t *, const char *key);
/* Another object or array, which is given away. */
void fields_add(json_t *, const char *key, json_t *value);

#endif
