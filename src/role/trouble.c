/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/reporter.h"
#include "role/trouble.h"

void
trouble_tell(struct trouble *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (atomic_exchange(&t->is_told, true))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reporter_warn(t->reporter, "[%3d] %s", t->id, text);
}

void
trouble_fail(struct trouble *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (atomic_exchange(&t->is_told, true))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reporter_fail(t->reporter, "[%3d] %s", t->id, text);
}
