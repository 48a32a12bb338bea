/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* What begins and ends a report in JSON: machine, processor time, outcome. */

#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/host.h"
#include "report/fields.h"
#include "report/record.h"

static int64_t
of_timeval(const struct timeval *tv)
{
	return tv->tv_sec * NS_PER_S + tv->tv_usec * NS_PER_US;
}

void
usage_mark_take(struct usage_mark *m)
{
	struct rusage ru;

	m->now_ns = clock_now_ns();
	m->wall_ns = clock_wall_ns();
	memset(&ru, 0, sizeof(ru));
	getrusage(RUSAGE_SELF, &ru);
	m->user_ns = of_timeval(&ru.ru_utime);
	m->system_ns = of_timeval(&ru.ru_stime);
}

static json_t *
program(void)
{
	json_t *o = fields_object();

	fields_text(o, "name", PACKAGE_NAME);
	fields_text(o, "version", PACKAGE_VERSION);
	return o;
}

static json_t *
host(void)
{
	json_t *o = fields_object();
	struct utsname u;
	char model[128];

	memset(&u, 0, sizeof(u));
	uname(&u);
	host_cpu_model(model, sizeof(model));
	fields_text(o, "name", u.nodename);
	fields_text(o, "system", u.sysname);
	fields_text(o, "kernel", u.release);
	fields_text(o, "kernel_version", u.version);
	fields_text(o, "machine", u.machine);
	fields_text(o, "cpu_model", model);
	fields_count(o, "cpus", (uint64_t)host_cpus());
	return o;
}

void
record_start(json_t *o, const struct usage_mark *begin)
{
	fields_count(o, "schema_version", RECORD_SCHEMA_VERSION);
	fields_add(o, "program", program());
	fields_add(o, "host", host());
	fields_time(o, "time", begin->wall_ns);
}

void
record_remark(json_t *o, const struct remark_fact *f)
{
	fields_time(o, "time", f->wall_ns);
	fields_text(o, "message", f->text);
}

void
record_connect_times(json_t *o, const struct connect_times_fact *f)
{
	bool any = f->failures < f->attempts;

	fields_count(o, "attempts", f->attempts);
	fields_count(o, "failures", f->failures);
	fields_known_seconds(o, "min_seconds", any ? f->min_ns : -1);
	fields_known_seconds(o, "max_seconds", any ? f->max_ns : -1);
	fields_known_seconds(o, "mean_seconds", any ? (int64_t)f->mean_ns : -1);
	fields_known_seconds(o, "stddev_seconds",
	    any ? (int64_t)f->stddev_ns : -1);
}

static json_t *
cpu(const struct usage_mark *begin, const struct usage_mark *end)
{
	json_t *o = fields_object();
	int64_t user_ns = end->user_ns - begin->user_ns;
	int64_t system_ns = end->system_ns - begin->system_ns;
	int64_t wall_ns = end->now_ns - begin->now_ns;

	fields_seconds(o, "user_seconds", (double)user_ns);
	fields_seconds(o, "system_seconds", (double)system_ns);
	fields_real(o, "percent",
	    wall_ns > 0 ? 100 * (double)(user_ns + system_ns) / (double)wall_ns
			: 0);
	return o;
}

void
record_end(json_t *o, enum outcome outcome, const char *error,
    const struct usage_mark *begin)
{
	static const char *const reasons[] = {
	    [OUTCOME_COMPLETED] = "completed",
	    [OUTCOME_INTERRUPTED] = "interrupted",
	    [OUTCOME_ABORTED] = "aborted",
	    [OUTCOME_FAILED] = "failed",
	};
	struct usage_mark end;

	usage_mark_take(&end);
	fields_text(o, "reason", reasons[outcome]);
	fields_count(o, "exit_status",
	    outcome == OUTCOME_ABORTED || outcome == OUTCOME_FAILED);
	fields_text(o, "error", error);
	fields_time(o, "time", end.wall_ns);
	fields_seconds(o, "duration_seconds",
	    (double)(end.now_ns - begin->now_ns));
	fields_add(o, "cpu", cpu(begin, &end));
}
