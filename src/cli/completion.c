/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/option_table.h"

#define CONGESTION_FILE "/proc/sys/net/ipv4/tcp_available_congestion_control"

/* What completes the value of an option. */
enum source {
	SOURCE_NONE,
	SOURCE_WORDS, /* of the table */
	SOURCE_FILES,
	SOURCE_HOSTS,
	SOURCE_CONGESTION,
	SOURCE_OPTIONS, /* names of options */
};

static enum source
source_of(enum option_id id)
{
	const struct option_info *info = option_info(id);

	if (info->words != NULL)
		return SOURCE_WORDS;
	if (info->kind == VALUE_HOST)
		return SOURCE_HOSTS;
	if (info->argument != ARGUMENT_NONE &&
	    strcmp(info->value_name, "FILE") == 0)
		return SOURCE_FILES;
	switch (id) {
	case OPTION_HELP:
		return SOURCE_OPTIONS;
	case OPTION_TCP_CONGESTION:
	case OPTION_TCP_CCA:
		return SOURCE_CONGESTION;
	default:
		return SOURCE_NONE;
	}
}

static bool
is_offered(const struct option_info *info)
{
	return info->state == STATE_BUILT;
}

/* Names of all options, each with this in front. */
static void
print_names(FILE *out, const char *hyphens, bool letters)
{
	const struct option_info *info;
	const char *name, *blank = "";
	size_t i;
	int id;

	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (!is_offered(info))
			continue;
		if (letters && info->letter != '\0') {
			fprintf(out, "%s-%c", blank, info->letter);
			blank = " ";
		}
		for (i = 0; (name = option_name(info, i)) != NULL; i++) {
			fprintf(out, "%s%s%s", blank, hyphens, name);
			blank = " ";
		}
	}
}

static const char bash_head[] =
    "# bash completion for iperf, made by iperf --completion=bash\n"
    "\n"
    "_iperf()\n"
    "{\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "\n"
    "\t# \"--name=value\" arrives as three words.\n"
    "\tif [[ $cur == = ]]; then\n"
    "\t\tcur= prev==$prev\n"
    "\telif [[ $prev == = ]] && ((COMP_CWORD > 1)); then\n"
    "\t\tprev==${COMP_WORDS[COMP_CWORD-2]}\n"
    "\tfi\n"
    "\tCOMPREPLY=()\n"
    "\tcase $prev in\n";

static const char bash_middle[] = "\t=*)\n"
				  "\t\treturn ;;\n"
				  "\tesac\n"
				  "\tmapfile -t COMPREPLY < <(compgen -W '";

static const char bash_tail[] = "' -- \"$cur\")\n"
				"}\n"
				"complete -F _iperf iperf\n";

/* "-t | --time | =--time", where only the last may be optional's. */
static void
print_bash_pattern(FILE *out, const struct option_info *info)
{
	const char *name, *bar = "";
	size_t i;

	fputc('\t', out);
	if (info->argument == ARGUMENT_REQUIRED && info->letter != '\0') {
		fprintf(out, "-%c", info->letter);
		bar = " | ";
	}
	for (i = 0; (name = option_name(info, i)) != NULL; i++) {
		if (info->argument == ARGUMENT_REQUIRED) {
			fprintf(out, "%s--%s", bar, name);
			bar = " | ";
		}
		fprintf(out, "%s=--%s", bar, name);
		bar = " | ";
	}
	fputs(")\n", out);
}

static void
print_bash_values(FILE *out, enum option_id id)
{
	static const char reply[] = "\t\tmapfile -t COMPREPLY < <(compgen ";

	switch (source_of(id)) {
	case SOURCE_NONE:
		break;
	case SOURCE_WORDS:
		fprintf(out, "%s-W '%s' -- \"$cur\")\n", reply,
		    option_info(id)->words);
		break;
	case SOURCE_FILES:
		fprintf(out, "\t\tcompopt -o filenames\n%s-f -- \"$cur\")\n",
		    reply);
		break;
	case SOURCE_HOSTS:
		fprintf(out, "%s-A hostname -- \"$cur\")\n", reply);
		break;
	case SOURCE_CONGESTION:
		fprintf(out, "%s-W \"$(cat %s 2>/dev/null)\" -- \"$cur\")\n",
		    reply, CONGESTION_FILE);
		break;
	case SOURCE_OPTIONS:
		fprintf(out, "%s-W '", reply);
		print_names(out, "", false);
		fputs("' -- \"$cur\")\n", out);
		break;
	}
	fputs("\t\treturn ;;\n", out);
}

