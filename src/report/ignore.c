/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "report/ignore.h"

void
ignore_settings(void *state, const struct settings_fact *fact)
{
	(void)state;
	(void)fact;
}

void
ignore_connection(void *state, const struct connection_fact *fact)
{
	(void)state;
	(void)fact;
}

void
ignore_test_begins(void *state)
{
	(void)state;
}

void
ignore_row(void *state, const struct row_fact *fact)
{
	(void)state;
	(void)fact;
}

void
ignore_udp_sent(void *state, const struct udp_sent_fact *fact)
{
	(void)state;
	(void)fact;
}

void
ignore_connect_times(void *state, const struct connect_times_fact *fact)
{
	(void)state;
	(void)fact;
}

void
ignore_remark(void *state, const struct remark_fact *fact)
{
	(void)state;
	(void)fact;
}

int
ignore_outcome(void *state, enum outcome outcome)
{
	(void)state;
	(void)outcome;
	return 0;
}
