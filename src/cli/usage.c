/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/manual.h"
#include "cli/option_table.h"
#include "cli/usage.h"

/* Where the help text of an option starts; longer ones get two lines. */
#define HELP_COLUMN 32

/* What the option table says of options that other programs lack. */
#define SINCE_OURS "2.50"

static const char *const group_titles[GROUP_COUNT] = {
    [GROUP_MODE] = "Mode",
    [GROUP_AMOUNT] = "Amount and rate",
    [GROUP_ADDRESS] = "Addresses and ports",
    [GROUP_STREAM] = "Parallel streams",
    [GROUP_DIRECTION] = "Direction",
    [GROUP_REPORT] = "Reports",
    [GROUP_SOCKET] = "Sockets and TCP",
    [GROUP_LATENCY] = "Latency and timing",
    [GROUP_START] = "Connecting and starting",
    [GROUP_SERVER] = "Life of a server",
    [GROUP_OTHER] = "Other",
};

static const char help_head[] =
    "Usage: iperf -s [options]\n"
    "       iperf -c HOST [options]\n"
    "       iperf --loopback [options]\n"
    "\n"
    "Measures the throughput of a network path, between a client that sends\n"
    "and a server that receives.\n";

static const char help_tail[] =
    "\n"
    "Sizes and rates take k, m, g, t for powers of 1000 and K, M, G, T for\n"
    "powers of 1024. C marks options of a client, S of a server. Defaults\n"
    "are in brackets. --help=OPTION tells more about one of them, the manual\n"
    "page iperf(1) about all.\n";

static bool
is_supported(const struct option_info *info)
{
	return info->state != STATE_PENDING && info->state != STATE_REFUSED;
}

/* Prints "  -F, --file_input, --fileinput FILE"; returns its length. */
static int
print_label(FILE *out, const struct option_info *info)
{
	const char *name;
	size_t i;
	int width;

	if (info->letter != '\0')
		width = fprintf(out, "  -%c, --%s", info->letter, info->name);
	else
		width = fprintf(out, "      --%s", info->name);
	for (i = 1; (name = option_name(info, i)) != NULL; i++)
		width += fprintf(out, ", --%s", name);
	if (info->argument == ARGUMENT_REQUIRED)
		width += fprintf(out, " %s", info->value_name);
	else if (info->argument == ARGUMENT_OPTIONAL)
		width += fprintf(out, "[=%s]", info->value_name);
	return width;
}

static void
print_option(FILE *out, const struct option_info *info)
{
	static const char sides[] =
	    {[SIDE_CLIENT] = 'C', [SIDE_SERVER] = 'S', [SIDE_BOTH] = ' '};
	int width = print_label(out, info);

	if (width > HELP_COLUMN - 2) {
		fputc('\n', out);
		width = 0;
	}
	fprintf(out, "%*s%c %s\n", HELP_COLUMN - width, "", sides[info->side],
	    info->help);
}

static void
print_group(FILE *out, enum option_group group)
{
	const struct option_info *info;
	bool any = false;
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (info->group != group || !is_supported(info))
			continue;
		if (!any)
			fprintf(out, "\n%s:\n", group_titles[group]);
		any = true;
		print_option(out, info);
	}
}

int
usage_help(FILE *out)
{
	const struct option_info *info;
	int group, id;

	fputs(help_head, out);
	for (group = 0; group < GROUP_COUNT; group++)
		print_group(out, group);
	fputs("\nNot supported:\n", out);
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (!is_supported(info))
			print_option(out, info);
	}
	fputs(help_tail, out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

/* For whom an option is, and how old it is. */
static void
print_scope(FILE *out, const struct option_info *info)
{
	static const char *const sides[] = {
	    [SIDE_CLIENT] = "clients",
	    [SIDE_SERVER] = "servers",
	    [SIDE_BOTH] = "clients and servers",
	};
	static const char *const protocols[] = {
	    [WITH_TCP] = "with TCP",
	    [WITH_UDP] = "with UDP",
	    [WITH_ANY] = "with TCP and UDP",
	};

	fprintf(out, "\n    For %s, %s; ", sides[info->side],
	    protocols[info->protocol]);
	if (strcmp(info->since, SINCE_OURS) == 0)
		fputs("in no other iperf 2.\n", out);
	else
		fprintf(out, "in iperf 2 since %s.\n", info->since);
	if (!is_supported(info))
		fputs("    Not supported: refused with a message.\n", out);
}

int
usage_option(FILE *out, enum option_id id)
{
	const struct option_info *info = option_info(id);
	const char *line = manual_paragraph(info->name);
	size_t len;

	print_option(out, info);
	/* Some paragraphs say no more than the table does. */
	if (line != NULL && strncmp(line, info->help, strlen(info->help)) == 0)
		line = NULL;
	if (line != NULL)
		fputc('\n', out);
	while (line != NULL && line[0] != '\0') {
		len = strcspn(line, "\n") + 1;
		fprintf(out, "    %.*s", (int)len, line);
		line += len;
	}
	print_scope(out, info);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

int
usage_version(FILE *out)
{
	/* Scripts look for "iperf version 2" and for "pthreads". */
	fprintf(out,
	    "iperf version %s (independent implementation, compatible with "
	    "iperf 2) pthreads\n",
	    PACKAGE_VERSION);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

void
usage_short(void)
{
	log_line("usage: iperf -s [options]       start a server");
	log_line("       iperf -c HOST [options]  test the path to a server");
	log_line("       iperf --help             explain all options");
}
