#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The lines of client and server as people and programs know them from
# iperf 2.

. "${srcdir:-.}/t/tap.sh"

rule=------------------------------------------------------------
number='[0-9]+(\.[0-9]+)?'
time='[0-9]+\.[0-9][0-9]-[0-9]+\.[0-9][0-9] sec'
amount="[0-9. ]{4,} [KMGT]?Bytes"
rate="[0-9. ]{4,} [KMGT]?bits/sec"
address='127\.0\.0\.1 port [0-9]+'

client()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" "$@"
}

# line N: of the latest run.
line()
{
	printf '%s\n' "$out" | sed -n "$1p"
}

# shellcheck disable=SC2317 # called by wait_until
server_told()
{
	grep -q '/sec$' "$server_log"
}

# shellcheck disable=SC2317 # called by wait_until
banner_is_out()
{
	[ "$(wc -l <"$server_log")" -ge 4 ]
}

start_server || skip_all "the server does not start"
wait_until 5 banner_is_out
is "server: banner" "$(sed -n '1,2p' "$server_log")" "$rule
Server listening on TCP port $port"
like "server: window" "$(sed -n 3p "$server_log")" \
    "^TCP window size: *$number [KM]?Byte \(default\)$"
is "server: banner ends" "$(sed -n '4,$p' "$server_log")" "$rule"

client -t 0.5 -i 0.2
is "client: status" "$status $err" "0 "
is "client: banner" "$(line 1,2)" "$rule
Client connecting to 127.0.0.1, TCP port $port"
like "client: window" "$(line 3)" \
    "^TCP window size: *$number [KM]?Byte \(default\)$"
is "client: banner ends" "$(line 4)" "$rule"
like "client: connection" "$(line 5)" \
    "^\[  1\] local $address connected with $address$"
is "client: header" "$(line 6)" \
    '[ ID] Interval       Transfer     Bandwidth'
like "client: intervals" "$(line 7)" "^\[  1\] $time  $amount  $rate$"
like "client: the first interval" "$(line 7)" '^\[  1\] 0\.00-0\.2'
like "client: the total" "$(line '$')" '^\[  1\] 0\.00-0\.[5-9]'
wait_until 5 server_told
like "server: connection" "$(cat "$server_log")" \
    "^\[  1\] local 127\.0\.0\.1 port $port connected with $address$"
like "server: the total" "$(tail -n 1 "$server_log")" \
    "^\[  1\] 0\.00-0\.[4-9][0-9] sec  $amount  $rate$"

# What programs take from a line: fields 5 to 8.
like "fields 5 to 8" "$(line '$' | awk '{ print $5, $6, $7, $8 }')" \
    "^$number [KMG]Bytes $number [KMG]bits/sec$"

client -t 0.1 -i 0.05
like "four decimals below a tenth" "$out" \
    '^\[  1\] 0\.0[0-9]{3}-0\.[01][0-9]{3} sec '

client -t 0.3 -i 0.1 -P 3
is "-P: connections before figures" \
    "$(printf '%s\n' "$out" | sed -n '5,7p' | grep -c ' connected with ')" 3
is "-P: one header" \
    "$(printf '%s\n' "$out" | grep -c '^\[ ID\] Interval')" 1
is "-P: rows in order of their numbers, then [SUM]" \
    "$(printf '%s\n' "$out" | grep '/sec$' | head -n 4 | cut -c 1-5 |
    tr '\n' ' ')" "[  1] [  2] [  3] [SUM] "
like "-P: the last line" "$(line '$')" "^\[SUM\] $time  $amount  $rate$"

client -t 0.2 -P 3 --sum-only
like "--sum-only: header" "$out" \
    '^\[SUM-cnt\] Interval       Transfer     Bandwidth$'
like "--sum-only: [SUM-3]" "$(line '$')" "^\[SUM-3\] $time  $amount  $rate$"
unlike "--sum-only: no line of a stream" "$out" '^\[ +[0-9]+\]'

client -t 0.2 -e
like "-e: banner" "$(line 2)" \
    "^Client connecting to 127\.0\.0\.1, TCP port $port with pid [0-9]+ "
like "-e: write buffer" "$out" '^Write buffer size: 131072 Byte'
like "-e: window" "$out" '^TCP window size: '
like "-e: connection" "$out" \
    "^\[  1\] local 127\.0\.0\.1%lo port [0-9]+ connected with $address "
like "-e: connect time and date" "$out" \
    '\(ct= *[0-9.]+ ms\) on [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ \(UTC\)$'
like "-e: header" "$out" \
    '^\[ ID\] Interval {8}Transfer    Bandwidth       Write/Err  Rtry '
like "-e: header for programs" "$out" 'Write/Err  Rtry     Cwnd/RTT.* NetPwr$'
like "-e: row" "$(line '$')" \
    "^\[  1\] $time  $amount  $rate  [0-9]+/0 +[0-9]+ +[0-9]+K/[0-9]+"
stop_server INT

if start_server -e; then
	client -t 0.2
	wait_until 5 grep -q '/sec .*=' "$server_log"
	stop_server INT
	told=$(cat "$server_log")
	like "server -e: banner" "$told" \
	    "^Server listening on TCP port $port with pid $server_pid$"
	like "server -e: read buffer" "$told" \
	    '^Read buffer size:.*\(Dist bin width='
	like "server -e: header" "$told" \
	    '^\[ ID\] Interval {8}Transfer    Bandwidth       Reads=Dist$'
	like "server -e: row" "$told" \
	    "^\[  1\] $time  $amount  $rate  [0-9]+=[0-9]+(:[0-9]+){7}$"
fi
done_testing
