/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdio.h>

#include "wire/version.h"

#define STAGE_RELEASE 3

/* 2.2.0 moved the blocks behind the extension. */
#define UPPER_2_2 UINT32_C(0x00020002)
#define UPPER_OURS (UINT32_C(2) << 16 | 50)
#define UPPER_2_0 UINT32_C(0x00020000)

struct version
version_ours(void)
{
	/* 2.50.0, a release: above every number iperf 2 has used. */
	struct version ours = {
	    .upper = UPPER_OURS,
	    .lower = UINT32_C(0) << 16 | STAGE_RELEASE,
	};

	return ours;
}

bool
version_is_ours(struct version version)
{
	return version.upper >= UPPER_OURS;
}

bool
version_has_barrier_word(struct version version)
{
	return version.upper >= UPPER_2_2;
}

static const char *
stage_suffix(struct version version)
{
	switch (version.lower & 0xf) {
	case 0:
		return "-dev";
	case 1:
		return version.upper == UPPER_2_0 ? "-beta" : "-rc";
	case 2:
		return "-rc2";
	case STAGE_RELEASE:
		return "";
	case 4:
		return "-private";
	case 5:
		return "-master";
	default:
		return "-unk";
	}
}

const char *
version_format(struct version version, char *buf, size_t size)
{
	if (size == 0)
		return "";
	buf[0] = '\0';
	if (version.upper == 0 || version.lower == 0)
		return buf;
	snprintf(buf, size, "%u.%u.%u%s", (unsigned)(version.upper >> 16),
	    (unsigned)(version.upper & 0xffff), (unsigned)(version.lower >> 16),
	    stage_suffix(version));
	return buf;
}
