/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/remarks.h"

void
remarks_warn(struct remarks *r, const char *fmt, ...)
{
	struct remark *remark;
	va_list ap;

	va_start(ap, fmt);
	log_vwarn(fmt, ap);
	va_end(ap);
	if (r == NULL)
		return;
	remark = xcalloc(1, sizeof(*remark));
	remark->wall_ns = clock_wall_ns();
	va_start(ap, fmt);
	vsnprintf(remark->text, sizeof(remark->text), fmt, ap);
	va_end(ap);
	if (r->first == NULL)
		r->first = remark;
	else
		r->last->next = remark;
	r->last = remark;
}

void
remarks_fini(struct remarks *r)
{
	struct remark *remark;

	while ((remark = r->first) != NULL) {
		r->first = remark->next;
		free(remark);
	}
	r->last = NULL;
}
