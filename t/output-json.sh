#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --json and --json-stream: what is in them, against the schema, and that
# their figures are those of the run.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/json.sh"

need_json

# Intervals add up to totals, totals to sums; for any document.
# shellcheck disable=SC2016 # jq's variables
adds_up='
. as $d |
[.totals[] | select(.scope == "stream" and .direction != "both") | . as $t |
    [$d.intervals[] | select(.stream == $t.stream and .test == $t.test and
	.direction == $t.direction) | .bytes] | length == 0 or
	add == $t.bytes] +
[.totals[] | select(.scope == "sum" and .direction != "both") | . as $s |
    [$d.totals[] | select(.scope == "stream" and .test == $s.test and
	.direction == $s.direction) | .bytes] | add == $s.bytes] +
[.totals[] | select(.end_seconds > .start_seconds) |
    (.bits_per_second - .bytes * 8 / (.end_seconds - .start_seconds)) |
    fabs < 1000] | length > 0 and all'

# What goes to stderr is no part of the report, and so it has a file.
start_server --json-stream -i 0.1 -o "$tmp/server" || skip_all "the server does not start"

document plain -t 0.5 -i 0.1 -P 2 -w 64K
is "plain: status, stderr" "$status $err" "0 "
holds "plain: adds up" "$tmp/plain" "$adds_up"
holds "plain: two streams, one sum, all sent" "$tmp/plain" \
    '[.totals[] | [.scope, .stream, .direction]] ==
    [["stream", 1, "send"], ["stream", 2, "send"], ["sum", null, "send"]]'
holds "plain: several intervals" "$tmp/plain" \
    '[.intervals[] | select(.scope == "sum")] | length >= 4'
holds "plain: settings" "$tmp/plain" "$(printf '%s' '.settings |
    .role == "client" and .protocol == "tcp" and .parallel == 2 and
    .duration_seconds == 0.5 and .interval_seconds == 0.1 and
    .buffer.requested_bytes == 65536 and .buffer.actual_bytes > 0 and
    .congestion_control.actual != null and .skip_rx_copy == false and
    .server.host == "127.0.0.1" and .ports.first == '"$port")"
holds "plain: where it was made" "$tmp/plain" "$(printf '%s' '
    .schema_version == 1 and .program.name == "iperf" and
    .host.kernel == "'"$(uname -r)"'" and .host.cpus > 0')"
holds "plain: connections" "$tmp/plain" "$(printf '%s' '.connections |
    length == 2 and all(.peer.port == '"$port"' and .mss_bytes > 0)')"
holds "plain: the kernel's figures" "$tmp/plain" '
    [.totals[] | select(.scope == "stream") | .tcp_info] |
    all(.rtt_seconds > 0 and .rtt_seconds < 10 and .cwnd_bytes > 0 and
	.mss_bytes > 0 and has("rttvar_seconds") and
	has("rwnd_limited_seconds") and has("sndbuf_limited_seconds"))'
if [ "$(uname -s)" = Linux ]; then
	holds "plain: how long there was something to send" "$tmp/plain" '
	    [.totals[] | select(.scope == "stream") | .tcp_info] |
	    all(.busy_seconds > 0 and .busy_seconds < 5 and
		.min_rtt_seconds >= 0 and .delivery_bits_per_second > 0)'
fi
holds "plain: the end" "$tmp/plain" '.end | .reason == "completed" and
    .exit_status == 0 and .error == null and
    .cpu.user_seconds + .cpu.system_seconds > 0 and
    .duration_seconds >= 0.5'
holds "plain: nothing went wrong" "$tmp/plain" \
    '(.warnings + .errors) == []'

document reverse -t 0.3 -R
holds "reverse: received" "$tmp/reverse" \
    '.totals[0].reversed and .totals[0].reported_by_peer == false and
    [.totals[] | .direction] == ["receive"] and
    .settings.direction == "reverse" and .connections[0].reverse and
    .totals[0].reads > 0 and
    (.totals[0].read_size_bins | add) == .totals[0].reads'
