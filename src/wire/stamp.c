/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/clock.h"
#include "wire/bytes.h"
#include "wire/stamp.h"

int64_t
stamp_to_ns(struct stamp stamp)
{
	return stamp.s * NS_PER_S + stamp.us * NS_PER_US;
}

struct stamp
stamp_from_ns(int64_t rt_ns)
{
	struct stamp stamp;

	stamp.s = (uint32_t)(rt_ns / NS_PER_S);
	stamp.us = (uint32_t)(rt_ns % NS_PER_S / NS_PER_US);
	return stamp;
}

struct stamp
stamp_get(const uint8_t *p)
{
	struct stamp stamp;

	stamp.s = bytes_get_u32(p);
	stamp.us = bytes_get_u32(p + 4);
	return stamp;
}

void
stamp_put(uint8_t *p, struct stamp stamp)
{
	bytes_put_u32(p, stamp.s);
	bytes_put_u32(p + 4, stamp.us);
}
