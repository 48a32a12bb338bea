/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UDP_ROWS_H
#define UDP_ROWS_H

/* Rows of UDP in a text report (text_report.h), and what they measured. */

#include <stdint.h>

#include "measure/tally.h"
#include "report/fact.h"

#define UDP_ROWS_BASIC_HEADER "[ ID] Interval       Transfer     Bandwidth\n"
#define UDP_ROWS_RECV_HEADER                                         \
	"[ ID] Interval       Transfer     Bandwidth        Jitter " \
	"  Lost/Total Datagrams\n"

/* A second at 10 Mbit/s, as sent and as received through a bad path. */
extern const struct tally udp_rows_sent;
extern const struct tally udp_rows_received;

/* 182 datagrams that all arrived in order. */
extern const struct tally udp_rows_intact;

/* 853 ids of which one was lost; with delays. */
extern const struct tally udp_rows_delayed;

/* Tells the writer that a test begins. */
void udp_rows_begin(void);

/* Writes an interval of stream id, or of the sum of 2 streams with id -1. */
void udp_rows_write(enum row_kind, int id, int64_t start_ms, int64_t end_ms,
    const struct tally *);

/* Writes how many datagrams a client sent; id as above. */
void udp_rows_write_sent(int id, uint64_t datagrams);

/* Writes the report of a server, from 0 to end_ms. */
void udp_rows_write_report(int id, int64_t end_ms, const struct tally *);

#endif
