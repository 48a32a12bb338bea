/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* What the fuzzer calls with each input; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which the fuzzer reports, unless the condition holds. */
static inline void
require(bool holds)
{
	if (!holds)
		abort();
}

#endif
