/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "cli/value.h"
#include "fuzz.h"

#define TEXT_MAX 512

static void
read_numbers(const char *text)
{
	struct target_rate rate;
	struct port_range ports;
	int64_t value;
	int tos;

	require(number_scaled(text, &value) != 0 || value >= 0);
	require(number_bit_or_byte_rate(text, &value) != 0 || value >= 0);
	require(number_rate(text, &rate) != 0 ||
		(rate.mean >= 0 && rate.stddev >= 0));
	require(number_seconds(text, &value) != 0 || value != INT64_MIN);
	require(number_integer(text, 3, 1000, &value) != 0 ||
		(value >= 3 && value <= 1000));
	require(number_tos(text, &tos) != 0 || (tos >= -1 && tos <= 255));
	require(number_ports(text, &ports) != 0 ||
		(ports.first >= 1 && ports.first <= ports.last));
}

/* Any text as the value of any option, and of every reader of numbers. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX], reason[VALUE_REASON_MAX];
	const struct option_info *info;
	struct options o;
	int id;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_numbers(text);
	value_init(&o);
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		reason[0] = '\0';
		if (info->argument != ARGUMENT_NONE)
			require(value_store(info, text, &o, reason) ||
				reason[0] != '\0');
	}
	return 0;
}
