/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "wire/ack.h"
#include "wire/bytes.h"
#include "wire/datagram.h"
#include "wire/header_blocks.h"
#include "wire/udp_report.h"

/*
 * DESIGN. Two layouts share ten words; since 2.0.10 they are at 16, before
 * at 12. Behind them are delays and the upper halves of the counts, or
 * whatever was in the server's buffer: 2.0.13 sends the last datagram as it
 * was, id included, and puts the ten words into it.
 *
 * A server of 2.1 or 2.2 answers a repeated final with the first bytes of
 * the buffer into which it has just read it. If datagrams are so small that
 * they end before the report, that answer is as good as the first one, so a
 * report is looked for before an echo.
 */

#define REPORT_AT DATAGRAM_BYTES
#define OLD_REPORT_AT DATAGRAM_NARROW_BYTES
#define WORDS_BYTES 40 /* the ten words that all have */

#define FLAGS_REPORT FLAG_VERSION1
#define FLAGS_ALLOWED (FLAG_VERSION1 | FLAG_EXTEND | FLAG_SEQNO64)

/* Offsets from the flags word. */
#define BYTES_AT 4
#define DURATION_AT 12
#define LOST_AT 20
#define LATE_AT 24
#define DATAGRAMS_AT 28
#define JITTER_AT 32

/* Offsets in the present layout; 96 is a difference that nobody needs. */
#define DELAY_MIN_AT 56
#define DELAY_MAX_AT 64
#define DELAY_SUM_AT 72
#define DELAY_MEAN_AT 80
#define DELAY_M2_AT 88
#define DELAY_COUNT_AT 104
#define PPS_AT 108
#define PPS_COUNT_AT 112 /* 1 */
#define LOST_HIGH_AT 116
#define LATE_HIGH_AT 120
#define DATAGRAMS_HIGH_AT 124

#define L4S_ACK_BYTES 28
#define L4S_ACK_FLAG UINT32_C(0x00010000)

#define MILLION 1000000

static int64_t
get_s32(const uint8_t *p)
{
	return (int32_t)bytes_get_u32(p);
}

/* Seconds and microseconds, both of the sign of the whole. */
static int64_t
get_time_ns(const uint8_t *p)
{
	return get_s32(p) * NS_PER_S + get_s32(p + 4) * NS_PER_US;
}

static void
put_time(uint8_t *p, int64_t ns)
{
	int64_t s = ns / NS_PER_S;
	int64_t us = ns % NS_PER_S / NS_PER_US;

	/* Centuries: the nearest that fits. */
	if (s > INT32_MAX || s < -INT32_MAX) {
		s = s > 0 ? INT32_MAX : -INT32_MAX;
		us = 0;
	}
	bytes_put_u32(p, (uint32_t)s);
	bytes_put_u32(p + 4, (uint32_t)us);
}

static uint64_t
get_halves(const uint8_t *high, const uint8_t *low)
{
	return (uint64_t)bytes_get_u32(high) << 32 | bytes_get_u32(low);
}

static void
put_halves(uint8_t *high, uint8_t *low, uint64_t value)
{
	bytes_put_u32(high, (uint32_t)(value >> 32));
	bytes_put_u32(low, (uint32_t)value);
}

static uint32_t
clip(uint64_t value)
{
	return value < INT32_MAX ? (uint32_t)value : INT32_MAX;
}

static void
decode_words(struct udp_report *report, const uint8_t *p)
{
	report->bytes = get_halves(p + BYTES_AT, p + BYTES_AT + 4);
	report->duration_ns = get_time_ns(p + DURATION_AT);
	report->lost = bytes_get_u32(p + LOST_AT);
	report->late = bytes_get_u32(p + LATE_AT);
	report->datagrams = bytes_get_u32(p + DATAGRAMS_AT);
	report->jitter_ns = get_time_ns(p + JITTER_AT);
}

