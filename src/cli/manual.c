/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "cli/manual.h"

static const struct {
	const char *name;
	const char *text;
} paragraphs[] = {
#include "cli/paragraphs.inc"
};

const char *
manual_paragraph(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(paragraphs) / sizeof(paragraphs[0]); i++) {
		if (strcmp(paragraphs[i].name, name) == 0)
			return paragraphs[i].text;
	}
	return NULL;
}
