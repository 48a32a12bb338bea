/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

static void __attribute__((noreturn)) out_of_memory(void)
{
	log_warn("out of memory");
	abort();
}

void *
xcalloc(size_t n, size_t size)
{
	void *p;

	p = calloc(n, size);
	if (p == NULL)
		out_of_memory();
	return p;
}

void *
xaligned(size_t align, size_t size)
{
	void *p;

	if (posix_memalign(&p, align, size) != 0)
		out_of_memory();
	memset(p, 0, size);
	return p;
}
