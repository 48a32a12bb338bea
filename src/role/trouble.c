/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/reporter.h"
#include "role/trouble.h"

/* The same trouble is told once in so long. */
#define QUIET_NS (10 * NS_PER_S)

bool
trouble_is_bearable(int64_t *told_ns, int64_t now_ns)
{
	if (*told_ns != 0 && now_ns - *told_ns < QUIET_NS)
		return false;
	*told_ns = now_ns;
	return true;
}

/* Writes the message; false: there has been one. */
static bool __attribute__((format(printf, 3, 0))) compose(struct trouble *t,
    char text[TROUBLE_TEXT_MAX], const char *fmt, va_list ap)
{
	if (atomic_exchange(&t->is_told, true))
		return false;
	vsnprintf(text, TROUBLE_TEXT_MAX, fmt, ap);
	return true;
}

void
trouble_tell(struct trouble *t, const char *fmt, ...)
{
	char text[TROUBLE_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (compose(t, text, fmt, ap))
		reporter_warn(t->reporter, "[%3d] %s", t->id, text);
	va_end(ap);
}

void
trouble_fail(struct trouble *t, const char *fmt, ...)
{
	char text[TROUBLE_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	if (compose(t, text, fmt, ap))
		reporter_fail(t->reporter, "[%3d] %s", t->id, text);
	va_end(ap);
}

const char *
trouble_input(const char *path, int error, char buf[static TROUBLE_TEXT_MAX])
{
	if (strcmp(path, "-") == 0)
		snprintf(buf, TROUBLE_TEXT_MAX,
		    "cannot read standard input: %s", strerror(error));
	else
		snprintf(buf, TROUBLE_TEXT_MAX, "cannot read '%s': %s", path,
		    strerror(error));
	return buf;
}
