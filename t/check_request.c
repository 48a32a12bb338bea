/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "hex.h"
#include "role/request.h"
#include "run_suite.h"
#include "wire/client_header.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static struct options server;
static struct client_header header;

static void
set_up(void)
{
	server = (struct options){
	    .role = ROLE_SERVER,
	    .length_bytes = OPTIONS_TCP_LENGTH,
	    .amount_bytes = -1,
	    .duration_ns = 77 * NS_PER_S,
	    .rate.mean = 555,
	    .window_bytes = -1,
	    .fq_rate_bps = -1,
	    .write_prefetch_bytes = 4444,
	    .economy = true,
	};
	strlcpy(server.input_path, "secret", sizeof(server.input_path));
	client_header_init(&header);
	header.listen_port = 5001;
}

/* What recorded clients asked for, and what a sender makes of it. */
static const struct {
	const char *name;
	enum direction direction;
	int64_t amount_bytes;
	int64_t duration_ms;  /* -1: none */
	int64_t length_bytes; /* 0: not given */
	int64_t rate_bps;
	uint16_t port;
} recorded[] = {
    {"tcp-R.v2.1.8", DIRECTION_REVERSE, 262144, -1, 0, 0, 5636},
    {"tcp-R.v2.2.1", DIRECTION_REVERSE, 262144, -1, 0, 0, 5637},
    {"tcp-R-t.v2.1.8", DIRECTION_REVERSE, -1, 1000, 8192, 1048576, 0},
    {"tcp-R-t.v2.2.1", DIRECTION_REVERSE, -1, 1000, 8192, 1048576, 5639},
    {"tcp-P2-R.v2.1.8", DIRECTION_REVERSE, 131072, -1, 0, 0, 0},
    {"tcp-P2-R.v2.2.1", DIRECTION_REVERSE, 131072, -1, 0, 0, 5649},
    {"tcp-X-R.v2.1.8", DIRECTION_REVERSE, 131072, -1, 0, 0, 0},
    {"tcp-X-R.v2.2.1", DIRECTION_REVERSE, 131072, -1, 0, 0, 0},
    {"tcp-cca-R.v2.2.1", DIRECTION_REVERSE, 262144, -1, 0, 0, 5645},
    {"tcp-prefetch-R.v2.1.8", DIRECTION_REVERSE, 131072, -1, 0, 0, 0},
    {"tcp-prefetch-R.v2.2.1", DIRECTION_REVERSE, 131072, -1, 0, 0, 5628},
    {"tcp-txstart-R.v2.1.8", DIRECTION_REVERSE, 131072, -1, 0, 0, 0},
    {"tcp-txstart-R.v2.2.1", DIRECTION_REVERSE, 131072, -1, 0, 0, 5667},
    {"tcp-fullduplex.v2.1.8", DIRECTION_FULL_DUPLEX, 262144, -1, 0, 0, 0},
    {"tcp-fullduplex.v2.2.1", DIRECTION_FULL_DUPLEX, 262144, -1, 0, 0, 0},
    {"tcp-fullduplex-t.v2.1.8", DIRECTION_FULL_DUPLEX, -1, 1000, 8192, 1048576,
	0},
    {"tcp-fullduplex-t.v2.2.1", DIRECTION_FULL_DUPLEX, -1, 1000, 8192, 1048576,
	5645},
    {"tcp-d.v2.1.8", DIRECTION_DUAL, 131072, -1, 0, 0, 5681},
    {"tcp-d.v2.2.1", DIRECTION_DUAL, 131072, -1, 0, 0, 5681},
    {"tcp-d-t.v2.1.8", DIRECTION_DUAL, -1, 1000, 8192, 1048576, 5681},
    {"tcp-d-t.v2.2.1", DIRECTION_DUAL, -1, 1000, 8192, 1048576, 5681},
    {"tcp-d-P2.v2.1.8", DIRECTION_DUAL, 131072, -1, 0, 0, 0},
    {"tcp-d-P2.v2.2.1", DIRECTION_DUAL, 131072, -1, 0, 0, 0},
    {"tcp-r.v2.1.8", DIRECTION_TRADEOFF, 131072, -1, 0, 0, 5681},
    {"tcp-r.v2.2.1", DIRECTION_TRADEOFF, 131072, -1, 0, 0, 5681},
    {"tcp-r-P2.v2.1.8", DIRECTION_TRADEOFF, 131072, -1, 0, 0, 0},
    {"tcp-r-P2.v2.2.1", DIRECTION_TRADEOFF, 131072, -1, 0, 0, 0},
    {"legacy-tcp-d-b.v2.0.13", DIRECTION_DUAL, 131072, -1, 0, 104857600, 5682},
    {"legacy-tcp-r.c2.0.6.s2.2.1", DIRECTION_TRADEOFF, 131072, -1, 0, 0, 5682},
    {"tcp-plain.v2.2.1", DIRECTION_FORWARD, -1, 0, 0, 0, 0},
    {"tcp-sync.v2.2.1", DIRECTION_FORWARD, -1, 0, 0, 0, 0},
    {"legacy-tcp-X.v2.0.13", DIRECTION_FORWARD, -1, 0, 0, 0, 0},
};

