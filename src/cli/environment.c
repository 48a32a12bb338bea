/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/environment.h"
#include "cli/option_table.h"
#include "cli/parse.h"

static const struct {
	const char *name;
	enum option_id id;
} variables[] = {
    {"IPERF_BANDWIDTH", OPTION_BANDWIDTH},
    {"IPERF_BIND", OPTION_BIND},
    {"IPERF_CLIENT", OPTION_CLIENT},
    {"IPERF_COMPAT", OPTION_COMPATIBILITY},
    {"IPERF_CONGESTION_CONTROL", OPTION_TCP_CONGESTION},
    {"IPERF_DAEMON", OPTION_DAEMON},
    {"IPERF_DUALTEST", OPTION_DUALTEST},
    {"IPERF_ENHANCEDREPORTS", OPTION_ENHANCED},
    {"IPERF_FILE_INPUT", OPTION_FILE_INPUT},
    {"IPERF_FORMAT", OPTION_FORMAT},
    {"IPERF_INTERVAL", OPTION_INTERVAL},
    {"IPERF_IPV6_DOMAIN", OPTION_IPV6_DOMAIN},
    {"IPERF_LEN", OPTION_LEN},
    {"IPERF_LISTENPORT", OPTION_LISTENPORT},
    {"IPERF_MSS", OPTION_MSS},
    {"IPERF_NODELAY", OPTION_NODELAY},
    {"IPERF_NUM", OPTION_NUM},
    {"IPERF_PARALLEL", OPTION_PARALLEL},
    {"IPERF_PEER_DETECT", OPTION_PEER_DETECT},
    {"IPERF_PERMIT_KEY", OPTION_PERMIT_KEY},
    {"IPERF_PORT", OPTION_PORT},
    {"IPERF_PRINT_MSS", OPTION_PRINT_MSS},
    {"IPERF_REPORTEXCLUDE", OPTION_REPORTEXCLUDE},
    {"IPERF_REPORTSTYLE", OPTION_REPORTSTYLE},
    {"IPERF_SERVER", OPTION_SERVER},
    {"IPERF_SINGLECLIENT", OPTION_SINGLECLIENT},
    {"IPERF_SINGLE_UDP", OPTION_SINGLE_UDP},
    {"IPERF_STDIN_INPUT", OPTION_STDIN_INPUT},
    {"IPERF_SUGGEST_WIN_SIZE", OPTION_SUGGEST_WIN_SIZE},
    {"IPERF_TIME", OPTION_TIME},
    {"IPERF_TOS", OPTION_TOS},
    {"IPERF_TRADEOFF", OPTION_TRADEOFF},
    {"IPERF_TTL", OPTION_TTL},
    {"IPERF_UDP", OPTION_UDP},
    {"TCP_WINDOW_SIZE", OPTION_WINDOW},
};

bool
environment_apply(struct command_line *line, struct options *o)
{
	const char *text;
	size_t i;
	bool is_flag;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		text = getenv(variables[i].name);
		if (text == NULL || text[0] == '\0')
			continue;
		is_flag =
		    option_info(variables[i].id)->argument == ARGUMENT_NONE;
		if (is_flag && strcmp(text, "0") == 0)
			continue;
		if (!parse_option(line, o, variables[i].id,
			is_flag ? NULL : text, variables[i].name, true))
			return false;
	}
	return true;
}
