/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_IGNORE_H
#define REPORT_IGNORE_H

/* For the tables of writers that leave some facts out: they do nothing. */

#include "report/fact.h"

void ignore_settings(void *, const struct settings_fact *);
void ignore_connection(void *, const struct connection_fact *);
void ignore_test_begins(void *);
void ignore_row(void *, const struct row_fact *);
void ignore_udp_sent(void *, const struct udp_sent_fact *);
void ignore_connect_times(void *, const struct connect_times_fact *);
void ignore_remark(void *, const struct remark_fact *);
int ignore_outcome(void *, enum outcome);

#endif
