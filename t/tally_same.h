/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SAME_H
#define TALLY_SAME_H

#include "measure/tally.h"

/*
 * Fails the running test unless both have counted the same datagrams. Delays
 * may have been merged in another order: equal but for rounding.
 */
void tally_check_same(const struct tally *, const struct tally *);

#endif
