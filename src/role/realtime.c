/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/remarks.h"
#include "role/realtime.h"

void
realtime_start(struct remarks *remarks)
{
	struct sched_param param = {
	    .sched_priority = sched_get_priority_min(SCHED_RR)};

	if (sched_setscheduler(0, SCHED_RR, &param) == -1)
		remarks_warn(remarks, "no real-time scheduling: %s",
		    strerror(errno));
	if (mlockall(MCL_CURRENT | MCL_FUTURE) == -1)
		remarks_warn(remarks, "cannot lock memory: %s",
		    strerror(errno));
}
