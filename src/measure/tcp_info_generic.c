/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>

#include "measure/tcp_info.h"

int
tcp_sample_take(struct tcp_sample *s, int fd)
{
	(void)s;
	(void)fd;
	errno = ENOTSUP;
	return -1;
}
