/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

/*
 * Asks the system to wake the calling thread without slack, as far as it can
 * be asked (Linux adds 50 us otherwise).
 */
void timer_be_precise(void);

#endif
