/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "fuzz.h"
#include "wire/bytes.h"
#include "wire/udp_report.h"

/*
 * Any bytes, the first four as the own flags: a report that could be
 * decoded survives its own layout; what else it may be keeps the report
 * empty.
 */

/* Times are kept to the microsecond, so a second round changes nothing. */
static void
try_encode(const struct udp_report *report)
{
	struct udp_report once, twice;
	uint8_t bytes[UDP_REPORT_BYTES], old[UDP_REPORT_BYTES];

	require(udp_report_encode(report, bytes, sizeof(bytes)) ==
		UDP_REPORT_BYTES);
	require(udp_report_decode(&once, bytes, sizeof(bytes), 0) ==
		UDP_REPLY_REPORT);
	require(once.bytes == report->bytes);
	require(once.lost == report->lost);
	require(once.late == report->late);
	require(once.datagrams == report->datagrams);
	require(once.has_delays == report->has_delays);
	require(
	    udp_report_encode(&once, bytes, sizeof(bytes)) == UDP_REPORT_BYTES);
	require(udp_report_decode(&twice, bytes, sizeof(bytes), 0) ==
		UDP_REPLY_REPORT);
	require(memcmp(&once, &twice, sizeof(once)) == 0);

	/* More bytes than 2^63 look like the flags of a report at 16. */
	if (report->bytes > INT64_MAX)
		return;
	require(udp_report_encode_old(report, old, sizeof(old)) ==
		(int)sizeof(old));
	require(
	    udp_report_decode(&once, old, sizeof(old), 0) == UDP_REPLY_REPORT);
	require(once.bytes == report->bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct udp_report empty;
	struct udp_report report;

	if (size < 4)
		return 0;
	if (udp_report_decode(&report, data + 4, size - 4,
		bytes_get_u32(data)) == UDP_REPLY_REPORT)
		try_encode(&report);
	else
		require(memcmp(&report, &empty, sizeof(report)) == 0);
	return 0;
}
