/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "report/ignore.h"
#include "report/writer.h"

static void *
begin(FILE *out, const struct options *options)
{
	(void)out;
	(void)options;
	return xcalloc(1, 1);
}

const struct writer *
writer_null(void)
{
	static const struct writer writer = {
	    .begin = begin,
	    .settings = ignore_settings,
	    .connected = ignore_connection,
	    .test_begins = ignore_test_begins,
	    .interval = ignore_row,
	    .total = ignore_row,
	    .udp_sent = ignore_udp_sent,
	    .server_report = ignore_row,
	    .server_report_sum = ignore_row,
	    .connect_times = ignore_connect_times,
	    .remark = ignore_remark,
	    .conclude = ignore_outcome,
	    .end = free,
	};

	return &writer;
}
