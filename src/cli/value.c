/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "cli/endpoint.h"
#include "cli/value.h"

#define HEADER_TIMEOUT_NS (10 * NS_PER_S)
#define CONNECT_ONLY_DEFAULT "10"
#define JITTER_WIDTH_DEFAULT "100" /* us */
#define HISTOGRAM_WIDTH_NS (100 * NS_PER_US)
#define HISTOGRAM_BINS 10000
#define PERMIT_LIFE_NS (20 * NS_PER_S)
#define MAX_FLOWS 4096
#define MAX_FLOWS_PER_HOST 1024

/*
 * Stores into the member; returns NULL or the reason why not. A reason that
 * needs no memory of its own can be returned as it is.
 */
typedef const char *value_setter(const struct option_info *, const char *text,
    void *member, char reason[VALUE_REASON_MAX]);

void
value_init(struct options *o)
{
	*o = (struct options){
	    .ports = {OPTIONS_PORT, OPTIONS_PORT},
	    .parallel = -1,
	    .duration_ns = -1,
	    .amount_bytes = -1,
	    .length_bytes = -1,
	    .rate = {.mean = -1},
	    .ipg_ns = -1,
	    .fq_rate_bps = -1,
	    .window_bytes = -1,
	    .mss_bytes = -1,
	    .tos = -1,
	    .tos_override = -1,
	    .ttl = -1,
	    .write_prefetch_bytes = -1,
	    .rx_window_clamp_bytes = -1,
	    .connect_sync = true,
	    .connect_only = -1,
	    .txstart_rt_ns = -1,
	    .header_timeout_ns = HEADER_TIMEOUT_NS,
	    .permit_life_ns = PERMIT_LIFE_NS,
	    .max_flows = MAX_FLOWS,
	    .max_flows_per_host = MAX_FLOWS_PER_HOST,
	    .histogram = {-1, HISTOGRAM_BINS, 5, 95},
	    .jitter_width_ns = -1,
	    .format = 'a',
	};
}

/* "out of range (1 to 63)", in the unit in which the user wrote the value. */
static const char *
range_reason(const struct option_info *info, char reason[VALUE_REASON_MAX])
{
	if (info->kind == VALUE_SECONDS || info->kind == VALUE_INTERVAL)
		snprintf(reason, VALUE_REASON_MAX,
		    "out of range (%.10g to %.10g s)",
		    (double)info->min / (double)NS_PER_S,
		    (double)info->max / (double)NS_PER_S);
	else if (info->max == INT64_MAX)
		snprintf(reason, VALUE_REASON_MAX,
		    "out of range (at least %" PRId64 ")", info->min);
	else
		snprintf(reason, VALUE_REASON_MAX,
		    "out of range (%" PRId64 " to %" PRId64 ")", info->min,
		    info->max);
	return reason;
}

/* Turns what a reader of numbers returned into a reason, NULL for none. */
static const char *
check(const struct option_info *info, int error, int64_t value,
    char reason[VALUE_REASON_MAX])
{
	bool limited = info->min != 0 || info->max != 0;

	if (error == 0 && limited && value < 0 && info->min >= 0)
		error = NUMBER_NEGATIVE;
	if (error == 0 && limited && (value < info->min || value > info->max))
		error = NUMBER_RANGE;
	if (error == NUMBER_RANGE && limited)
		return range_reason(info, reason);
	return error == 0 ? NULL : number_strerror(error);
}

static const char *
set_nothing(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)text;
	(void)member;
	(void)reason;
	return NULL;
}

static const char *
set_true(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)text;
	(void)reason;
	*(bool *)member = true;
	return NULL;
}

static const char *
set_false(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)text;
	(void)reason;
	*(bool *)member = false;
	return NULL;
}

static const char *
set_switch(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)reason;
	if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return "neither 0 nor 1";
	*(bool *)member = text == NULL || text[0] == '1';
	return NULL;
}

