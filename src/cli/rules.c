/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/remarks.h"
#include "cli/option_table.h"
#include "cli/parse.h"
#include "cli/rules.h"
#include "cli/rules_address.h"
#include "cli/rules_direction.h"
#include "cli/rules_handshake.h"
#include "cli/rules_udp.h"
#include "cli/usage.h"
#include "cli/value.h"
#include "report/writer.h"

#define DURATION_DEFAULT_NS (10 * NS_PER_S)
#define INTERVAL_MIN_NS (5 * NS_PER_MS)
#define WINDOW_SMALL_BYTES 2048
#define START_AHEAD_MAX_NS (3600 * NS_PER_S)
#define RETRY_INTERVAL_DEFAULT_NS NS_PER_S
#define RETRY_TIME_DEFAULT_NS (10 * NS_PER_S)

/* Two options that do not go together, in any order. */
static const struct {
	enum option_id a;
	enum option_id b;
} conflicts[] = {
    {OPTION_SERVER, OPTION_CLIENT},
    {OPTION_LOOPBACK, OPTION_SERVER},
    {OPTION_LOOPBACK, OPTION_CLIENT},
    {OPTION_IPV4, OPTION_IPV6},
    {OPTION_IPV4, OPTION_IPV6_DOMAIN},
    {OPTION_TXDELAY_TIME, OPTION_TXSTART_TIME},
    {OPTION_TXDELAY_TIME, OPTION_CONNECT_ONLY},
    {OPTION_IPG, OPTION_BANDWIDTH},
    {OPTION_JSON, OPTION_JSON_STREAM},
    {OPTION_JSON, OPTION_REPORTSTYLE},
    {OPTION_JSON_STREAM, OPTION_REPORTSTYLE},
    {OPTION_REVERSE, OPTION_FULL_DUPLEX},
    {OPTION_REVERSE, OPTION_DUALTEST},
    {OPTION_REVERSE, OPTION_TRADEOFF},
    {OPTION_FULL_DUPLEX, OPTION_DUALTEST},
    {OPTION_FULL_DUPLEX, OPTION_TRADEOFF},
    {OPTION_DUALTEST, OPTION_TRADEOFF},
};

/* Options that mean nothing without another one. */
static const struct {
	enum option_id option;
	enum option_id needs;
	const char *needs_spelling;
} partners[] = {
    {OPTION_DAEMON, OPTION_SERVER, "-s"},
    {OPTION_INCR_SRCIP, OPTION_BIND, "-B"},
    {OPTION_SSM_HOST, OPTION_BIND, "-B"},
    {OPTION_PERMIT_KEY_TIMEOUT, OPTION_PERMIT_KEY, "--permit-key"},
};

static bool
refuse_unsupported(const struct options *o, const struct command_line *line)
{
	const struct given *given;
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		given = &line->given[id];
		if (given->order == 0)
			continue;
		switch (option_info(id)->state) {
		case STATE_PENDING:
			log_warn("%s is not supported by this implementation "
				 "yet",
			    given->spelling);
			return false;
		case STATE_REFUSED:
			log_warn("%s is not supported by this implementation",
			    given->spelling);
			return false;
		case STATE_UNAVAILABLE:
			remarks_warn(o->remarks,
			    "%s is not available and has no effect",
			    given->spelling);
			break;
		case STATE_BUILT:
		case STATE_IGNORED:
			break;
		}
	}
	return true;
}

/* The arguments win over the environment; within one of them nobody does. */
static bool
refuse_conflicts(struct options *o, struct command_line *line)
{
	const struct given *a, *b;
	size_t i;

	for (i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		a = &line->given[conflicts[i].a];
		b = &line->given[conflicts[i].b];
		if (a->order == 0 || b->order == 0)
			continue;
		if (a->from_environment && !b->from_environment) {
			parse_forget(line, o, conflicts[i].a);
		} else if (b->from_environment && !a->from_environment) {
			parse_forget(line, o, conflicts[i].b);
		} else if (conflicts[i].b == OPTION_CLIENT ||
			   conflicts[i].b == OPTION_SERVER) {
			log_warn("%s and %s cannot be used together",
			    a->spelling, b->spelling);
			return false;
		} else {
			log_warn("%s cannot be used with %s", a->spelling,
			    b->spelling);
			return false;
		}
	}
	return true;
}

