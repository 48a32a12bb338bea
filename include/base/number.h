/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

/*
 * Reading of numbers as users write them. Pure, exact (no floating point),
 * independent of the locale. Each function reads the whole string and
 * returns 0 or a negative enum number_error, which leaves the result as it
 * was. Fractions are exact and the result is truncated: "1.5K" is 1536.
 */

#include <stdint.h>

struct histogram_option;
struct port_range;
struct target_rate;

enum number_error {
	NUMBER_SYNTAX = -1,
	NUMBER_WHOLE = -2,
	NUMBER_NEGATIVE = -3,
	NUMBER_TOO_LARGE = -4,
	NUMBER_SUFFIX = -5,
	NUMBER_RANGE = -6,
	NUMBER_NAME = -7,
	NUMBER_ORDER = -8,
	NUMBER_PERCENT = -9,
};

/* The end of a sentence: "not a number". */
const char *number_strerror(enum number_error);

/* A decimal number with k m g t (powers of 1000) or K M G T (of 1024). */
int number_scaled(const char *, int64_t *value);

/*
 * The value of -b: a scaled number of bits/s, perhaps followed by b, bps,
 * bit/s, bits/s or bits/sec; two of them, "mean,stddev"; or a scaled number
 * of datagrams/s followed by p or pps.
 */
int number_rate(const char *, struct target_rate *);

/*
 * A rate whose suffix tells bits from bytes: k m g t are powers of 1000
 * bits/s, K M G T the same powers in bytes/s. The result is in bits/s.
 */
int number_bit_or_byte_rate(const char *, int64_t *bps);

/* Seconds as a decimal fraction; the only reader that takes negative ones. */
int number_seconds(const char *, int64_t *ns);

/* A plain decimal integer within limits; min is not negative. */
int number_integer(const char *, int64_t min, int64_t max, int64_t *value);

/*
 * The byte of the type-of-service or traffic-class field: decimal, 0x
 * hexadecimal, 0 octal or a name ("af11", "ef", "lowdelay"); -1 for "none".
 */
int number_tos(const char *, int *tos);

/*
 * The value of --histograms: "WIDTH[u|m][,BINS[,LOWER[,UPPER]]]", the width
 * in whole milliseconds unless microseconds are asked for, limits in percent.
 * What is left out stays as it was.
 */
int number_histogram(const char *, struct histogram_option *);

/* "N" or "N-M" with 1 <= N <= M <= 65535. */
int number_ports(const char *, struct port_range *);

#endif
