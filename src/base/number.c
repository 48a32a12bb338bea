/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"

/* More than enough to overflow or underflow anything. */
#define EXPONENT_MAX 1000

#define BITS_PER_BYTE 8
#define MILLION 1000000

/* A decimal number as written; `text` has digits and at most one point. */
struct decimal {
	const char *text;
	const char *end;
	long digits; /* in text */
	long whole;  /* of them, or beyond them, left of the decimal point */
};

const char *
number_strerror(enum number_error error)
{
	switch (error) {
	case NUMBER_SYNTAX:
		return "not a number";
	case NUMBER_WHOLE:
		return "not a whole number";
	case NUMBER_NEGATIVE:
		return "negative";
	case NUMBER_TOO_LARGE:
		return "too large";
	case NUMBER_SUFFIX:
		return "unknown suffix";
	case NUMBER_RANGE:
		return "out of range";
	case NUMBER_NAME:
		return "unknown name";
	case NUMBER_ORDER:
		return "the last port is below the first";
	case NUMBER_PERCENT:
		return "not two ascending limits from 0 to 100";
	}
	return "unknown error";
}

/* The <ctype.h> functions depend on the locale. */
static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
to_lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

/* Is s the word, in any case, up to a comma or the end? */
static bool
is_word(const char *s, const char *word, bool any_case)
{
	for (; *word != '\0'; s++, word++) {
		if ((any_case ? to_lower(*s) : *s) != *word)
			return false;
	}
	return *s == '\0' || *s == ',';
}