document duplex -t 0.3 -i 0.1 --full-duplex -P 2
holds "duplex: adds up" "$tmp/duplex" "$adds_up"
holds "duplex: a sum each way and one of both" "$tmp/duplex" \
    '[.totals[] | select(.scope == "sum") | .direction] | sort ==
    ["both", "receive", "send"]'
holds "duplex: marks what comes back" "$tmp/duplex" \
    '[.totals[] | select(.scope == "stream") | [.direction, .reversed]] |
    sort | unique == [["both", false], ["receive", true], ["send", false]]'
holds "duplex: marks the sums of both ways" "$tmp/duplex" \
    '[.totals[] | .two_way == (.scope == "sum")] | all'
document dual -t 0.3 -i 0.1 -d
holds "dual: adds up" "$tmp/dual" "$adds_up"
holds "dual: one test, both directions" "$tmp/dual" \
    '[.totals[] | select(.scope == "stream") | [.test, .direction]] | sort ==
    [[1, "receive"], [1, "send"]]'
holds "dual: what it listened on" "$tmp/dual" \
    '.other_settings | length == 1 and .[0].role == "server" and
    .[0].ports.first > 0'
document tradeoff -t 0.3 -r
holds "tradeoff: a test each" "$tmp/tradeoff" \
    '[.totals[] | [.test, .direction]] == [[1, "send"], [2, "receive"]]'
document amount -n 1000001 -P 2 -Z cubic -N -S 0x20
holds "amount: exact" "$tmp/amount" \
    '.settings.amount_bytes == 1000001 and .settings.nodelay and
    .settings.duration_seconds == null and .settings.tos == 32 and
    .settings.congestion_control.requested == "cubic" and
    ([.totals[] | select(.scope == "stream") | .bytes] ==
    [1000001, 1000001])'
document detect -n 1000 -X
holds "-X: the server's version" "$tmp/detect" '.settings.peer_detect and
    (.connections[0].peer_version | test("^[0-9.]+$"))'
for protocol in "" -u; do
	# shellcheck disable=SC2086 # nothing if empty
	run 10 "$IPERF" --loopback $protocol --json -t 0.1 -R -w 64K
	printf '%s\n' "$out" >"$tmp/window"
	holds "-w -R $protocol: the receive buffer" "$tmp/window" \
	    '.settings.buffer | .requested_bytes == 65536 and
	    .actual_bytes >= .requested_bytes'
done
document sums -t 0.2 -P 2 --sum-only
holds "--sum-only: only sums" "$tmp/sums" \
    '(.intervals + .totals | all(.scope == "sum")) and .connections == []'
document left_out -t 0.2 -x SCD
holds "-x SCD: left out" "$tmp/left_out" \
    '(has("settings") | not) and .connections == [] and .totals == []'
document hidden -t 0.2 --hide-ips
unlike "--hide-ips: no address" "$out" '127\.0\.0'
document connects --connect-only=3
holds "connects: counted" "$tmp/connects" \
    '.connect_times == [.connect_times[0]] and
    .connect_times[0].attempts == 3 and .connect_times[0].failures == 0 and
    (.connections | length) == 3'
printf 'x' >"$tmp/$(printf 'odd\377name')"
document odd -F "$tmp/$(printf 'odd\377name')"
holds "a name that is not UTF-8" "$tmp/odd" \
    '(.settings.input_path | test("odd.name$")) and .totals[0].bytes > 0'

# warned NAME FILE FILTER: the messages of the filter are those on stderr.
warned()
{
	is "$1: status" "$status" 0
	is "$1: each warning, and in order" \
	    "$(jq -r "$3" "$2")" "$(printf '%s\n' "$err" | sed 's/^iperf: //')"
}

# What the command line is warned of is told on stderr, before the run.
document warnings -n 1000 -w 1000 -L 9 stray -T 9 -i 0.001 -1
warned "warnings" "$tmp/warnings" '.warnings[].message'
is "warnings: all are there" "$(printf '%s\n' "$err" | grep -c '^iperf: ')" 5
run 10 "$IPERF" -c 127.0.0.1 -p "$port" --json-stream -n 1000 -w 1000 -1
cp "$tmp/out" "$tmp/stream"
valid "warnings, stream" stream "$tmp/stream"
warned "warnings, stream" "$tmp/stream" \
    'select(.event == "warning") | .message'
