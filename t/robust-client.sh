#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A client against servers that stall, close or reset.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

# A blocked sender is to end within 100 ms of -t; the rest is for starting
# the program on a busy machine.
LATE_MS=1000
if is_sanitized; then
	LATE_MS=3000
fi

# timed SECONDS ARG ...: runs a client against the bad server; sets took_ms.
timed()
{
	timed_from=$(now_ms)
	run "$@"
	took_ms=$(($(now_ms) - timed_from))
}

# stalled NAME STREAMS
stalled()
{
	timed 10 "$IPERF" -c 127.0.0.1 -p "$bad_port" -t 1 -P "$2"
	diag "$1, -P $2: ended after $took_ms ms"
	within "$1, -P $2: ends in time" "$took_ms" 900 $((1000 + LATE_MS))
	like "$1, -P $2: says so" "$err" '^iperf: .*peer stalled'
	is "$1, -P $2: status" "$status" 1
	like "$1, -P $2: totals" "$out" '^\[  1\] 0\.00-'
}

for streams in 1 3 16; do
	start_bad stall 0 -1
	stalled 'stalled from the start' "$streams"
	stop_bad
	start_bad stall -1 800
	stalled 'stalled near the end' "$streams"
	stop_bad
done

for end in close reset; do
	start_bad "$end" 0 -1
	timed 10 "$IPERF" -c 127.0.0.1 -p "$bad_port" -t 5
	is "$end at once: status" "$status" 1
	like "$end at once: says why" "$err" '^iperf: \[ *1\] .*(reset|pipe)'
	within "$end at once: does not wait for -t" "$took_ms" 0 3000
	stop_bad

	start_bad "$end" 5000000 -1
	timed 10 "$IPERF" -c 127.0.0.1 -p "$bad_port" -t 5 -P 3
	is "$end in mid-test: status" "$status" 1
	like "$end in mid-test: says why" "$err" \
	    '^iperf: \[ *1\] .*(reset|pipe)'
	like "$end in mid-test: totals" "$out" '^\[SUM\] 0\.00-.*MBytes'
	within "$end in mid-test: does not wait for -t" "$took_ms" 0 3000
	stop_bad
done

# A stalled server does not hold up a signal.
start_bad stall 0 -1
port=$bad_port
start_exact -t 30
from_ms=$(now_ms)
stop_client INT
took_ms=$(($(now_ms) - from_ms))
within 'SIGINT with a stalled peer: ends soon' "$took_ms" 0 \
    $((LATE_MS + 500))
like 'SIGINT with a stalled peer: says so' "$(cat "$client_log")" \
    'peer stalled'
stop_bad

done_testing
