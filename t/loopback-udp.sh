#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --loopback -u: server and client in one process; the server's report shows
# that all that was sent arrived.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

# loopback STREAMS [ARG ...]: runs, ends well, and says what it is.
loopback()
{
	streams=$1
	shift
	run 10 "$IPERF" --loopback -u -P "$streams" "$@"
	is "$*: ends well" "$status $err" "0 "
	like "$*: says what it is" "$out" \
	    "^Loopback test: client and server in this process, $address UDP "
	is "$*: connections" \
	    "$(printf '%s\n' "$out" | grep -c ' connected with ')" "$streams"
}

# arrived BYTES...: of each server report, when nothing is lost.
arrived()
{
	printf '%s\n' "$out" | udp_lines |
	    awk '$1 == "row" && $2 != "SUM" { print $5, $6 "/" $7 }'
}

# sent: what the client says that it sent, of each stream.
sent()
{
	printf '%s\n' "$out" |
	    sed -n 's/^\[ *[0-9]*\] Sent \([0-9]*\) datagrams$/0\/\1/p'
}

address=127.0.0.1
loopback 4 -t 0.5 -i 0.25 -b 10m -f b
is "each server report has what was sent" \
    "$(arrived | awk '{ print $2 }')" "$(sent)"
is "-i: rows of streams and sums" "$(printf '%s\n' "$out" |
    grep -c '^\[.* 0\.[0-9]*-0\.[0-9]* sec .*bits/sec$')" 15

loopback 2 -n 100000 -l 1000 -b 100m -f b
is "-n: exact" "$(arrived)" "100000 0/100
100000 0/100"
loopback 1 -n 10 -l 44 -b 1m -f b
loopback 1 -t 0.2 -b 200pps -e -f b
like "-e: columns" "$out" 'Write/Err  PPS'
like "-e: delays" "$out" 'Latency avg/min/max/stdev'
loopback 1 -n 20000 -l 100 -b 10m -C -f b
is "-C: exact" "$(arrived)" "20000 0/200"
loopback 1 -n 20000 -b 10m --no-udp-fin
is "--no-udp-fin: no report" "$(arrived)" ""

run 10 "$IPERF" --loopback -u -P 2 -n 5000 -l 500 -b 10m -y C
is "-y C: ends well" "$status $err" "0 "
is "-y C: rows" "$(printf '%s\n' "$out" |
    awk -F, '{ print NF, $6, $8, $12 }')" "9 1 5000 
9 2 5000 
9 -1 10000 
14 1 5000 10
14 2 5000 10
14 -1 10000 20"

run 10 "$IPERF" --loopback -u --max-flows-per-host 1 -P 3 -n 5000 -b 10m -f b
is "room for all streams" "$status $err $(arrived | grep -c ' 0/')" "0  3"

address=::1
loopback 2 -n 14500 -b 10m -V -f b
is "-V: length" "$(arrived)" "14500 0/10
14500 0/10"
done_testing
