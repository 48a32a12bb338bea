#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A link of 1 Mbit/s: intervals, ends and signals stay exact.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/hostile.sh"

DRAIN_MS=4000

# Spans of the interval rows but the last, which ends with the test.
spans()
{
	awk '$3 ~ /^[0-9.]+-[0-9.]+$/ { split($3, t, "-")
		print t[2] - t[1] }' "$client_log" | sed '$d'
}

# A client on the slow link, in the background.
start_slow()
{
	tap_host=$lab_a
	from_ms=$(now_ms)
	start_client -c 192.0.2.2 -p "$port" "$@"
	tap_host=
}

need_lab
need tc
lab_up slow rate=1mbit || skip_all 'no lab with a slow link'
start_server_on "$lab_b" -y C || skip_all 'the server does not start'

start_slow -t 2 -i 0.5 -f k
stop_client
took_ms=$(($(now_ms) - from_ms))
diag "-t 2 took $took_ms ms"
is 'status' "$status" 0
within 'ends in reasonable time' "$took_ms" 1900 $((2000 + DRAIN_MS))
spans | head -n 3 >"$tmp/spans"
is 'interval rows' "$(wc -l <"$tmp/spans")" 3
while read -r span; do
	within 'span of an interval' "$span" 0.45 0.55
done <"$tmp/spans"

start_slow -t 2 -y C
stop_client
is 'exact figures: status' "$status" 0
ok 'both ends have the same bytes' wait_until 20 same_bytes

start_slow -t 30 -y C -i 0.5
wait_until 10 [ -s "$client_log" ]
from_ms=$(now_ms)
stop_client INT
took_ms=$(($(now_ms) - from_ms))
diag "SIGINT took $took_ms ms"
is 'SIGINT: status' "$status" 0
within 'SIGINT: ends soon' "$took_ms" 0 $((1000 + DRAIN_MS))
ok 'SIGINT: both ends have the same bytes' wait_until 20 same_bytes

# All of it fits into the socket at once and takes 3 s to leave.
start_slow -n 400K -w 2M -y C
stop_client
is 'a large buffer is drained: status' "$status" 0
ok 'a large buffer is drained: same bytes' wait_until 5 same_bytes

stop_server
is 'the server ends well' "$status" 0

done_testing