/* -U is -u and -1, as if those had been written so. */
static bool
imply_single_udp(struct options *o, struct command_line *line)
{
	static const enum option_id implied[] = {OPTION_UDP,
	    OPTION_SINGLECLIENT};
	const struct given *given = &line->given[OPTION_SINGLE_UDP];
	size_t i;

	if (given->order == 0 || o->role == ROLE_CLIENT)
		return true;
	for (i = 0; i < sizeof(implied) / sizeof(implied[0]); i++) {
		if (!is_given(line, implied[i]) &&
		    !parse_option(line, o, implied[i], NULL, given->spelling,
			given->from_environment))
			return false;
	}
	return true;
}

static bool
choose_role(struct options *o, struct command_line *line)
{
	if (is_given(line, OPTION_SERVER))
		o->role = ROLE_SERVER;
	else if (is_given(line, OPTION_CLIENT))
		o->role = ROLE_CLIENT;
	else if (is_given(line, OPTION_LOOPBACK))
		o->role = ROLE_LOOPBACK;
	if (!imply_single_udp(o, line))
		return false;
	if (is_given(line, OPTION_UDP))
		o->protocol = PROTOCOL_UDP;
	if (o->role != ROLE_NONE)
		return true;
	if (line->count > 0)
		log_warn("one of -s, -c and --loopback is needed");
	usage_short();
	return false;
}

static bool
require_partners(const struct command_line *line)
{
	size_t i;

	for (i = 0; i < sizeof(partners) / sizeof(partners[0]); i++) {
		if (is_given(line, partners[i].option) &&
		    !is_given(line, partners[i].needs)) {
			log_warn("%s needs %s",
			    line->given[partners[i].option].spelling,
			    partners[i].needs_spelling);
			return false;
		}
	}
	return true;
}

/* Variables are set for both sides; only arguments deserve a warning. */
static void
forget_wrong_side(struct options *o, struct command_line *line)
{
	enum option_side side;
	const struct given *given;
	int id;

	if (o->role == ROLE_LOOPBACK)
		return;
	side = o->role == ROLE_SERVER ? SIDE_SERVER : SIDE_CLIENT;
	for (id = 0; id < OPTION_COUNT; id++) {
		given = &line->given[id];
		if (given->order == 0 || (option_info(id)->side & side) != 0)
			continue;
		if (!given->from_environment)
			remarks_warn(o->remarks, "%s has no effect on a %s",
			    given->spelling,
			    side == SIDE_SERVER ? "server" : "client");
		parse_forget(line, o, id);
	}
}

/* -C promises a plain stream: whatever needs a header is out. */
static bool
check_compat(struct options *o, const struct command_line *line)
{
	const char *compat = line->given[OPTION_COMPATIBILITY].spelling;
	int id;

	if (!o->compat)
		return true;
	for (id = 0; id < OPTION_COUNT; id++) {
		if (is_given(line, id) &&
		    (id == OPTION_ENHANCED || id == OPTION_TRIP_TIMES ||
			option_info(id)->enhanced)) {
			log_warn("%s cannot be used with %s", compat,
			    line->given[id].spelling);
			return false;
		}
	}
	if (o->rate.stddev > 0) {
		log_warn("%s cannot be used with a varying rate", compat);
		return false;
	}
	o->connect_sync = false;
	return true;
}

static void
finish_duration(struct options *o, struct command_line *line)
{
	const struct given *time = &line->given[OPTION_TIME];
	const struct given *num = &line->given[OPTION_NUM];

	if (time->order != 0 && num->order != 0)
		parse_forget(line, o,
		    time->order < num->order ? OPTION_TIME : OPTION_NUM);

	if (o->role == ROLE_SERVER) {
		if (o->daemon && time->order != 0) {
			remarks_warn(o->remarks, "%s has no effect with -D",
			    time->spelling);
			parse_forget(line, o, OPTION_TIME);
		}
		if (o->duration_ns <= 0)
			o->duration_ns = -1;
		return;
	}
	if (time->order != 0) {
		if (o->duration_ns <= 0) {
			o->duration_ns = 0;
			remarks_warn(o->remarks,
			    "no time limit: the test runs until it is "
			    "interrupted");
		}
	} else if (o->connect_only == 0) {
		o->duration_ns = 0;
	} else if (o->connect_only < 0 && o->amount_bytes < 0 &&
		   o->input_path[0] == '\0') {
		o->duration_ns = DURATION_DEFAULT_NS;
	}
}

