/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define LINE_MAX_BYTES 1024

/* One of the two variables with static storage that doc/DESIGN.md allows. */
static log_sink *log_sink_current;

static void
emit(const char *line)
{
	char buf[LINE_MAX_BYTES + 1];
	size_t len;

	if (log_sink_current != NULL) {
		log_sink_current(line);
		return;
	}
	len = strlcpy(buf, line, sizeof(buf) - 1);
	if (len > sizeof(buf) - 2)
		len = sizeof(buf) - 2;
	buf[len++] = '\n';
	/* There is nobody left to tell when stderr does not take it. */
	if (write(STDERR_FILENO, buf, len) == -1)
		return;
}

void
log_set_sink(log_sink *sink)
{
	log_sink_current = sink;
}

void
log_vwarn(const char *fmt, va_list ap)
{
	char line[LINE_MAX_BYTES];
	int n;

	n = snprintf(line, sizeof(line), "iperf: ");
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	emit(line);
}

void
log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vwarn(fmt, ap);
	va_end(ap);
}

void
log_line(const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	emit(line);
}
