/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/prctl.h>

#include "base/timer.h"

void
timer_be_precise(void)
{
	/* In ns; 0 would mean the default. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}