static void
decode(const char *name)
{
	struct hex_file *file = hex_read("tcp-headers.hex");
	const struct hex_message *m = hex_find(file, name, "c", "client");

	ck_assert_int_eq(client_header_decode_tcp(&header, m->bytes, m->len),
	    (int)m->len);
	free(file);
}

START_TEST(test_request_recorded)
{
	struct options o;

	decode(recorded[_i].name);
	ck_assert_int_eq(request_direction(&header), recorded[_i].direction);
	ck_assert_ptr_null(request_refusal(&header, &server));
	if (recorded[_i].port != 0)
		ck_assert_uint_eq(header.listen_port, recorded[_i].port);
	request_options(&o, &server, &header);
	ck_assert_int_eq(o.direction, recorded[_i].direction);
	if (recorded[_i].direction == DIRECTION_FORWARD)
		return;
	ck_assert_int_eq(o.amount_bytes, recorded[_i].amount_bytes);
	ck_assert_int_eq(o.duration_ns,
	    recorded[_i].duration_ms < 0
		? -1
		: recorded[_i].duration_ms * NS_PER_MS);
	ck_assert_int_eq(o.length_given, recorded[_i].length_bytes > 0);
	ck_assert_int_eq(o.length_bytes, recorded[_i].length_bytes > 0
					     ? recorded[_i].length_bytes
					     : OPTIONS_TCP_LENGTH);
	ck_assert_int_eq(o.rate.mean, recorded[_i].rate_bps);
	/* Nothing of the server's that is none of the client's business. */
	ck_assert_str_eq(o.input_path, "");
	ck_assert(!o.economy);
}
END_TEST

START_TEST(test_request_recorded_extras)
{
	struct options o;

	decode("tcp-prefetch-R.v2.2.1");
	request_options(&o, &server, &header);
	ck_assert_int_eq(o.write_prefetch_bytes, 262144);
	decode("tcp-cca-R.v2.2.1");
	request_options(&o, &server, &header);
	ck_assert_str_eq(o.congestion, "reno");
	ck_assert_int_eq(o.write_prefetch_bytes, -1);
	/* What the server was started with goes before. */
	strlcpy(server.congestion, "cubic", sizeof(server.congestion));
	request_options(&o, &server, &header);
	ck_assert_str_eq(o.congestion, "cubic");
	decode("tcp-txstart-R.v2.2.1");
	ck_assert(header.has_txstart);
}
END_TEST

/* Recorded requests that are refused, and a word of the reason. */
static const char *const refusals[][2] = {
    {"tcp-isoch-R.v2.1.8", "frames"},
    {"tcp-isoch-R.v2.2.1", "frames"},
    {"tcp-R-triptimes.v2.1.8", "trip times"},
    {"tcp-R-triptimes.v2.2.1", "trip times"},
};

START_TEST(test_request_refusal_recorded)
{
	const char *why;

	decode(refusals[_i][0]);
	why = request_refusal(&header, &server);
	ck_assert_ptr_nonnull(why);
	ck_assert_ptr_nonnull(strstr(why, refusals[_i][1]));
}
END_TEST

START_TEST(test_request_refusal_both)
{
	header.reverse = true;
	header.full_duplex = true;
	ck_assert_ptr_nonnull(request_refusal(&header, &server));
	header.full_duplex = false;
	ck_assert_ptr_null(request_refusal(&header, &server));
}
END_TEST

/* Only who asks to be sent to is refused. */
START_TEST(test_request_refusal_no_reverse)
{
	server.no_reverse = true;
	ck_assert_ptr_null(request_refusal(&header, &server));
	header.reverse = _i == 0;
	header.full_duplex = _i == 1;
	header.dual = _i >= 2;
	header.run_now = _i == 3;
	ck_assert_ptr_nonnull(
	    strstr(request_refusal(&header, &server), "--no-reverse"));
}
END_TEST

static const struct {
	uint16_t port;
	bool refused;
} back_ports[] = {
    {0, true},
    {1, true},
    {22, true},
    {1023, true},
    {1024, false},
    {5001, false},
    {65535, false},
};

START_TEST(test_request_refusal_port)
{
	const char *why;
	int now;

	header.listen_port = back_ports[_i].port;
	header.dual = true;
	for (now = 0; now < 2; now++) {
		header.run_now = now == 1;
		why = request_refusal(&header, &server);
		ck_assert_int_eq(why != NULL, back_ports[_i].refused);
	}
	/* Nobody is called back with these. */
	header.reverse = true;
	ck_assert_ptr_null(request_refusal(&header, &server));
}
END_TEST

