/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COMPAT_H
#define COMPAT_H

/*
 * What configure found missing in libc and libbsd, declared as there. The
 * build includes this file before the first line of every source, so the
 * sources need not know. config.h is included here for the HAVE_ macros and
 * may be included again; nothing else that a source could have wished to
 * include after its own feature macros.
 */

#include "config.h"

#include <stddef.h>

#if !HAVE_STRLCAT
/* compat/strlcat.c */
size_t strlcat(char *dst, const char *src, size_t size);
#endif

#if !HAVE_STRLCPY
/* compat/strlcpy.c */
size_t strlcpy(char *dst, const char *src, size_t size);
#endif

#if !HAVE_STRTONUM
/* compat/strtonum.c */
long long strtonum(const char *text, long long min, long long max,
    const char **errstr);
#endif

#endif
