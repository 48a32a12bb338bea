#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The cable is cut in mid-test. IPERF_LONG=1: the server's probes find out.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/hostile.sh"

KEEPALIVE_S=30
LATE_MS=500
if is_sanitized; then
	LATE_MS=3000
fi

has_rows()
{
	[ "$(grep -c 'sec' "$client_log")" -ge 2 ]
}

need_lab
lab_up cut || skip_all 'no lab'
start_server_on "$lab_b" || skip_all 'the server does not start'
files=$(open_files "$server_pid")

tap_host=$lab_a
from_ms=$(now_ms)
start_client -c 192.0.2.2 -p "$port" -t 3 -i 0.25 -P 2
tap_host=
wait_until 5 has_rows
ip -n "$lab_b" link set dev eth0 down
cut_ms=$(now_ms)
stop_client
took_ms=$(($(now_ms) - from_ms))
diag "cut after $((cut_ms - from_ms)) ms, ended after $took_ms ms"
is 'cut in mid-test: status' "$status" 1
within 'cut in mid-test: ends in time' "$took_ms" 2900 $((3000 + LATE_MS))
like 'cut in mid-test: says so' "$(cat "$client_log")" \
    '^iperf: \[ *1\] .*(stalled|write failed)'
like 'cut in mid-test: totals' "$(cat "$client_log")" '^\[SUM\] 0\.00-[3-9]'

if [ -n "${IPERF_LONG:-}" ]; then
	ip -n "$lab_b" link set dev eth0 up
	ip -n "$lab_a" link set dev eth0 down
	gone()
	{
		[ "$(open_files "$server_pid")" -le "$files" ]
	}
	ok 'the server drops the vanished client' \
	    wait_until $((KEEPALIVE_S + 15)) gone
else
	skip 'the server drops the vanished client' 'IPERF_LONG is not set'
fi
stop_server
is 'the server ends well' "$status" 0

done_testing
