#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What went wrong in the field with UDP: percentages that are no quotients,
# rates of datagrams that are not those of the row, many streams that lose
# their reports, -b 0 and -t 0.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# percent_faults FILE: rows in which the percentage is not that of the counts.
percent_faults()
{
	sed -n 's/.* \([0-9]*\)\/ *\([0-9]*\) (\([0-9.e+-]*\)%).*/\1 \2 \3/p' \
	    "$1" >"$tmp/percents"
	[ -s "$tmp/percents" ] || echo "no rows"
	awk '{
		is = $2 > 0 ? 100 * $1 / $2 : 0
		off = is - $3
		if (off < 0)
			off = -off
		if (off > (is < 10 ? 0.06 : 0.6))
			print $0, is
	}' "$tmp/percents"
}

start_server -u -f b -i 0.1 || skip_all "the server does not start"
for drop in 3 40 300 990; do
	through "loss of $drop per mille" "drop=?$drop seed=$drop" -t 0.4 -b 4m
	agree counts 1
	is "loss of $drop per mille: percentages of the client" \
	    "$(percent_faults "$tmp/out")" ""
done
stop_server INT
is "percentages of the server" "$(percent_faults "$server_log")" ""

# Datagrams per second are those of the row, at either end.
start_server -u -e -f b -i 0.25
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -e -f b -b 20m -i 0.25 -t 1
stop_server INT
# rate_faults FILE: rows with another rate than datagrams in their time; as
# times are printed in hundredths, the row can be so much longer.
rate_faults()
{
	sed -n 's/^\[ *[0-9]*\] *\([0-9.]*\)- *\([0-9.]*\) sec  *\([0-9]*\) '\
'Bytes .* \([0-9]*\) pps.*/\1 \2 \3 \4/p' "$1" >"$tmp/rates"
	[ "$(wc -l <"$tmp/rates")" -ge 4 ] || echo "no rows"
	awk '{
		n = $3 / 1470
		t = $2 - $1
		if (t <= 0.02)
			next
		if ($4 < n / (t + 0.011) - 2 || $4 > n / (t - 0.011) + 2)
			print
	}' "$tmp/rates"
}
is "datagrams per second, server" "$(rate_faults "$server_log")" ""
is "datagrams per second, client" "$(rate_faults "$tmp/out")" ""

# Each of a hundred streams has its report, and all of its datagrams.
start_server -u -f b
run 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -P 100 -b 1m -t 1
is "100 streams: status, stderr" "$status $err" "0 "
sed -n '/Server Report/,$p' "$tmp/out" | udp_lines |
    awk '$1 == "row" && $2 != "SUM" && $6 == 0' >"$tmp/reports"
is "100 streams: reports without loss" "$(wc -l <"$tmp/reports")" 100

# No limit, in both spellings; what is sent arrives or is counted as lost.
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -b 0 -P 2 -t 0.2
is "-b 0, two streams: status, and what they sent" \
    "$status $(grep -c '^\[ *[0-9]*\] Sent ' "$tmp/out")" "0 2"
is "-b 0, two streams: each is counted as it was sent" \
    "$(sed -n 's/^\[ *[0-9]*\] Sent \([0-9]*\) datagrams/\1/p' "$tmp/out" |
    sort -n)" \
    "$(udp_lines <"$tmp/out" | awk '$1 == "row" && $2 != "SUM" && $7 > 999 {
	print $7 }' | sort -n)"
for b in 0 0pps; do
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -b "$b" -t 0.2
	is "-b $b: status" "$status" 0
	like "-b $b: sends" "$out" 'Sent [0-9]{4,} datagrams'
	sent=$(sed -n 's/.* Sent \([0-9]*\) datagrams/\1/p' "$tmp/out")
	is "-b $b: the total is what was sent" \
	    "$(counts "$(client_ports)" <"$tmp/out" | sed 's/.*\///;s/ .*//')" \
	    "$sent"
done
stop_server INT
is "the server ends well" "$status" 0

# Tests that are over before they have begun, in every direction.
start_server -u -f b
for way in "" -R --full-duplex -d -r; do
	for short in "-t 0.001 -P 8" "-n 1" "-n 100 -P 3"; do
		# shellcheck disable=SC2086 # words on purpose
		run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b $short $way
		is "$short $way: ends well" "$status $err" "0 "
		unlike "$short $way: figures" "$out" '[0-9. ](inf|-?nan)'
	done
done
stop_server INT

# Until it is stopped.
start_server -u -f b -i 0.2
on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -b 2m -t 0 \
    >"$tmp/out" 2>"$tmp/err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
wait_until 10 has_udp_rows "$server_log" 4
read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
kill -INT "$client_pid"
ok "-t 0: ends when it is stopped" wait_until 5 ended "$timeout_pid"
wait "$timeout_pid"
is "-t 0: status, no mark that it was stopped" "$? $(cat "$tmp/err")" \
    "0 iperf: no time limit: the test runs until it is interrupted"
like "-t 0: all arrived" "$(counts "$(client_ports)" <"$tmp/out")" \
    '^[1-9][0-9]* bytes 0/[1-9][0-9]* out-of-order 0$'
stop_server INT
is "-t 0: the server's intervals add up" \
    "$(interval_faults <"$server_log")" ""

# The same towards the client.
for way in -R --full-duplex; do
	start_server -u -f b
	on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -b 2m \
	    -t 0 -i 0.2 "$way" >"$tmp/out" 2>"$tmp/err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
	wait_until 10 has_udp_rows "$tmp/out" 4
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	kill -INT "$client_pid"
	ok "-t 0 $way: ends when it is stopped" wait_until 5 ended \
	    "$timeout_pid"
	wait "$timeout_pid"
	is "-t 0 $way: status, no mark that it was stopped" \
	    "$? $(cat "$tmp/err")" \
	    "0 iperf: no time limit: the test runs until it is interrupted"
	is "-t 0 $way: intervals add up" "$(interval_faults <"$tmp/out")" ""
	stop_server INT
	is "-t 0 $way: the server ends well" "$status" 0
done
done_testing
