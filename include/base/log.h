/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/*
 * Diagnostics: one line on stderr, "iperf: " and the text. Each line is one
 * write, so lines of different threads do not mix. Any thread may call.
 */

#include <stdarg.h>

/* Receives a finished line without newline. */
typedef void log_sink(const char *line);

/* Replaces the sink; NULL restores stderr. Before threads exist. */
void log_set_sink(log_sink *);

/* Something the user should know; the run goes on or ends elsewhere. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_vwarn(const char *fmt, va_list) __attribute__((format(printf, 1, 0)));

/* The same without the program's name in front: "[  1] WARNING: ...". */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
