/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* 2^64 bytes within a nanosecond are still below. */
#define LARGEST 1e30

static const char letters[] = "bkmgtp";

static const char *const bit_units[] = {"bit", "Kbit", "Mbit", "Gbit", "Tbit",
    "Pbit"};

static const char *const byte_units[] = {"Byte", "KByte", "MByte", "GByte",
    "TByte", "PByte"};

#define UNITS (sizeof(letters) - 1)

/* What a division by zero left behind becomes a number again. */
static double
make_finite(double value)
{
	if (isnan(value))
		return 0;
	if (value > LARGEST)
		return LARGEST;
	return value < -LARGEST ? -LARGEST : value;
}

/*
 * Decimals for three significant digits. The limits lie half a digit below
 * the powers of ten, where rounding adds a digit.
 */
static int
choose_decimals(double value)
{
	if (value < 0.9995)
		return 3;
	if (value < 9.995)
		return 2;
	if (value < 99.95)
		return 1;
	return 0;
}

int
units_format_amount(char *buf, size_t size, double bytes, char letter)
{
	bool bits = islower((unsigned char)letter);
	double step = bits ? 1000 : 1024;
	double value = make_finite(bytes) * (bits ? 8 : 1);
	const char *fixed;
	size_t unit = 0;
	size_t last;

	if (value < 0)
		value = 0;
	fixed = memchr(letters, tolower((unsigned char)letter), UNITS);
	last = fixed != NULL ? (size_t)(fixed - letters) : UNITS - 1;
	while (unit < last && (fixed != NULL || value >= step)) {
		value /= step;
		unit++;
	}
	return snprintf(buf, size, "%4.*f %s", choose_decimals(value), value,
	    bits ? bit_units[unit] : byte_units[unit]);
}

int
units_format_power(char *buf, size_t size, double bytes_per_s, double delay_s)
{
	double power;

	if (!isfinite(delay_s) || delay_s == 0)
		return snprintf(buf, size, "NA");
	power = make_finite(bytes_per_s / delay_s * 1e-6);
	if (power < -1e7)
		return snprintf(buf, size, "OBL");
	if (power > 100)
		return snprintf(buf, size, "%.0f", power);
	if (power > 10)
		return snprintf(buf, size, "%.2f", power);
	return snprintf(buf, size, "%.6f", power);
}

char
units_bytes_letter(char letter)
{
	return (char)toupper((unsigned char)letter);
}
