/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

/*
 * Appends src to the string in the size bytes at dst, cut short where it
 * does not fit and always terminated. Returns the length that the whole
 * would have: not less than size if it was cut. A dst without end counts as
 * size bytes long and stays as it is.
 */
size_t
strlcat(char *dst, const char *src, size_t size)
{
	size_t used = strnlen(dst, size);
	size_t len = strlen(src);
	size_t fits;

	if (used < size) {
		fits = size - used - 1;
		if (fits > len)
			fits = len;
		memcpy(dst + used, src, fits);
		dst[used + fits] = '\0';
	}
	return used + len;
}
