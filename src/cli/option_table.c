/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "cli/option_table.h"
#include "wire/client_header.h"

#define NAME(text, short_name) .name = (text), .letter = (short_name)
#define ALSO(...) .aliases = {__VA_ARGS__}
#define TAKES(text) .argument = ARGUMENT_REQUIRED, .value_name = (text)
#define MAY_TAKE(text) .argument = ARGUMENT_OPTIONAL, .value_name = (text)
#define TO(value_kind, member)                                            \
	.kind = (value_kind), .offset = offsetof(struct options, member), \
	.size = sizeof(((struct options *)NULL)->member)
#define RANGE(low, high) .min = (low), .max = (high)
#define USE(in_group, on, with, of_tier, since_version)                        \
	.group = GROUP_##in_group, .side = SIDE_##on, .protocol = WITH_##with, \
	.tier = (of_tier), .since = (since_version)
#define STATE(is) .state = STATE_##is
#define IMPLIES_ENHANCED .enhanced = true
#define HELP(text) .help = (text)
#define WORDS(text) .words = (text)

/* So far off that adding it to any clock cannot overflow. */
#define LONGEST_NS (INT64_C(1000000000) * NS_PER_S)

/* The largest -i of iperf 2: its microseconds have 32 bits. */
#define INTERVAL_MAX_NS (INT64_C(4294967) * NS_PER_MS)

