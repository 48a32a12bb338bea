/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

/* Ends a conversion that failed. */
static long long
refuse(const char **errstr, const char *reason, int error)
{
	if (errstr != NULL)
		*errstr = reason;
	errno = error;
	return 0;
}

/*
 * The decimal number that is the whole of text, between min and max. On
 * error 0, errno EINVAL or ERANGE, and the reason in *errstr: "invalid",
 * "too small" or "too large"; NULL there and errno untouched on success.
 * errstr may be NULL.
 */
long long
strtonum(const char *text, long long min, long long max, const char **errstr)
{
	int saved = errno;
	long long value;
	char *end;

	if (min > max)
		return refuse(errstr, "invalid", EINVAL);
	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end != '\0')
		return refuse(errstr, "invalid", EINVAL);
	/* strtoll() answers its own limits when it overflows. */
	if (value < min || (errno == ERANGE && value < 0))
		return refuse(errstr, "too small", ERANGE);
	if (value > max || errno == ERANGE)
		return refuse(errstr, "too large", ERANGE);
	if (errstr != NULL)
		*errstr = NULL;
	errno = saved;
	return value;
}
