/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/timer.h"

void
timer_be_precise(void)
{
}