static void
print_bash(FILE *out)
{
	const struct option_info *info;
	int id;

	fputs(bash_head, out);
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (!is_offered(info) || info->argument == ARGUMENT_NONE)
			continue;
		print_bash_pattern(out, info);
		print_bash_values(out, id);
	}
	fputs(bash_middle, out);
	print_names(out, "--", true);
	fputs(bash_tail, out);
}

/* Text within single quotes and within brackets of _arguments. */
static void
print_zsh_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr("[]:\\", *text) != NULL)
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void
print_zsh_values(FILE *out, enum option_id id)
{
	switch (source_of(id)) {
	case SOURCE_NONE:
		fputc(' ', out);
		break;
	case SOURCE_WORDS:
		fprintf(out, "(%s)", option_info(id)->words);
		break;
	case SOURCE_FILES:
		fputs("_files", out);
		break;
	case SOURCE_HOSTS:
		fputs("_hosts", out);
		break;
	case SOURCE_CONGESTION:
		fprintf(out, "{compadd -- $(cat %s 2>/dev/null)}",
		    CONGESTION_FILE);
		break;
	case SOURCE_OPTIONS:
		fputc('(', out);
		print_names(out, "", false);
		fputc(')', out);
		break;
	}
}

/* One spelling, which excludes the others: (-t --time)--time=[...]:... */
static void
print_zsh_spelling(FILE *out, enum option_id id, const char *hyphens,
    const char *spelling)
{
	const struct option_info *info = option_info(id);
	bool is_long = strcmp(hyphens, "--") == 0;
	enum option_argument argument = info->argument;
	const char *name;
	size_t i;

	/* A letter takes no optional value. */
	if (argument == ARGUMENT_OPTIONAL && !is_long)
		argument = ARGUMENT_NONE;
	fputs("    '(", out);
	if (info->letter != '\0')
		fprintf(out, "-%c ", info->letter);
	for (i = 0; (name = option_name(info, i)) != NULL; i++)
		fprintf(out, "%s--%s", i == 0 ? "" : " ", name);
	fprintf(out, ")%s%s", hyphens, spelling);
	if (argument == ARGUMENT_REQUIRED)
		fputc(is_long ? '=' : '+', out);
	else if (argument == ARGUMENT_OPTIONAL)
		fputs("=-", out);
	fputc('[', out);
	print_zsh_text(out, info->help);
	fputc(']', out);
	if (argument != ARGUMENT_NONE) {
		fputs(argument == ARGUMENT_OPTIONAL ? "::" : ":", out);
		print_zsh_text(out, info->value_name);
		fputc(':', out);
		print_zsh_values(out, id);
	}
	fputs("' \\\n", out);
}

static void
print_zsh(FILE *out)
{
	const struct option_info *info;
	const char *name;
	char letter[2] = "";
	size_t i;
	int id;

	fputs("#compdef iperf\n"
	      "# zsh completion for iperf, made by iperf --completion=zsh\n"
	      "\n"
	      "_arguments -s \\\n",
	    out);
	for (id = 0; id < OPTION_COUNT; id++) {
		info = option_info(id);
		if (!is_offered(info))
			continue;
		letter[0] = info->letter;
		if (letter[0] != '\0')
			print_zsh_spelling(out, id, "-", letter);
		for (i = 0; (name = option_name(info, i)) != NULL; i++)
			print_zsh_spelling(out, id, "--", name);
	}
	/* The end of the last continued line. */
	fputs("    && return 0\n", out);
}

int
completion_print(FILE *out, const char *shell)
{
	if (strcmp(shell, "bash") == 0) {
		print_bash(out);
	} else if (strcmp(shell, "zsh") == 0) {
		print_zsh(out);
	} else {
		errno = EINVAL;
		return -1;
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
