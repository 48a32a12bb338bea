/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/host.h"

/* The part of a line behind ": ", without its newline. */
static void
copy_value(char *buf, size_t size, const char *line)
{
	const char *value = strchr(line, ':');

	if (value == NULL)
		return;
	value++;
	strlcpy(buf, value + strspn(value, " \t"), size);
	buf[strcspn(buf, "\n")] = '\0';
}

void
host_cpu_model(char *buf, size_t size)
{
	/* As processors call it: x86, MIPS, and some ARM. */
	static const char *const keys[] = {"model name", "cpu model",
	    "Processor"};
	char line[512];
	FILE *f;
	size_t i;

	buf[0] = '\0';
	f = fopen("/proc/cpuinfo", "re");
	if (f == NULL)
		return;
	while (buf[0] == '\0' && fgets(line, sizeof(line), f) != NULL) {
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				copy_value(buf, size, line);
		}
	}
	fclose(f);
}

int
host_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (int)n : 0;
}
