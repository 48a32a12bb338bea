/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/clock.h"
#include "report/writer.h"
#include "text_report.h"
#include "udp_rows.h"

/* A second at 10 Mbit/s, as sent and as received through a bad path. */
const struct tally udp_rows_sent = {
    .bytes = 851 * 1470,
    .calls = 700,
    .datagrams = 851,
};

const struct tally udp_rows_received = {
    .bytes = 1688 * 1470,
    .datagrams = 1688,
    .advanced = 1704,
    .gaps = 50,
    .late = 34,
    .has_jitter = true,
    .jitter_ns = 150e3,
};

const struct tally udp_rows_intact = {
    .bytes = 182 * 1470,
    .datagrams = 182,
    .advanced = 182,
    .has_jitter = true,
    .jitter_ns = 1e3,
};

/* 853 ids of which one was lost. */
const struct tally udp_rows_delayed = {
    .bytes = 852 * 1470,
    .datagrams = 852,
    .advanced = 853,
    .gaps = 1,
    .delay = {852, 4535.2, 851 * 2000.0 * 2000.0, 2000, 49000},
    .has_jitter = true,
    .jitter_ns = 1e3,
};

void
udp_rows_write(enum row_kind kind, int id, int64_t start_ms, int64_t end_ms,
    const struct tally *tally)
{
	struct row_fact row =
	    text_report_row(kind, id, start_ms, end_ms, tally);

	writer_text()->interval(text_report()->state, &row);
}

void
udp_rows_write_sent(int id, uint64_t datagrams)
{
	struct udp_sent_fact f = {
	    .id = id,
	    .sum = id < 0,
	    .streams = id < 0 ? 2 : 1,
	    .datagrams = datagrams,
	};

	writer_text()->udp_sent(text_report()->state, &f);
}

void
udp_rows_write_report(int id, int64_t end_ms, const struct tally *tally)
{
	struct row_fact row =
	    text_report_row(ROW_UDP_RECV, id, 0, end_ms, tally);

	row.total = true;
	row.server_report = true;
	writer_text()->server_report(text_report()->state, &row);
}

void
udp_rows_begin(void)
{
	writer_text()->test_begins(text_report()->state);
}
