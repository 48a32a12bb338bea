/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>

#include "report/writer.h"

/* What a program built without jansson has instead (configure). */

const struct writer *
writer_json(void)
{
	return NULL;
}

const struct writer *
writer_json_stream(void)
{
	return NULL;
}