static const struct option_info table[OPTION_COUNT] = {
    /* Mode, protocol, family. */
    [OPTION_SERVER] = {NAME("server", 's'), USE(MODE, BOTH, ANY, 1, "2.0"),
	HELP("listen and receive")},
    [OPTION_CLIENT] = {NAME("client", 'c'), TAKES("HOST"),
	TO(VALUE_HOST, server), USE(MODE, BOTH, ANY, 1, "2.0"),
	HELP("connect to HOST[%DEVICE] and send")},
    [OPTION_LOOPBACK] = {NAME("loopback", 0), USE(MODE, BOTH, ANY, 1, "2.50"),
	HELP("client and server in one process")},
    [OPTION_UDP] = {NAME("udp", 'u'), USE(MODE, BOTH, ANY, 1, "2.0"),
	HELP("UDP instead of TCP")},
    [OPTION_IPV4] = {NAME("ipv4", '4'), USE(MODE, BOTH, ANY, 1, "2.1"),
	HELP("IPv4 only")},
    [OPTION_IPV6] = {NAME("ipv6", '6'), USE(MODE, BOTH, ANY, 1, "2.1"),
	HELP("IPv6; a server accepts IPv4 too")},
    [OPTION_IPV6_DOMAIN] = {NAME("ipv6_domain", 'V'), ALSO("IPv6Version"),
	USE(MODE, BOTH, ANY, 1, "2.0"), HELP("the same as -6")},

    /* How much, how fast. */
    [OPTION_TIME] = {NAME("time", 't'), TAKES("SECONDS"),
	TO(VALUE_SECONDS, duration_ns), RANGE(-LONGEST_NS, LONGEST_NS),
	USE(AMOUNT, BOTH, ANY, 1, "2.0"),
	HELP("time to send [10] or to serve, 0 for ever")},
    [OPTION_NUM] = {NAME("num", 'n'), TAKES("BYTES"),
	TO(VALUE_BYTES, amount_bytes), RANGE(1, INT64_MAX),
	USE(AMOUNT, CLIENT, ANY, 1, "2.0"),
	HELP("bytes of each stream, instead of -t")},
    [OPTION_LEN] = {NAME("len", 'l'), TAKES("BYTES"),
	TO(VALUE_BYTES, length_bytes), RANGE(1, INT32_MAX),
	USE(AMOUNT, BOTH, ANY, 1, "2.0"),
	HELP("bytes per write or datagram [128K; UDP 1470]")},
    [OPTION_BANDWIDTH] = {NAME("bandwidth", 'b'), TAKES("RATE"),
	TO(VALUE_RATE, rate), RANGE(0, CLIENT_HEADER_RATE_MAX_BPS),
	USE(AMOUNT, BOTH, ANY, 1, "2.0"),
	HELP("bits/s or Npps of each stream [none; UDP 1M]")},
    [OPTION_FILE_INPUT] = {NAME("file_input", 'F'), ALSO("fileinput"),
	TAKES("FILE"), TO(VALUE_TEXT, input_path),
	USE(AMOUNT, CLIENT, ANY, 2, "2.0"), HELP("send the bytes of FILE")},
    [OPTION_STDIN_INPUT] = {NAME("stdin_input", 'I'), ALSO("stdin"),
	TO(VALUE_STDIN, input_path), USE(AMOUNT, CLIENT, ANY, 2, "2.0"),
	HELP("send standard input")},
    [OPTION_IPG] = {NAME("ipg", 0), TAKES("SECONDS"), TO(VALUE_SECONDS, ipg_ns),
	RANGE(0, 60 * NS_PER_S), USE(AMOUNT, CLIENT, UDP, 2, "2.1"),
	HELP("gap between datagrams, instead of -b")},
    [OPTION_ECONOMY] = {NAME("economy", 0), TO(VALUE_SET, economy),
	USE(AMOUNT, CLIENT, UDP, 2, "2.50"),
	HELP("less even gaps for less processor time")},
    [OPTION_NO_UDP_FIN] = {NAME("no-udp-fin", 0), TO(VALUE_SET, no_udp_fin),
	USE(AMOUNT, CLIENT, UDP, 2, "2.1"),
	HELP("no exchange at the end of a UDP test")},

    /* Addresses and ports. */
    [OPTION_PORT] = {NAME("port", 'p'), TAKES("PORT"), TO(VALUE_PORTS, ports),
	USE(ADDRESS, BOTH, ANY, 1, "2.0"),
	HELP("port, or range FIRST-LAST [5001]")},
    [OPTION_BIND] = {NAME("bind", 'B'), TAKES("ADDRESS"), TO(VALUE_BIND, bind),
	USE(ADDRESS, BOTH, ANY, 1, "2.0"),
	HELP("local or group ADDRESS[%DEVICE][:PORT]")},
    [OPTION_TTL] = {NAME("ttl", 'T'), TAKES("COUNT"), TO(VALUE_INTEGER, ttl),
	RANGE(0, 255), USE(ADDRESS, CLIENT, ANY, 1, "2.0"),
	HELP("time to live or hop limit [system's]")},
    [OPTION_SSM_HOST] = {NAME("ssm-host", 'H'), TAKES("ADDRESS"),
	TO(VALUE_ADDRESS, ssm_source), USE(ADDRESS, SERVER, UDP, 2, "2.1"),
	HELP("only source of the multicast group of -B")},

    /* Parallel streams. */
    [OPTION_PARALLEL] = {NAME("parallel", 'P'), TAKES("COUNT"),
	TO(VALUE_INTEGER, parallel), RANGE(0, UINT16_MAX),
	USE(STREAM, BOTH, ANY, 1, "2.0"),
	HELP("streams [1]; a server ends after so many")},
    [OPTION_NO_CONNECT_SYNC] = {NAME("no-connect-sync", 0),
	TO(VALUE_CLEAR, connect_sync), USE(STREAM, CLIENT, ANY, 2, "2.1"),
	HELP("streams start without waiting for each other")},
    [OPTION_INCR_DSTIP] = {NAME("incr-dstip", 0), TO(VALUE_SET, incr_dstip),
	USE(STREAM, CLIENT, ANY, 2, "2.1"),
	HELP("each stream to the next address")},
    [OPTION_INCR_DSTPORT] = {NAME("incr-dstport", 0),
	TO(VALUE_SET, incr_dstport), USE(STREAM, CLIENT, ANY, 2, "2.1"),
	HELP("each stream to the next port")},
    [OPTION_INCR_SRCIP] = {NAME("incr-srcip", 0), TO(VALUE_SET, incr_srcip),
	USE(STREAM, CLIENT, ANY, 2, "2.1"),
	HELP("each stream from the next address")},
    [OPTION_INCR_SRCPORT] = {NAME("incr-srcport", 0),
	TO(VALUE_SET, incr_srcport), USE(STREAM, CLIENT, ANY, 2, "2.1"),
	HELP("each stream from the next port")},

    /* Direction of traffic. */
    [OPTION_REVERSE] = {NAME("reverse", 'R'),
	USE(DIRECTION, CLIENT, ANY, 1, "2.1"), HELP("the server sends")},
    [OPTION_FULL_DUPLEX] = {NAME("full-duplex", 0),
	USE(DIRECTION, CLIENT, ANY, 1, "2.1"),
	HELP("both ends send, on one connection")},
    [OPTION_DUALTEST] = {NAME("dualtest", 'd'),
	USE(DIRECTION, CLIENT, ANY, 1, "2.0"),
	HELP("both ends send, on a connection each")},
    [OPTION_TRADEOFF] = {NAME("tradeoff", 'r'),
	USE(DIRECTION, CLIENT, ANY, 1, "2.0"),
	HELP("as -d, one direction after the other")},
    [OPTION_LISTENPORT] = {NAME("listenport", 'L'), TAKES("PORT"),
	TO(VALUE_LISTEN_PORTS, listen_ports),
	USE(DIRECTION, CLIENT, ANY, 2, "2.0"),
	HELP("where the client listens with -d and -r")},

    /* Reports. */
    [OPTION_INTERVAL] = {NAME("interval", 'i'), TAKES("SECONDS"),
	TO(VALUE_INTERVAL, interval_ns), RANGE(0, INTERVAL_MAX_NS),
	USE(REPORT, BOTH, ANY, 1, "2.0"),
	HELP("time between reports, 0 only totals [0]")},
    [OPTION_FORMAT] = {NAME("format", 'f'), TAKES("LETTER"),
	WORDS("a b k m g t p A B K M G T P"), TO(VALUE_FORMAT, format),
	USE(REPORT, BOTH, ANY, 1, "2.0"),
	HELP("unit b k m g t p a; upper case: bytes [a]")},
    [OPTION_ENHANCED] = {NAME("enhanced", 'e'), ALSO("enhancedreports"),
	TO(VALUE_SET, enhanced), USE(REPORT, BOTH, ANY, 1, "2.1"),
	HELP("more lines and columns")},
    [OPTION_REPORTSTYLE] = {NAME("reportstyle", 'y'), TAKES("C"), WORDS("C"),
	TO(VALUE_STYLE, style), USE(REPORT, BOTH, ANY, 1, "2.0"),
	HELP("C: comma-separated values")},
    [OPTION_JSON] = {NAME("json", 0), USE(REPORT, BOTH, ANY, 1, "2.50"),
	HELP("one JSON document, see iperf(1)")},
    [OPTION_JSON_STREAM] = {NAME("json-stream", 0),
	USE(REPORT, BOTH, ANY, 1, "2.50"),
	HELP("a JSON object a line, as things happen")},
    [OPTION_REPORTEXCLUDE] = {NAME("reportexclude", 'x'), TAKES("LETTERS"),
	WORDS("C D M S V"), TO(VALUE_EXCLUDE, exclude),
	USE(REPORT, BOTH, ANY, 2, "2.0"),
	HELP("leave out reports: C D M S V, see iperf(1)")},
    [OPTION_OUTPUT] = {NAME("output", 'o'), TAKES("FILE"),
	TO(VALUE_TEXT, output_path), USE(REPORT, BOTH, ANY, 1, "2.0"),
	HELP("write the reports to FILE")},
    [OPTION_SUM_ONLY] = {NAME("sum-only", 0), TO(VALUE_SET, sum_only),
	USE(REPORT, BOTH, ANY, 1, "2.1"), HELP("only [SUM] lines")},
    [OPTION_SUM_DSTIP] = {NAME("sum-dstip", 0), TO(VALUE_SET, sum_dstip),
	USE(REPORT, SERVER, ANY, 2, "2.1"),
	HELP("one [SUM] for each destination address")},
    [OPTION_HIDE_IPS] = {NAME("hide-ips", 0), TO(VALUE_SET, hide_ips),
	USE(REPORT, BOTH, ANY, 2, "2.1"), HELP("obscure addresses")},
    [OPTION_UTC] = {NAME("utc", 0), TO(VALUE_SET, utc),
	USE(REPORT, BOTH, ANY, 2, "2.2"), HELP("dates in UTC")},
    [OPTION_NO_PROGRESS] = {NAME("no-progress", 0), TO(VALUE_SET, no_progress),
	USE(REPORT, CLIENT, ANY, 2, "2.50"),
	HELP("no progress line at a terminal")},

    /* Sockets and TCP. */
    [OPTION_WINDOW] = {NAME("window", 'w'), TAKES("BYTES"),
	TO(VALUE_BYTES, window_bytes), RANGE(0, INT32_MAX),
	USE(SOCKET, BOTH, ANY, 1, "2.0"),
	HELP("socket buffer, the TCP window [system's]")},
    [OPTION_MSS] = {NAME("mss", 'M'), TAKES("BYTES"),
	TO(VALUE_BYTES_INT, mss_bytes), RANGE(1, UINT16_MAX),
	USE(SOCKET, BOTH, TCP, 1, "2.0"),
	HELP("limit of the segment size [system's]")},
    [OPTION_PRINT_MSS] = {NAME("print_mss", 'm'), TO(VALUE_SET, print_mss),
	USE(SOCKET, BOTH, TCP, 1, "2.0"), HELP("print the segment size")},
    [OPTION_NODELAY] = {NAME("nodelay", 'N'), TO(VALUE_SET, nodelay),
	USE(SOCKET, BOTH, TCP, 1, "2.0"), HELP("TCP_NODELAY")},
    [OPTION_TCP_CONGESTION] = {NAME("tcp-congestion", 'Z'),
	ALSO("linux-congestion"), TAKES("NAME"), TO(VALUE_TEXT, congestion),
	USE(SOCKET, BOTH, TCP, 1, "2.0"),
	HELP("congestion control [system's]")},
    [OPTION_TCP_CCA] = {NAME("tcp-cca", 0), TAKES("NAME"),
	TO(VALUE_TEXT, congestion), USE(SOCKET, BOTH, TCP, 2, "2.2"),
	HELP("the same as -Z")},
    [OPTION_TOS] = {NAME("tos", 'S'), TAKES("BYTE"),
	WORDS("af11 af21 af31 af41 cs1 cs2 cs3 cs4 cs5 cs6 cs7 ef le nqb "
	      "lowdelay throughput reliability"),
	TO(VALUE_TOS, tos), USE(SOCKET, BOTH, ANY, 1, "2.0"),
	HELP("type of service, 0-255 or a name like af11")},
    [OPTION_DSCP] = {NAME("dscp", 0), TAKES("CODE"), TO(VALUE_DSCP, tos),
	RANGE(0, 63), USE(SOCKET, BOTH, ANY, 2, "2.2"),
	HELP("the same as -S with CODE << 2")},
    [OPTION_TOS_OVERRIDE] = {NAME("tos-override", 0), TAKES("BYTE"),
	TO(VALUE_TOS, tos_override), USE(SOCKET, SERVER, ANY, 2, "2.1"),
	HELP("type of service of reversed traffic")},
    [OPTION_REALTIME] = {NAME("realtime", 'z'), TO(VALUE_SET, realtime),
	USE(SOCKET, BOTH, ANY, 2, "2.1"), HELP("real-time scheduling")},
    [OPTION_FQ_RATE] = {NAME("fq-rate", 0), TAKES("RATE"),
	TO(VALUE_BIT_OR_BYTE, fq_rate_bps), RANGE(1, INT64_MAX),
	USE(SOCKET, CLIENT, ANY, 2, "2.1"),
	HELP("kernel pacing; k m g bits/s, K M G bytes/s")},
    [OPTION_FQ_RATE_STEP] = {NAME("fq-rate-step", 0), TAKES("RATE"),
	USE(SOCKET, CLIENT, ANY, 3, "2.2"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("raise the pacing rate step by step")},
    [OPTION_FQ_RATE_STEP_INTERVAL] = {NAME("fq-rate-step-interval", 0),
	TAKES("SECONDS"), USE(SOCKET, CLIENT, ANY, 3, "2.2"), STATE(PENDING),
	IMPLIES_ENHANCED, HELP("time of a step")},
    [OPTION_TCP_QUICKACK] = {NAME("tcp-quickack", 0), TO(VALUE_SET, quickack),
	USE(SOCKET, BOTH, TCP, 2, "2.1"), HELP("TCP_QUICKACK")},
    [OPTION_TCP_RX_WINDOW_CLAMP] = {NAME("tcp-rx-window-clamp", 0),
	TAKES("BYTES"), TO(VALUE_BYTES, rx_window_clamp_bytes),
	RANGE(1, INT32_MAX), USE(SOCKET, SERVER, TCP, 2, "2.1"),
	HELP("bound of the receive window")},
    [OPTION_TCP_WRITE_PREFETCH] = {NAME("tcp-write-prefetch", 0),
	TAKES("BYTES"), TO(VALUE_BYTES, write_prefetch_bytes),
	RANGE(0, INT32_MAX), USE(SOCKET, CLIENT, TCP, 2, "2.1"),
	IMPLIES_ENHANCED, HELP("bytes not yet sent to hold; 0 off [off]")},
    [OPTION_TCP_TX_DELAY] = {NAME("tcp-tx-delay", 0), TAKES("MS"),
	USE(SOCKET, BOTH, TCP, 3, "2.2"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("delay added by the kernel")},
    [OPTION_SKIP_RX_COPY] = {NAME("skip-rx-copy", 0),
	TO(VALUE_SET, skip_rx_copy), USE(SOCKET, SERVER, TCP, 2, "2.2"),
	IMPLIES_ENHANCED, HELP("discard data in the kernel")},
    [OPTION_LOCAL_ONLY] = {NAME("local-only", 0), MAY_TAKE("0|1"),
	TO(VALUE_SWITCH, local_only), USE(SOCKET, CLIENT, ANY, 3, "2.1"),
	HELP("no routers on the way")},
    [OPTION_NEAR_CONGESTION] = {NAME("near-congestion", 0), MAY_TAKE("WEIGHT"),
	USE(SOCKET, CLIENT, TCP, 3, "2.1"), STATE(PENDING),
	HELP("pace by the round-trip time")},

    /* Latency and timing. */
    [OPTION_TRIP_TIMES] = {NAME("trip-times", 0), TO(VALUE_SET, trip_times),
	USE(LATENCY, CLIENT, ANY, 1, "2.1"),
	HELP("UDP one-way latency, of synchronised clocks")},
    [OPTION_HISTOGRAMS] = {NAME("histograms", 0), ALSO("udp-histograms"),
	MAY_TAKE("SPEC"), TO(VALUE_HISTOGRAM, histogram),
	USE(LATENCY, BOTH, ANY, 2, "2.1"), IMPLIES_ENHANCED,
	HELP("UDP server: histograms of latency")},
    [OPTION_JITTER_HISTOGRAMS] = {NAME("jitter-histograms", 0), MAY_TAKE("US"),
	TO(VALUE_MICROSECONDS, jitter_width_ns), RANGE(1, 60000000),
	USE(LATENCY, SERVER, UDP, 2, "2.2"), IMPLIES_ENHANCED,
	HELP("histograms of jitter")},
    [OPTION_TCP_WRITE_TIMES] = {NAME("tcp-write-times", 0),
	USE(LATENCY, CLIENT, TCP, 2, "2.1"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("time of each write")},
    [OPTION_BOUNCEBACK] = {NAME("bounceback", 0), MAY_TAKE("COUNT"),
	USE(LATENCY, CLIENT, TCP, 2, "2.1"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("requests and replies")},
    [OPTION_BOUNCEBACK_CONGEST] = {NAME("bounceback-congest", 0),
	MAY_TAKE("DIRECTION,COUNT"), USE(LATENCY, CLIENT, TCP, 3, "2.1"),
	STATE(PENDING), HELP("load beside requests")},
    [OPTION_BOUNCEBACK_HOLD] = {NAME("bounceback-hold", 0), TAKES("MS"),
	USE(LATENCY, CLIENT, TCP, 2, "2.1"), STATE(PENDING),
	HELP("time from request to reply")},
    [OPTION_BOUNCEBACK_NO_QUICKACK] = {NAME("bounceback-no-quickack", 0),
	USE(LATENCY, CLIENT, TCP, 2, "2.1"), STATE(PENDING),
	HELP("no TCP_QUICKACK on the server")},
    [OPTION_BOUNCEBACK_PERIOD] = {NAME("bounceback-period", 0),
	TAKES("SECONDS"), USE(LATENCY, CLIENT, TCP, 2, "2.1"), STATE(PENDING),
	HELP("time between groups of requests")},
    [OPTION_BOUNCEBACK_REPLY] = {NAME("bounceback-reply", 0), TAKES("BYTES"),
	USE(LATENCY, CLIENT, TCP, 2, "2.2"), STATE(PENDING),
	HELP("size of a reply")},
    [OPTION_BOUNCEBACK_REQUEST] = {NAME("bounceback-request", 0),
	TAKES("BYTES"), USE(LATENCY, CLIENT, TCP, 2, "2.2"), STATE(PENDING),
	HELP("size of a request")},
    [OPTION_BOUNCEBACK_TXDELAY] = {NAME("bounceback-txdelay", 0),
	TAKES("SECONDS"), USE(LATENCY, CLIENT, TCP, 3, "2.1"), STATE(PENDING),
	HELP("wait before the first request")},
    [OPTION_WORKING_LOAD] = {NAME("working-load", 0),
	MAY_TAKE("DIRECTION,COUNT"), USE(LATENCY, BOTH, TCP, 3, "2.1"),
	STATE(PENDING), IMPLIES_ENHANCED, HELP("load beside requests")},
    [OPTION_WORKING_LOAD_CCA] = {NAME("working-load-cca", 0), TAKES("NAME"),
	USE(LATENCY, BOTH, TCP, 3, "2.2"), STATE(PENDING),
	HELP("congestion control of the load")},
    [OPTION_ISOCHRONOUS] = {NAME("isochronous", 0), MAY_TAKE("FPS:MEAN,STDDEV"),
	USE(LATENCY, CLIENT, ANY, 2, "2.1"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("frames as of a video")},
    [OPTION_BURST_PERIOD] = {NAME("burst-period", 0), TAKES("SECONDS"),
	USE(LATENCY, CLIENT, ANY, 2, "2.1"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("time between bursts")},
    [OPTION_BURST_SIZE] = {NAME("burst-size", 0), TAKES("BYTES"),
	USE(LATENCY, CLIENT, ANY, 2, "2.1"), STATE(PENDING), IMPLIES_ENHANCED,
	HELP("bytes of a burst")},

    /* Connecting and starting. */
    [OPTION_TXSTART_TIME] = {NAME("txstart-time", 0), TAKES("EPOCH"),
	TO(VALUE_SECONDS, txstart_rt_ns), RANGE(0, INT64_MAX),
	USE(START, CLIENT, ANY, 2, "2.1"), IMPLIES_ENHANCED,
	HELP("start at these seconds.fraction since 1970")},
    [OPTION_TXDELAY_TIME] = {NAME("txdelay-time", 0), TAKES("SECONDS"),
	TO(VALUE_SECONDS, txdelay_ns), RANGE(0, 3600 * NS_PER_S),
	USE(START, CLIENT, ANY, 2, "2.1"),
	HELP("wait between connecting and sending [0]")},
    [OPTION_CONNECT_ONLY] = {NAME("connect-only", 0), MAY_TAKE("COUNT"),
	TO(VALUE_INTEGER, connect_only), RANGE(0, INT32_MAX),
	USE(START, CLIENT, TCP, 2, "2.1"),
	HELP("only connect, so often [10], 0 for ever")},
    [OPTION_CONNECT_RETRIES] = {NAME("connect-retries", 0), TAKES("COUNT"),
	TO(VALUE_INTEGER, connect_retries), RANGE(0, INT32_MAX),
	USE(START, CLIENT, TCP, 2, "2.1"), HELP("more tries to connect [0]")},
    [OPTION_CONNECT_RETRY_TIME] = {NAME("connect-retry-time", 0),
	TAKES("SECONDS"), TO(VALUE_SECONDS, connect_retry_ns),
	RANGE(0, LONGEST_NS), USE(START, CLIENT, TCP, 2, "2.2"),
	HELP("try to connect for so long [0]")},
    [OPTION_CONNECT_RETRY_TIMER] = {NAME("connect-retry-timer", 0),
	TAKES("SECONDS"), TO(VALUE_SECONDS, connect_retry_interval_ns),
	RANGE(NS_PER_MS, LONGEST_NS), USE(START, CLIENT, TCP, 2, "2.2"),
	HELP("time between tries [1]")},
    [OPTION_PEER_DETECT] = {NAME("peer-detect", 'X'), ALSO("peerdetect"),
	TO(VALUE_SET, peer_detect), USE(START, CLIENT, TCP, 2, "2.1"),
	HELP("ask the server for its version")},
    [OPTION_IGNORE_SHUTDOWN] = {NAME("ignore-shutdown", 0),
	TO(VALUE_SET, ignore_shutdown), USE(START, CLIENT, TCP, 3, "2.2"),
	HELP("the test ends with the last write")},
    [OPTION_SYNC_TRANSFER_ID] = {NAME("sync-transfer-id", 0),
	TO(VALUE_SET, sync_transfer_id), USE(START, CLIENT, ANY, 3, "2.2"),
	HELP("the same stream numbers on both ends")},

    /* Life of a server. */
    [OPTION_DAEMON] = {NAME("daemon", 'D'), TO(VALUE_SET, daemon),
	USE(SERVER, SERVER, ANY, 1, "2.0"), HELP("go to the background")},
    [OPTION_SINGLECLIENT] = {NAME("singleclient", '1'),
	TO(VALUE_SET, single_client), USE(SERVER, SERVER, ANY, 2, "2.1"),
	HELP("one client at a time")},
    [OPTION_TEST_EXCHANGE_TIMEOUT] = {NAME("test-exchange-timeout", 0),
	TAKES("SECONDS"), TO(VALUE_SECONDS, header_timeout_ns),
	RANGE(0, LONGEST_NS), USE(SERVER, SERVER, TCP, 3, "2.2"),
	HELP("wait for a test header, 0 for ever [10]")},
    [OPTION_MAX_FLOWS] = {NAME("max-flows", 0), TAKES("COUNT"),
	TO(VALUE_INTEGER, max_flows), RANGE(1, 1000000),
	USE(SERVER, SERVER, UDP, 2, "2.50"),
	HELP("UDP streams at a time [4096]")},
    [OPTION_MAX_FLOWS_PER_HOST] = {NAME("max-flows-per-host", 0),
	TAKES("COUNT"), TO(VALUE_INTEGER, max_flows_per_host),
	RANGE(1, 1000000), USE(SERVER, SERVER, UDP, 2, "2.50"),
	HELP("of one address [1024]")},
    [OPTION_SINGLE_UDP] = {NAME("single_udp", 'U'),
	USE(SERVER, SERVER, UDP, 3, "2.0"), HELP("the same as -u -1")},
    [OPTION_NO_REVERSE] = {NAME("no-reverse", 0), TO(VALUE_SET, no_reverse),
	USE(SERVER, SERVER, ANY, 2, "2.50"),
	HELP("refuse clients that want traffic themselves")},
    [OPTION_TRUST_UDP_SOURCES] = {NAME("trust-udp-sources", 0),
	TO(VALUE_SET, trust_udp_sources), USE(SERVER, SERVER, UDP, 2, "2.50"),
	HELP("send to clients that prove nothing")},
    [OPTION_PERMIT_KEY] = {NAME("permit-key", 0), MAY_TAKE("KEY"),
	TO(VALUE_KEY, permit_key), USE(SERVER, BOTH, TCP, 2, "2.1"),
	HELP("serve only clients that have the key")},
    [OPTION_PERMIT_KEY_TIMEOUT] = {NAME("permit-key-timeout", 0),
	TAKES("SECONDS"), TO(VALUE_SECONDS, permit_life_ns),
	RANGE(0, LONGEST_NS), USE(SERVER, SERVER, TCP, 2, "2.1"),
	HELP("life of the key, 0 for ever [20]")},

    /* The rest. */
    [OPTION_COMPATIBILITY] = {NAME("compatibility", 'C'), TO(VALUE_SET, compat),
	USE(OTHER, CLIENT, ANY, 2, "2.0"), HELP("send no test header")},
    [OPTION_SUGGEST_WIN_SIZE] = {NAME("suggest_win_size", 'W'),
	USE(OTHER, BOTH, TCP, 3, "2.0"), STATE(UNAVAILABLE),
	HELP("not available; accepted with a warning")},
    [OPTION_AWDL] = {NAME("awdl", 'A'), USE(OTHER, BOTH, ANY, 3, "2.1"),
	STATE(IGNORED), HELP("accepted without effect")},
    [OPTION_NUM_REPORT_STRUCTS] = {NAME("NUM_REPORT_STRUCTS", 0),
	TAKES("COUNT"), .kind = VALUE_BYTES, RANGE(0, INT64_MAX),
	USE(OTHER, BOTH, ANY, 3, "2.1"), STATE(IGNORED),
	HELP("accepted without effect")},
    [OPTION_L2CHECKS] = {NAME("l2checks", 0), USE(OTHER, CLIENT, UDP, 3, "2.1"),
	STATE(REFUSED), HELP("check lengths below UDP")},
    [OPTION_TAP_DEV] = {NAME("tap-dev", 0), MAY_TAKE("DEVICE"),
	USE(OTHER, SERVER, UDP, 3, "2.1"), STATE(REFUSED),
	HELP("receive from a TAP device")},
    [OPTION_TUN_DEV] = {NAME("tun-dev", 0), MAY_TAKE("DEVICE"),
	USE(OTHER, SERVER, UDP, 3, "2.1"), STATE(REFUSED),
	HELP("receive from a TUN device")},
    [OPTION_UDP_L4S] = {NAME("udp-l4s", 0), USE(OTHER, CLIENT, UDP, 3, "2.2"),
	STATE(REFUSED), HELP("L4S congestion control")},
    [OPTION_UDP_L4S_VIDEO] = {NAME("udp-l4s-video", 0),
	USE(OTHER, CLIENT, UDP, 3, "2.2"), STATE(REFUSED),
	HELP("L4S congestion control, as a video")},

    [OPTION_HELP] = {NAME("help", 'h'), MAY_TAKE("OPTION"),
	USE(OTHER, BOTH, ANY, 1, "2.0"),
	HELP("print this text, or what OPTION does")},
    [OPTION_VERSION] = {NAME("version", 'v'), USE(OTHER, BOTH, ANY, 1, "2.0"),
	HELP("print the version")},
    [OPTION_COMPLETION] = {NAME("completion", 0), TAKES("SHELL"),
	WORDS("bash zsh"), USE(OTHER, BOTH, ANY, 2, "2.50"),
	HELP("print a script for bash or zsh")},
};

const struct option_info *
option_info(enum option_id id)
{
	return &table[id];
}

const char *
option_name(const struct option_info *info, size_t index)
{
	if (index == 0)
		return info->name;
	return index <= OPTION_ALIASES_MAX ? info->aliases[index - 1] : NULL;
}

static bool
has_name(const struct option_info *info, const char *text, size_t len)
{
	const char *name;
	size_t i;

	for (i = 0; (name = option_name(info, i)) != NULL; i++) {
		if (strncmp(name, text, len) == 0)
			return true;
	}
	return false;
}

enum option_id
option_find(const char *text)
{
	enum option_id found = OPTION_COUNT;
	size_t len;
	int id, n = 0;

	text += strspn(text, "-");
	len = strlen(text);
	for (id = 0; id < OPTION_COUNT && len > 0; id++) {
		if ((len == 1 && table[id].letter == text[0]) ||
		    has_name(&table[id], text, len + 1))
			return (enum option_id)id;
	}
	for (id = 0; id < OPTION_COUNT && len > 1; id++) {
		if (has_name(&table[id], text, len)) {
			found = (enum option_id)id;
			n++;
		}
	}
	return n == 1 ? found : OPTION_COUNT;
}