static void
encode_words(const struct udp_report *report, uint32_t flags, uint8_t *p)
{
	bytes_put_u32(p, flags);
	put_halves(p + BYTES_AT, p + BYTES_AT + 4, report->bytes);
	put_time(p + DURATION_AT, report->duration_ns);
	put_time(p + JITTER_AT, report->jitter_ns);
}

/* The pair, or -1 if it is no number that this sum can have. */
static double
get_m2_us2(const struct udp_report *report, const uint8_t *p)
{
	int64_t whole = get_s32(p);
	int64_t millionths = get_s32(p + 4);
	double m2 = (double)whole + (double)millionths / MILLION;
	double range_us =
	    (double)(report->delay_max_ns - report->delay_min_ns) / NS_PER_US;
	double least, most;

	if (whole < 0 || millionths < 0 || millionths >= MILLION)
		return -1;
	/*
	 * Senders let it overflow. The two extremes bound it from below, and
	 * all values at the extremes from above; they are cut to 1 us.
	 */
	least = range_us < 1 ? 0 : (range_us - 1) * (range_us - 1) / 2;
	most =
	    (range_us + 1) * (range_us + 1) / 4 * (double)report->delay_count;
	if (report->delay_count >= 2 && (m2 < least || m2 > most))
		return -1;
	return m2;
}

static void
put_m2(uint8_t *p, double m2_us2)
{
	double whole = floor(m2_us2);
	double millionths = rint((m2_us2 - whole) * MILLION);

	if (millionths >= MILLION) {
		whole += 1;
		millionths = 0;
	}
	/* NaN is not in range either. */
	if (!(whole >= 0 && whole <= INT32_MAX)) {
		bytes_put_u32(p, UINT32_MAX);
		bytes_put_u32(p + 4, 0);
		return;
	}
	bytes_put_u32(p, (uint32_t)whole);
	bytes_put_u32(p + 4, (uint32_t)millionths);
}

/* Whether the words behind the first ten were written, not left over. */
static bool
has_extension(const uint8_t *buf, size_t len, uint32_t flags)
{
	static const uint8_t zeros[DATAGRAM_BYTES];

	return len >= UDP_REPORT_BYTES &&
	       ((flags & FLAG_EXTEND) != 0 ||
		   memcmp(buf, zeros, sizeof(zeros)) == 0);
}

static void
decode_extension(struct udp_report *report, const uint8_t *buf)
{
	int64_t count = get_s32(buf + DELAY_COUNT_AT);

	report->lost |= (uint64_t)bytes_get_u32(buf + LOST_HIGH_AT) << 32;
	report->late |= (uint64_t)bytes_get_u32(buf + LATE_HIGH_AT) << 32;
	report->datagrams |= (uint64_t)bytes_get_u32(buf + DATAGRAMS_HIGH_AT)
			     << 32;
	report->pps = bytes_get_u32(buf + PPS_AT);
	if (count <= 0)
		return;
	report->has_delays = true;
	report->delay_count = (uint64_t)count;
	report->delay_min_ns = get_time_ns(buf + DELAY_MIN_AT);
	report->delay_max_ns = get_time_ns(buf + DELAY_MAX_AT);
	report->delay_sum_ns = get_time_ns(buf + DELAY_SUM_AT);
	report->delay_mean_ns = get_time_ns(buf + DELAY_MEAN_AT);
	report->delay_m2_us2 = get_m2_us2(report, buf + DELAY_M2_AT);
}

static bool
is_report(const uint8_t *buf, size_t len)
{
	uint32_t flags;

	if (len < REPORT_AT + WORDS_BYTES)
		return false;
	flags = bytes_get_u32(buf + REPORT_AT);
	return (flags & FLAGS_REPORT) != 0 && (flags & ~FLAGS_ALLOWED) == 0;
}

static bool
is_old_report(const uint8_t *buf, size_t len)
{
	return len >= OLD_REPORT_AT + WORDS_BYTES &&
	       bytes_get_u32(buf + OLD_REPORT_AT) == FLAGS_REPORT;
}