static bool
append_digit(int64_t *value, int digit)
{
	if (*value > (INT64_MAX - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

/* Reads "e9" or "e-3"; what is not complete is left for the caller. */
static const char *
scan_exponent(const char *s, long *exponent)
{
	const char *p = s;
	bool negative = false;
	long value = 0;

	*exponent = 0;
	if (to_lower(*p) != 'e')
		return s;
	p++;
	if (*p == '-' || *p == '+')
		negative = *p++ == '-';
	if (!is_digit(*p))
		return s;
	for (; is_digit(*p); p++) {
		if (value < EXPONENT_MAX)
			value = value * 10 + (*p - '0');
	}
	*exponent = negative ? -value : value;
	return p;
}

/* Reads digits, point and exponent; *s is moved behind them. */
static int
scan_decimal(const char **s, struct decimal *d)
{
	const char *p = *s;
	bool point = false;
	long exponent;

	if (*p == '-')
		return is_digit(p[1]) || p[1] == '.' ? NUMBER_NEGATIVE
						     : NUMBER_SYNTAX;
	*d = (struct decimal){.text = p};
	for (; is_digit(*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		d->digits++;
		if (!point)
			d->whole++;
	}
	if (d->digits == 0)
		return NUMBER_SYNTAX;
	d->end = p;
	*s = scan_exponent(p, &exponent);
	d->whole += exponent;
	return 0;
}

/*
 * Multiplies by an integer factor (below 2^59) and truncates. The fraction
 * is taken from its last digit backwards; cutting off after each division
 * loses nothing, since floor((n + x) / 10) is floor((n + floor(x)) / 10).
 */
static int
multiply(const struct decimal *d, int64_t factor, int64_t *value)
{
	int64_t whole = 0, fraction = 0;
	const char *p;
	long i = 0;

	for (p = d->text; p < d->end && i < d->whole; p++) {
		if (*p == '.')
			continue;
		if (!append_digit(&whole, *p - '0'))
			return NUMBER_TOO_LARGE;
		i++;
	}
	for (; i < d->whole && whole > 0; i++) {
		if (!append_digit(&whole, 0))
			return NUMBER_TOO_LARGE;
	}

	i = d->digits;
	for (p = d->end; p > d->text && i > d->whole && i > 0;) {
		if (*--p == '.')
			continue;
		fraction = (factor * (*p - '0') + fraction) / 10;
		i--;
	}
	for (i = d->whole; i < 0 && fraction > 0; i++)
		fraction /= 10;

	if (whole > (INT64_MAX - fraction) / factor)
		return NUMBER_TOO_LARGE;
	*value = whole * factor + fraction;
	return 0;
}

/* The power of `kilo` that a lower-case letter stands for; 1 for none. */
static int64_t
suffix_factor(char letter, int64_t kilo)
{
	switch (letter) {
	case 'k':
		return kilo;
	case 'm':
		return kilo * kilo;
	case 'g':
		return kilo * kilo * kilo;
	case 't':
		return kilo * kilo * kilo * kilo;
	default:
		return 1;
	}
}

static int
scan_scaled(const char **s, int64_t *value)
{
	struct decimal d;
	int64_t factor;
	int error;

	error = scan_decimal(s, &d);
	if (error != 0)
		return error;
	factor = suffix_factor(**s, 1000);
	if (factor == 1)
		factor = suffix_factor(to_lower(**s), 1024);
	if (factor > 1)
		++*s;
	return multiply(&d, factor, value);
}

int
number_scaled(const char *s, int64_t *value)
{
	int64_t v;
	int error;

	error = scan_scaled(&s, &v);
	if (error != 0)
		return error;
	if (*s != '\0')
		return NUMBER_SUFFIX;
	*value = v;
	return 0;
}

/* A scaled number and what people write behind it to say "bits/s". */
static int
scan_bit_rate(const char **s, int64_t *bps)
{
	static const char *const words[] = {"bits/sec", "bits/s", "bit/s",
	    "bps", "b"};
	size_t i;
	int error;

	error = scan_scaled(s, bps);
	if (error != 0)
		return error;
	*s += strspn(*s, " ");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (is_word(*s, words[i], false)) {
			*s += strlen(words[i]);
			break;
		}
	}
	return 0;
}

int
number_rate(const char *s, struct target_rate *rate)
{
	struct target_rate r = {0};
	int error;

	error = scan_bit_rate(&s, &r.mean);
	if (error != 0)
		return error;
	if (is_word(s, "pps", true) || is_word(s, "p", true)) {
		r.per_packet = true;
		s += strcspn(s, ",");
	} else if (*s == ',') {
		s++;
		error = scan_bit_rate(&s, &r.stddev);
		if (error != 0)
			return error;
	}
	if (*s != '\0')
		return NUMBER_SUFFIX;
	*rate = r;
	return 0;
}

int
number_bit_or_byte_rate(const char *s, int64_t *bps)
{
	struct decimal d;
	int64_t factor, v;
	int error;

	error = scan_decimal(&s, &d);
	if (error != 0)
		return error;
	factor = suffix_factor(*s, 1000);
	if (factor == 1) {
		factor = suffix_factor(to_lower(*s), 1000);
		if (factor > 1)
			factor *= BITS_PER_BYTE;
	}
	if (factor > 1)
		s++;
	if (*s != '\0')
		return NUMBER_SUFFIX;
	error = multiply(&d, factor, &v);
	if (error != 0)
		return error;
	*bps = v;
	return 0;
}

int
number_seconds(const char *s, int64_t *ns)
{
	struct decimal d;
	bool negative;
	int64_t v;
	int error;

	negative = s[0] == '-' && s[1] != '-';
	if (negative)
		s++;
	error = scan_decimal(&s, &d);
	if (error != 0)
		return error;
	if (*s != '\0')
		return NUMBER_SUFFIX;
	error = multiply(&d, NS_PER_S, &v);
	if (error != 0)
		return error;
	*ns = negative ? -v : v;
	return 0;
}

/* Reads decimal digits; *s is moved behind them. */
static int
scan_integer(const char **s, int64_t *value)
{
	int64_t v = 0;

	if (**s == '-' && is_digit((*s)[1]))
		return NUMBER_NEGATIVE;
	if (!is_digit(**s))
		return NUMBER_SYNTAX;
	for (; is_digit(**s); ++*s) {
		if (!append_digit(&v, **s - '0'))
			return NUMBER_TOO_LARGE;
	}
	*value = v;
	return 0;
}

int
number_integer(const char *s, int64_t min, int64_t max, int64_t *value)
{
	int64_t v;
	int error;

	error = scan_integer(&s, &v);
	if (error != 0)
		return error;
	if (*s != '\0')
		return NUMBER_WHOLE;
	if (v < min || v > max)
		return NUMBER_RANGE;
	*value = v;
	return 0;
}

/* Code points shifted into place; the last three are bits of RFC 1349. */
static const struct {
	const char *name;
	int byte;
} tos_names[] = {
    {"none", -1},
    {"cs0", 0x00},
    {"cs1", 0x20},
    {"cs2", 0x40},
    {"cs3", 0x60},
    {"cs4", 0x80},
    {"cs5", 0xa0},
    {"cs6", 0xc0},
    {"cs7", 0xe0},
    {"af11", 0x28},
    {"af12", 0x30},
    {"af13", 0x38},
    {"af21", 0x48},
    {"af22", 0x50},
    {"af23", 0x58},
    {"af31", 0x68},
    {"af32", 0x70},
    {"af33", 0x78},
    {"af41", 0x88},
    {"af42", 0x90},
    {"af43", 0x98},
    {"ef", 0xb8},
    {"le", 0x04},
    {"nqb", 0x14},
    {"nqb2", 0xb4},
    {"ac_be", 0x00},
    {"ac_bk", 0x20},
    {"ac_vi", 0xa0},
    {"ac_vo", 0xc0},
    {"lowdelay", 0x10},
    {"throughput", 0x08},
    {"reliability", 0x04},
};

int
number_tos(const char *s, int *tos)
{
	char *end;
	long v;
	size_t i;

	if (s[0] == '-' && is_digit(s[1]))
		return NUMBER_NEGATIVE;
	if (is_digit(s[0])) {
		errno = 0;
		v = strtol(s, &end, 0);
		if (*end != '\0')
			return NUMBER_WHOLE;
		if (errno != 0 || v > 255)
			return NUMBER_RANGE;
		*tos = (int)v;
		return 0;
	}
	for (i = 0; i < sizeof(tos_names) / sizeof(tos_names[0]); i++) {
		if (strchr(s, ',') == NULL &&
		    is_word(s, tos_names[i].name, true)) {
			*tos = tos_names[i].byte;
			return 0;
		}
	}
	return NUMBER_NAME;
}

/* Wider or more than these is beyond any use. */
#define WIDTH_MAX_NS (60 * NS_PER_S)
#define BINS_MAX 1000000

static int
scan_width(const char **s, int64_t *width_ns)
{
	int64_t unit_ns = NS_PER_MS;
	int error;

	error = scan_integer(s, width_ns);
	if (error != 0)
		return error;
	if (**s == 'u')
		unit_ns = NS_PER_US;
	if (**s == 'u' || **s == 'm')
		++*s;
	if (*width_ns < 1 || *width_ns > WIDTH_MAX_NS / unit_ns)
		return NUMBER_RANGE;
	*width_ns *= unit_ns;
	return 0;
}

/* A comma and a percentage, in millionths. */
static int
scan_limit(const char **s, double *percent)
{
	struct decimal d;
	int64_t millionths;
	int error;

	if (**s != ',')
		return 0;
	++*s;
	error = scan_decimal(s, &d);
	if (error != 0)
		return error;
	error = multiply(&d, MILLION, &millionths);
	if (error != 0)
		return error;
	*percent = (double)millionths / MILLION;
	return 0;
}

int
number_histogram(const char *s, struct histogram_option *histogram)
{
	struct histogram_option h = *histogram;
	int64_t bins;
	int error;

	error = scan_width(&s, &h.width_ns);
	if (error != 0)
		return error;
	if (*s == ',') {
		s++;
		error = scan_scaled(&s, &bins);
		if (error != 0)
			return error;
		if (bins < 1 || bins > BINS_MAX)
			return NUMBER_RANGE;
		h.bins = (int)bins;
	}
	error = scan_limit(&s, &h.lower_percent);
	if (error == 0)
		error = scan_limit(&s, &h.upper_percent);
	if (error != 0)
		return error;
	if (*s != '\0')
		return NUMBER_SUFFIX;
	if (h.lower_percent > h.upper_percent || h.upper_percent > 100)
		return NUMBER_PERCENT;
	*histogram = h;
	return 0;
}

int
number_ports(const char *s, struct port_range *ports)
{
	int64_t first, last;
	int error;

	error = scan_integer(&s, &first);
	if (error != 0)
		return error;
	last = first;
	if (*s == '-') {
		s++;
		error = scan_integer(&s, &last);
		if (error != 0)
			return error;
	}
	if (*s != '\0')
		return NUMBER_WHOLE;
	if (first < 1 || first > UINT16_MAX || last < 1 || last > UINT16_MAX)
		return NUMBER_RANGE;
	if (last < first)
		return NUMBER_ORDER;
	ports->first = (uint16_t)first;
	ports->last = (uint16_t)last;
	return 0;
}