run 5 "$IPERF" -s -p "$port" --json -w 1000 -F /no/such
cp "$tmp/out" "$tmp/stream"
valid "warnings, failed run" document "$tmp/stream"
is "warnings, failed run: all that stderr has" \
    "$(jq -r '(.warnings + .errors)[].message' "$tmp/stream")" \
    "$(printf '%s\n' "$err" | sed 's/^iperf: //')"

# The same to a file, and as a stream.
run 10 "$IPERF" -c 127.0.0.1 -p "$port" --json -t 0.2 -o "$tmp/file"
is "-o: stdout" "$out" "Results go to file $tmp/file"
valid "-o" document "$tmp/file"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" --json-stream -t 0.3 -i 0.1 -P 2
cp "$tmp/out" "$tmp/stream"
valid "stream" stream "$tmp/stream"
holds "stream: in order" "$tmp/stream" '[.[].event] | .[0:4] ==
    ["start", "settings", "connection", "connection"] and
    .[-4:] == ["total", "total", "total", "end"] and
    ([.[] | select(. == "interval")] | length) >= 6'

# Nothing is different for the bytes on the wire: text has the same amounts.
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 3M -f b
like "text: the same amount" "$out" ' 3145728 Bytes '
document again -n 3M
holds "document: the same amount" "$tmp/again" '.totals[0].bytes == 3145728'

stop_server INT
is "server: status" "$status" 0
valid "server" stream "$tmp/server"
holds "server: each client is a test" "$tmp/server" \
    '[.[] | select(.event == "total" and .direction == "receive" and
	.scope == "stream") | .test] | unique | length > 8'
holds "server: the end" "$tmp/server" \
    '.[-1] | .event == "end" and .reason == "interrupted" and
    .exit_status == 0'

# -1 and -t on a server; one document per run.
start_server --json -1 -P 1 -o "$tmp/server"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1M
wait_server 10
is "server -1 -P 1: status" "$status" 0
valid "server -1 -P 1" document "$tmp/server"
holds "server -1 -P 1: one total" "$tmp/server" \
    '[.totals[].bytes] == [1048576] and .end.reason == "completed" and
    .settings.single_client and .settings.role == "server"'
start_server --json -t 3 -o "$tmp/server"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1M
wait_server 10
is "server -t: status" "$status" 0
valid "server -t" document "$tmp/server"
holds "server -t: one total" "$tmp/server" '[.totals[].bytes] == [1048576]'

# With a permit key, which the server shows.
start_server --json --permit-key -o "$tmp/server"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" --permit-key=wrong-one -n 1000
is "a wrong key: status" "$status" 1
stop_server INT
valid "a wrong key" document "$tmp/server"
holds "a wrong key: refused" "$tmp/server" \
    '(.settings.permit_key | length) > 3 and .connections[0].refused and
    .settings.permit_life_seconds > 0 and
    (.warnings[0].message | test("wrong permit key"))'

run 20 "$IPERF" --loopback --json -t 0.2 --full-duplex
cp "$tmp/out" "$tmp/loopback"
valid "loopback" document "$tmp/loopback"
holds "loopback: its role" "$tmp/loopback" '.settings.role == "loopback"'
run 20 "$IPERF" --loopback -u --json -t 0.2 -i 0.1 -b 10m
cp "$tmp/out" "$tmp/loopback"
valid "loopback -u" document "$tmp/loopback"
holds "loopback -u: what arrived" "$tmp/loopback" \
    '.server_reports[0].packets > 0'

# The example of the manual page.
filter=$(sed -n "s/^    jq '\(.*\)'\$/\1/p" "$srcdir/man/iperf.1")
within "the manual's example: rate of the sum" \
    "$(jq "$filter" "$tmp/plain" | cut -d. -f1)" 1000000 10000000000000
is "README shows the same" \
    "$(sed -n "s/^        jq '\(.*\)'\$/\1/p" "$srcdir/README")" "$filter"

judge_valid
done_testing
