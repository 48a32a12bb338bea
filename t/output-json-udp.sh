#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# UDP in JSON: losses, jitter, delays, histograms, the server's report.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/json.sh"

need_json
start_server -u --json -i 0.1 --histograms --jitter-histograms \
    -o "$tmp/server" ||
    skip_all "the server does not start"
document client -u -b 20m -t 0.5 -i 0.1 -P 2 --trip-times
is "client: status" "$status" 0
holds "client: settings" "$tmp/client" '.settings |
    .protocol == "udp" and .target_rate.bits_per_second == 20000000 and
    .length_bytes == 1470 and .trip_times and
    (.target_gap_seconds - 1470 * 8 / 20000000 | fabs) < 1e-9'
holds "client: packets" "$tmp/client" '[.totals[] |
    select(.scope == "stream")] | length == 2 and all(.direction == "send" and
    .packets > 700 and .bytes == .packets * 1470 and
    .packets_per_second > 1000)'
holds "client: intervals add up" "$tmp/client" '
    ([.intervals[] | select(.scope == "sum") | .packets] | add) ==
    ([.totals[] | select(.scope == "sum") | .packets] | add)'
# shellcheck disable=SC2016 # jq's variables
holds "client: the server's reports" "$tmp/client" '. as $d |
    .server_reports | length == 2 and all(.reported_by_peer and
    .direction == "receive" and . as $r | any($d.totals[];
    .stream == $r.stream and .packets == $r.total_packets))'
stop_server INT
valid "server" document "$tmp/server"
holds "server: what came" "$tmp/server" '[.totals[] |
    select(.scope == "stream")] | length == 2 and all(.total_packets > 700 and
    .packets + .lost_packets >= .total_packets and .lost_percent <= 100 and
    .jitter_seconds >= 0 and .jitter_seconds < 1)'
holds "server: delays" "$tmp/server" '[.totals[] |
    select(.scope == "stream") | .one_way_delay] |
    all(.count > 0 and .min_seconds <= .mean_seconds and
    .mean_seconds <= .max_seconds and .max_seconds < 5)'
holds "server: histograms" "$tmp/server" '[.totals[] |
    select(.scope == "stream") | .delay_histogram, .jitter_histogram] |
    length == 4 and all(.bin_seconds > 0 and
    ([.bins[].count] | add) + .below + .above == .count)'

# The other ways.
start_server -u --json -o "$tmp/server"
document reverse -u -R -b 5m -t 0.3
holds "reverse: received" "$tmp/reverse" '[.totals[] |
    [.direction, .reversed]] == [["receive", true]] and
    .totals[0].packets > 50'
document duplex -u --full-duplex -b 5m -t 0.3 -i 0.1 -S af11
holds "duplex: type of service" "$tmp/duplex" '[.connections[] |
    [.tos_received, .tos_sent]] == [[null, 40]]'
holds "duplex: both" "$tmp/duplex" '[.totals[] |
    select(.scope == "stream") | .direction] | sort ==
    ["both", "receive", "send"]'
document dual -u -d -b 5m -t 0.3
holds "dual: both, in one test" "$tmp/dual" '[.totals[] |
    select(.scope == "stream") | [.test, .direction]] | sort ==
    [[1, "receive"], [1, "send"]]'
stop_server INT
valid "server of both ways" document "$tmp/server"
holds "server: type of service" "$tmp/server" '[.connections[] |
    select(.full_duplex) | [.tos_received, .tos_sent]] == [[40, 40]]'

document nobody -u -b 1m -t 0.2
is "nobody there: status" "$status" 1
holds "nobody there: says so" "$tmp/nobody" \
    '.end.reason == "failed" and
    (.end.error | test("read failed: Connection refused"))'
judge_valid
done_testing
