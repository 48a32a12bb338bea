/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

/*
 * Copies src to the size bytes at dst, cut short where it does not fit and
 * always terminated unless size is 0. Returns the length of src: not less
 * than size if it was cut.
 */
size_t
strlcpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src);
	size_t fits;

	if (size > 0) {
		fits = len < size ? len : size - 1;
		memcpy(dst, src, fits);
		dst[fits] = '\0';
	}
	return len;
}