static const char *
set_text(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)reason;
	if (text[0] == '\0')
		return "empty";
	if (strlen(text) >= info->size)
		return "too long";
	strlcpy(member, text, info->size);
	return NULL;
}

static const char *
set_key(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	size_t length = text != NULL ? strlen(text) : 0;

	if (text != NULL &&
	    (length < OPTIONS_KEY_MIN || length > OPTIONS_KEY_MAX)) {
		snprintf(reason, VALUE_REASON_MAX, "not %d to %d characters",
		    OPTIONS_KEY_MIN, OPTIONS_KEY_MAX);
		return reason;
	}
	memset(member, 0, info->size);
	memcpy(member, text != NULL ? text : "", length);
	return NULL;
}

static const char *
set_stdin(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)text;
	return set_text(info, "-", member, reason);
}

static const char *
set_integer(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value;
	int error;

	/* --connect-only is the only one whose value can be left out. */
	if (text == NULL)
		text = CONNECT_ONLY_DEFAULT;
	error = number_integer(text, info->min, info->max, &value);
	if (error != 0)
		return check(info, error, 0, reason);
	*(int *)member = (int)value;
	return NULL;
}

static const char *
set_bytes(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value = 0;
	int error = number_scaled(text, &value);
	const char *why = check(info, error, value, reason);

	if (why == NULL && info->size != 0)
		*(int64_t *)member = value;
	return why;
}

static const char *
set_bytes_int(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value = 0;
	int error = number_scaled(text, &value);
	const char *why = check(info, error, value, reason);

	if (why == NULL)
		*(int *)member = (int)value;
	return why;
}

static const char *
set_rate(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	struct target_rate rate = {0};
	int error = number_rate(text, &rate);
	const char *why = check(info, error, rate.mean, reason);

	if (why == NULL)
		why = check(info, 0, rate.stddev, reason);
	if (why == NULL)
		*(struct target_rate *)member = rate;
	return why;
}

static const char *
set_bit_or_byte(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value = 0;
	int error = number_bit_or_byte_rate(text, &value);
	const char *why = check(info, error, value, reason);

	if (why == NULL)
		*(int64_t *)member = value;
	return why;
}

static const char *
set_seconds(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value = 0;
	int error = number_seconds(text, &value);
	const char *why = check(info, error, value, reason);

	if (why == NULL)
		*(int64_t *)member = value;
	return why;
}

static const char *
set_microseconds(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int64_t value;
	int error;

	/* --jitter-histograms is the only one. */
	if (text == NULL)
		text = JITTER_WIDTH_DEFAULT;
	error = number_integer(text, info->min, info->max, &value);
	if (error != 0)
		return check(info, error, 0, reason);
	*(int64_t *)member = value * NS_PER_US;
	return NULL;
}

static const char *
set_interval(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	if (text[0] == 'f' || text[0] == 'F')
		return "reports per frame are not supported yet";
	return set_seconds(info, text, member, reason);
}

static const char *
set_tos(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int error = number_tos(text, member);

	if (error == NUMBER_RANGE)
		return "out of range (0 to 255)";
	return check(info, error, 0, reason);
}

static const char *
set_dscp(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	const char *why = set_integer(info, text, member, reason);

	if (why == NULL)
		*(int *)member <<= 2;
	return why;
}

static const char *
set_ports(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int error = number_ports(text, member);

	if (error == NUMBER_RANGE)
		return "out of range (1 to 65535)";
	return check(info, error, 0, reason);
}

/* 0 lets the system choose. */
static const char *
set_listen_ports(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	struct port_range *ports = member;

	if (strcmp(text, "0") != 0)
		return set_ports(info, text, member, reason);
	*ports = (struct port_range){0, 0};
	return NULL;
}

static const char *
set_bind(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	int error = endpoint_parse(text, member);

	(void)info;
	(void)reason;
	return error == 0 ? NULL : endpoint_strerror(error);
}