/* The bit of dual stands for a transfer id, too. */
START_TEST(test_request_direction_transfer_id)
{
	header.dual = true;
	header.has_transfer_id = true;
	ck_assert_int_eq(request_direction(&header), DIRECTION_FORWARD);
}
END_TEST

START_TEST(test_request_options_hostile)
{
	struct options o;

	header.reverse = true;
	header.length_bytes = UINT32_MAX;
	header.rate_bps = UINT64_MAX;
	header.has_fq_rate = true;
	header.fq_rate_Bps = UINT64_MAX;
	header.has_write_prefetch = true;
	header.write_prefetch_bytes = UINT32_MAX;
	header.amount_bytes = INT64_MAX;
	memset(header.congestion, '%', sizeof(header.congestion) - 1);
	header.congestion[sizeof(header.congestion) - 1] = '\0';
	request_options(&o, &server, &header);
	ck_assert_int_eq(o.length_bytes, UINT32_MAX);
	ck_assert_int_eq(o.rate.mean, INT64_MAX);
	ck_assert_int_eq(o.fq_rate_bps, -1);
	ck_assert_int_eq(o.write_prefetch_bytes, UINT32_MAX);
	ck_assert_int_eq(o.amount_bytes, INT64_MAX);
	ck_assert_int_eq(o.duration_ns, -1);
	ck_assert_uint_lt(strlen(o.congestion), sizeof(o.congestion));
	/* The largest rate whose bits per second can be told. */
	header.fq_rate_Bps = INT64_MAX / 8;
	request_options(&o, &server, &header);
	ck_assert_int_eq(o.fq_rate_bps, INT64_MAX / 8 * 8);
}
END_TEST

/* A datagram has bounds, whatever is asked for. */
static const struct {
	uint32_t asked;
	int64_t got;
} datagrams[] = {
    {1, OPTIONS_UDP_LENGTH_MIN},
    {1470, 1470},
    {65507, OPTIONS_UDP_LENGTH_MAX},
    {UINT32_MAX, OPTIONS_UDP_LENGTH_MAX},
};

START_TEST(test_request_options_datagrams)
{
	struct options o;

	server.protocol = PROTOCOL_UDP;
	header.reverse = true;
	header.length_bytes = datagrams[_i].asked;
	request_options(&o, &server, &header);
	ck_assert_int_eq(o.length_bytes, datagrams[_i].got);
}
END_TEST

/* A start far from now, or past, is none. Seconds from now. */
static const struct {
	int64_t ahead_s;
	bool is_kept;
} starts[] = {
    {0, false},
    {-1, false},
    {-1000000, false},
    {60, true},
    {3600, true},
    {3700, false},
    {100000000, false},
};

/* The largest rate is what a client of ours says in place of none. */
START_TEST(test_request_options_no_limit)
{
	struct client_header h = {.has_extension = true,
	    .rate_bps = CLIENT_HEADER_RATE_MAX_BPS};
	struct options o;

	server.protocol = PROTOCOL_UDP;
	request_options(&o, &server, &h);
	ck_assert_int_eq(o.rate.mean, 0);
	h.rate_bps--;
	request_options(&o, &server, &h);
	ck_assert_int_eq(o.rate.mean, (int64_t)h.rate_bps);
}
END_TEST

START_TEST(test_request_start)
{
	int64_t ahead_ns = starts[_i].ahead_s * NS_PER_S, start_ns;

	header.has_start = true;
	header.start = stamp_from_ns(clock_wall_ns() + ahead_ns);
	/* Without the flag the time is about something else. */
	ck_assert_int_le(request_start_ns(&header), clock_now_ns());
	header.has_txstart = true;
	start_ns = request_start_ns(&header) - clock_now_ns();
	if (starts[_i].is_kept) {
		ck_assert_int_le(start_ns, ahead_ns);
		ck_assert_int_ge(start_ns, ahead_ns - 30 * NS_PER_S);
	} else {
		ck_assert_int_le(start_ns, 0);
	}
}
END_TEST

static Suite *
request_suite(void)
{
	Suite *s = suite_create("request");
	TCase *tc;

	tc = tcase_create("recorded");
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_loop_test(tc, test_request_recorded, 0, COUNT(recorded));
	tcase_add_test(tc, test_request_recorded_extras);
	tcase_add_loop_test(tc, test_request_refusal_recorded, 0,
	    COUNT(refusals));
	suite_add_tcase(s, tc);

	tc = tcase_create("values");
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, test_request_refusal_both);
	tcase_add_loop_test(tc, test_request_refusal_no_reverse, 0, 4);
	tcase_add_loop_test(tc, test_request_refusal_port, 0,
	    COUNT(back_ports));
	tcase_add_test(tc, test_request_direction_transfer_id);
	tcase_add_test(tc, test_request_options_hostile);
	tcase_add_loop_test(tc, test_request_options_datagrams, 0,
	    COUNT(datagrams));
	tcase_add_test(tc, test_request_options_no_limit);
	tcase_add_loop_test(tc, test_request_start, 0, COUNT(starts));
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(request_suite());
}
