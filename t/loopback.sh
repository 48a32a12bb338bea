#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --loopback: server and client in one process, one report.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# loopback STREAMS [ARG ...]: runs, ends well, and says what it is.
loopback()
{
	streams=$1
	shift
	run 10 "$IPERF" --loopback -P "$streams" "$@"
	is "$*: ends well" "$status $err" "0 "
	like "$*: says what it is" "$out" \
	    "^Loopback test: client and server in this process, $address TCP "
	is "$*: connections" \
	    "$(printf '%s\n' "$out" | grep -c ' connected with ')" "$streams"
}

address=127.0.0.1
loopback 4 -t 1 -i 0.5 -f b
found=$(printf '%s\n' "$out" | rows | awk -v streams=4 -v intervals=1 \
    -v step=0.01 -v slack=0 -v grouped=1 -f "$srcdir/t/invariants.awk")
is "it adds up" "$found" ""
like "the sum is the last line" "$(printf '%s\n' "$out" | tail -n 1)" \
    '^\[SUM\] 0\.00-1\.[0-9]+ sec '

loopback 3 -n 131073 -f b
is "-n: exact" "$(printf '%s\n' "$out" | rows | totals)" \
    "131073 131073 131073 "
loopback 1 -n 1 -f b
is "-n 1: exact" "$(printf '%s\n' "$out" | rows | totals)" "1 "
loopback 2 -t 0.2 -e
like "-e: columns" "$out" 'Write/Err  Rtry '
loopback 2 -t 0.2 -b 20m -l 1000 -f b
loopback 2 -n 1000 -C -f b
is "-C: exact" "$(printf '%s\n' "$out" | rows | totals)" "1000 1000 "

run 10 "$IPERF" --loopback -P 2 -t 0.2 -y C
is "-y C: ends well" "$status $err" "0 "
is "-y C: rows" "$(printf '%s\n' "$out" | awk -F, '{ print NF, $6 }')" "9 1
9 2
9 -1"

run 10 "$IPERF" --loopback --sum-only -P 2 -t 0.2
is "--sum-only: ends well" "$status $err" "0 "
is "--sum-only: one row" "$(printf '%s\n' "$out" | grep -c '/sec$')" 1

address=::1
loopback 2 -t 0.2 -V

run 10 "$IPERF" --loopback --connect-only=3
is "--connect-only: status" "$status $err" "0 "
like "--connect-only: connects, and no more" "$out" ' = 3/0$'

run 10 "$IPERF" --loopback -c 127.0.0.1
is "with -c: status" "$status" 1
like "with -c: says why" "$err" '^iperf: .*--loopback'
run 10 "$IPERF" --loopback -s
is "with -s: status" "$status" 1
like "with -s: says why" "$err" '^iperf: .*--loopback'

# A signal ends it with its totals.
# shellcheck disable=SC2317 # called by wait_until
started()
{
	grep -q '/sec$' "$tmp/report"
}
on_host timeout --foreground 20 "$IPERF" --loopback -t 15 -i 0.25 \
    >"$tmp/report" 2>&1 &
pid=$!
wait_until 8 started
kill -INT "$pid"
wait "$pid"
is "a signal: status" "$?" 0
like "a signal: the total" "$(tail -n 1 "$tmp/report")" \
    '^\[  1\] 0\.00-[0-9.]+ sec .*/sec$'
done_testing