static bool
is_ack(const uint8_t *buf, size_t len)
{
	uint32_t word;

	if (len >= ACK_PREFIX_BYTES && ack_size(buf, len) == (int)len)
		return true;
	if (len != L4S_ACK_BYTES)
		return false;
	word = bytes_get_u32(buf);
	return word == 0 || word == L4S_ACK_FLAG;
}

static bool
is_echo(const uint8_t *buf, size_t len, uint32_t own_flags)
{
	struct datagram datagram;

	return len >= DATAGRAM_BYTES + 4 &&
	       datagram_decode(&datagram, buf, len, true) == WIRE_OK &&
	       datagram.id < 0 &&
	       bytes_get_u32(buf + DATAGRAM_BYTES) == own_flags;
}

enum udp_reply
udp_report_decode(struct udp_report *report, const uint8_t *buf, size_t len,
    uint32_t own_flags)
{
	memset(report, 0, sizeof(*report));
	if (is_report(buf, len)) {
		uint32_t flags = bytes_get_u32(buf + REPORT_AT);

		report->is_enhanced = (flags & FLAG_EXTEND) != 0;
		decode_words(report, buf + REPORT_AT);
		if (has_extension(buf, len, flags))
			decode_extension(report, buf);
		return UDP_REPLY_REPORT;
	}
	if (is_old_report(buf, len)) {
		decode_words(report, buf + OLD_REPORT_AT);
		return UDP_REPLY_REPORT;
	}
	if (is_ack(buf, len))
		return UDP_REPLY_ACK;
	return is_echo(buf, len, own_flags) ? UDP_REPLY_ECHO : UDP_REPLY_OTHER;
}

int
udp_report_encode(const struct udp_report *report, uint8_t *buf, size_t size)
{
	uint32_t flags = FLAGS_REPORT | FLAG_SEQNO64;

	if (size < UDP_REPORT_BYTES)
		return WIRE_NO_SPACE;
	if (report->is_enhanced)
		flags |= FLAG_EXTEND;
	memset(buf, 0, UDP_REPORT_BYTES);
	encode_words(report, flags, buf + REPORT_AT);
	put_halves(buf + LOST_HIGH_AT, buf + REPORT_AT + LOST_AT, report->lost);
	put_halves(buf + LATE_HIGH_AT, buf + REPORT_AT + LATE_AT, report->late);
	put_halves(buf + DATAGRAMS_HIGH_AT, buf + REPORT_AT + DATAGRAMS_AT,
	    report->datagrams);
	bytes_put_u32(buf + PPS_AT, report->pps);
	bytes_put_u32(buf + PPS_COUNT_AT, 1);
	if (report->has_delays) {
		put_time(buf + DELAY_MIN_AT, report->delay_min_ns);
		put_time(buf + DELAY_MAX_AT, report->delay_max_ns);
		put_time(buf + DELAY_SUM_AT, report->delay_sum_ns);
		put_time(buf + DELAY_MEAN_AT, report->delay_mean_ns);
		put_m2(buf + DELAY_M2_AT, report->delay_m2_us2);
		bytes_put_u32(buf + DELAY_COUNT_AT, clip(report->delay_count));
	}
	return UDP_REPORT_BYTES;
}

int
udp_report_encode_old(const struct udp_report *report, uint8_t *buf,
    size_t size)
{
	uint8_t *p = buf + OLD_REPORT_AT;

	if (size < OLD_REPORT_AT + WORDS_BYTES)
		return WIRE_NO_SPACE;
	memset(buf, 0, size);
	encode_words(report, FLAGS_REPORT, p);
	bytes_put_u32(p + LOST_AT, clip(report->lost));
	bytes_put_u32(p + LATE_AT, clip(report->late));
	bytes_put_u32(p + DATAGRAMS_AT, clip(report->datagrams));
	return (int)size;
}
