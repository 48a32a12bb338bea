/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

/*
 * Amounts, rates and network power as users read them: one number and, for
 * the first two, one unit. Pure. Whatever goes in, "nan" and "inf" never come
 * out: programs take them for a failed test.
 */

#include <stddef.h>

/* Enough for every text of this module. */
#define UNITS_TEXT_MAX 48

/*
 * Writes an amount in bytes, or a rate in bytes/s, as a number in at least
 * four columns, a blank and a unit in the singular ("11.9 MByte", " 100
 * Mbit"); the caller adds "s" and "/sec".
 *
 * A letter in lower case asks for bits in steps of 1000, in upper case for
 * bytes in steps of 1024: b k m g t p fix the unit, any other letter takes
 * the one that suits the value. Negative amounts count as 0.
 *
 * Returns the length of the text, as snprintf() does.
 */
int units_format_amount(char *buf, size_t size, double bytes, char letter);

/*
 * Writes the network power: bytes/s divided by the delay in seconds, in
 * millions. "NA" when there is no delay to divide by, "OBL" when it is far
 * below zero. Returns the length of the text, as snprintf() does.
 */
int units_format_power(char *buf, size_t size, double bytes_per_s,
    double delay_s);

/* The same letter for bytes: amounts are never shown in bits. */
char units_bytes_letter(char letter);

#endif