static bool
finish_rate(struct options *o, const struct command_line *line)
{
	o->length_given = is_given(line, OPTION_LEN);
	if (!o->length_given && o->protocol == PROTOCOL_TCP)
		o->length_bytes = OPTIONS_TCP_LENGTH;

	if (o->rate.per_packet && o->protocol == PROTOCOL_TCP) {
		log_warn("a rate in packets per second needs -u");
		return false;
	}
	if (o->role == ROLE_SERVER && o->rate.stddev > 0) {
		remarks_warn(o->remarks,
		    "a varying rate has no effect on a server");
		o->rate.stddev = 0;
	}
	return true;
}

static void
finish_socket(struct options *o, struct command_line *line)
{
	if (o->window_bytes == 0)
		parse_forget(line, o, OPTION_WINDOW);
	if (o->window_bytes > 0 && o->window_bytes < WINDOW_SMALL_BYTES)
		remarks_warn(o->remarks,
		    "a window of %lld bytes is very small and will limit "
		    "the rate",
		    (long long)o->window_bytes);
	if (o->write_prefetch_bytes == 0)
		parse_forget(line, o, OPTION_TCP_WRITE_PREFETCH);
	if (o->mss_bytes > 0)
		o->print_mss = true;
}

static void
finish_connect(struct options *o, const struct command_line *line)
{
	if (is_given(line, OPTION_CONNECT_RETRY_TIMER) &&
	    !is_given(line, OPTION_CONNECT_RETRY_TIME))
		o->connect_retry_ns = RETRY_TIME_DEFAULT_NS;
	if (!is_given(line, OPTION_CONNECT_RETRY_TIMER))
		o->connect_retry_interval_ns = RETRY_INTERVAL_DEFAULT_NS;
}

static bool
check_start_time(struct options *o, const struct command_line *line)
{
	const char *spelling = line->given[OPTION_TXSTART_TIME].spelling;
	int64_t now_rt_ns;

	if (o->txstart_rt_ns < 0)
		return true;
	now_rt_ns = clock_wall_ns();
	if (o->txstart_rt_ns > now_rt_ns + START_AHEAD_MAX_NS) {
		log_warn("the time of %s is more than 3600 s ahead", spelling);
		return false;
	}
	if (o->txstart_rt_ns < now_rt_ns) {
		remarks_warn(o->remarks,
		    "the time of %s is in the past: starting at once",
		    spelling);
		o->txstart_rt_ns = -1;
	}
	return true;
}

/* JSON has what -e shows. False: the program was built without it. */
static bool
choose_style(struct options *o, const struct command_line *line)
{
	const char *spelling;

	if (is_given(line, OPTION_JSON)) {
		spelling = line->given[OPTION_JSON].spelling;
		o->style = STYLE_JSON;
	} else if (is_given(line, OPTION_JSON_STREAM)) {
		spelling = line->given[OPTION_JSON_STREAM].spelling;
		o->style = STYLE_JSON_STREAM;
	} else {
		return true;
	}
	if (writer_for(o) == NULL) {
		log_warn("%s is not supported: this program was built without "
			 "JSON (configure --without-json)",
		    spelling);
		return false;
	}
	o->enhanced = true;
	return true;
}

static bool
finish_reports(struct options *o, const struct command_line *line)
{
	int id;

	if (o->interval_ns > 0 && o->interval_ns < INTERVAL_MIN_NS) {
		remarks_warn(o->remarks,
		    "interval raised to 0.005 s, the smallest possible");
		o->interval_ns = INTERVAL_MIN_NS;
	}
	for (id = 0; id < OPTION_COUNT; id++) {
		if (is_given(line, id) && option_info(id)->enhanced)
			o->enhanced = true;
	}
	if (o->style == STYLE_CSV)
		o->exclude |= EXCLUDE_SETTINGS | EXCLUDE_CONNECTION;
	if (o->sum_only)
		o->exclude |= EXCLUDE_CONNECTION;
	return choose_style(o, line);
}

bool
options_finish(struct options *o, struct command_line *line)
{
	if (!refuse_unsupported(o, line) || !refuse_conflicts(o, line) ||
	    !choose_role(o, line) || !require_partners(line))
		return false;
	forget_wrong_side(o, line);
	if (!rules_check_protocol(o, line))
		return false;
	finish_socket(o, line);
	if (!check_compat(o, line) || !finish_rate(o, line) ||
	    !rules_check_addresses(o, line) || !rules_spread_streams(o, line) ||
	    !rules_finish_udp(o, line) || !check_start_time(o, line) ||
	    !rules_choose_direction(o, line))
		return false;
	finish_duration(o, line);
	finish_connect(o, line);
	if (!finish_reports(o, line))
		return false;
	return rules_check_handshake(o, line);
}