static const char *
set_host(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	struct endpoint e;
	int error = endpoint_parse(text, &e);

	(void)info;
	(void)reason;
	if (error == ENDPOINT_PORT || (error == 0 && e.port != 0))
		return "use -p to set the port";
	if (error != 0)
		return endpoint_strerror(error);
	*(struct endpoint *)member = e;
	return NULL;
}

static const char *
set_address(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	struct endpoint e;
	const char *why = set_host(info, text, &e, reason);

	if (why != NULL)
		return why;
	if (!endpoint_is_v4(&e) && !endpoint_is_v6(&e))
		return "not an address";
	*(struct endpoint *)member = e;
	return NULL;
}

static const char *
set_histogram(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	struct histogram_option *h = member;

	if (text == NULL) {
		h->width_ns = HISTOGRAM_WIDTH_NS;
		return NULL;
	}
	return check(info, number_histogram(text, h), 0, reason);
}

/* Scripts write "-f Mbits"; only the first letter counts. */
static const char *
set_format(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)reason;
	if (text[0] == '\0' || strchr("bkmgtpaBKMGTPA", text[0]) == NULL)
		return "unknown letter";
	*(char *)member = text[0];
	return NULL;
}

static const char *
set_style(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	(void)info;
	(void)reason;
	if (text[0] != 'C' && text[0] != 'c')
		return "unknown style";
	*(enum report_style *)member = STYLE_CSV;
	return NULL;
}

static const char *
set_exclude(const struct option_info *info, const char *text, void *member,
    char *reason)
{
	/* In the order of the bits of enum exclude, in either case. */
	static const char letters[] = "CcDdMmSsVv";
	unsigned bits = 0;
	const char *p, *found;

	(void)info;
	for (p = text; *p != '\0'; p++) {
		found = strchr(letters, *p);
		if (found == NULL) {
			snprintf(reason, VALUE_REASON_MAX,
			    "unknown letter '%c'", *p);
			return reason;
		}
		bits |= 1U << ((found - letters) / 2);
	}
	*(unsigned *)member = bits;
	return NULL;
}

static value_setter *const setters[VALUE_KIND_COUNT] = {
    [VALUE_NONE] = set_nothing,
    [VALUE_SET] = set_true,
    [VALUE_CLEAR] = set_false,
    [VALUE_SWITCH] = set_switch,
    [VALUE_STDIN] = set_stdin,
    [VALUE_INTEGER] = set_integer,
    [VALUE_BYTES] = set_bytes,
    [VALUE_BYTES_INT] = set_bytes_int,
    [VALUE_RATE] = set_rate,
    [VALUE_BIT_OR_BYTE] = set_bit_or_byte,
    [VALUE_SECONDS] = set_seconds,
    [VALUE_MICROSECONDS] = set_microseconds,
    [VALUE_INTERVAL] = set_interval,
    [VALUE_TOS] = set_tos,
    [VALUE_DSCP] = set_dscp,
    [VALUE_PORTS] = set_ports,
    [VALUE_LISTEN_PORTS] = set_listen_ports,
    [VALUE_HOST] = set_host,
    [VALUE_BIND] = set_bind,
    [VALUE_ADDRESS] = set_address,
    [VALUE_TEXT] = set_text,
    [VALUE_KEY] = set_key,
    [VALUE_HISTOGRAM] = set_histogram,
    [VALUE_FORMAT] = set_format,
    [VALUE_STYLE] = set_style,
    [VALUE_EXCLUDE] = set_exclude,
};

bool
value_store(const struct option_info *info, const char *text, struct options *o,
    char reason[VALUE_REASON_MAX])
{
	void *member = (char *)o + info->offset;
	const char *why;

	why = setters[info->kind](info, text, member, reason);
	if (why != NULL && why != reason)
		strlcpy(reason, why, VALUE_REASON_MAX);
	return why == NULL;
}

void
value_reset(const struct option_info *info, struct options *o)
{
	struct options initial;

	value_init(&initial);
	memcpy((char *)o + info->offset, (const char *)&initial + info->offset,
	    info->size);
}
