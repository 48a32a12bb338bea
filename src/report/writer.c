/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/options.h"
#include "report/writer.h"

const struct writer *
writer_for(const struct options *options)
{
	switch (options->style) {
	case STYLE_CSV:
		return writer_csv();
	case STYLE_JSON:
		return writer_json();
	case STYLE_JSON_STREAM:
		return writer_json_stream();
	case STYLE_TEXT:
		break;
	}
	return writer_text();
}
