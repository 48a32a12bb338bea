/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/resource.h>

#include "role/limits.h"

void
limits_raise_files(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		return;
	rl.rlim_cur = rl.rlim_max;
	/* Best effort: limits_want_files() looks at the result. */
	setrlimit(RLIMIT_NOFILE, &rl);
}

int
limits_want_files(int n)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		return 0;
	return rl.rlim_cur == RLIM_INFINITY || (rlim_t)n <= rl.rlim_cur ? 0
									: -1;
}
