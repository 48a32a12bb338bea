#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How UDP tests end: nobody there, nobody answering, signals on either end,
# many flows at once.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

uptime_s()
{
	read -r up _ </proc/uptime
	echo "$up"
}

# timed SECONDS COMMAND [ARG ...]: as run; sets elapsed.
timed()
{
	began=$(uptime_s)
	run "$@"
	elapsed=$(echo "$(uptime_s) $began" | awk '{ print $1 - $2 }')
}

# Nobody there.
port=$(free_port)
timed 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -t 0.5
is "no server: status" "$status" 1
is "no server: one line" "$err" \
    "iperf: [  1] read failed: Connection refused"
within "no server: time" "$elapsed" 0.5 4
unlike "no server: no report" "$out" 'Server Report'
timed 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -t 0.5 --no-udp-fin
is "no server, --no-udp-fin" "$status $err" "0 "
within "no server, --no-udp-fin: time" "$elapsed" 0.5 2

# A hole in the wall.
"$udp_peer" 0 hole >"$tmp/hole" &
hole=$!
tap_servers="$tap_servers $hole"
wait_until 5 grep -q '^port' "$tmp/hole"
timed 10 "$IPERF" -c 127.0.0.1 -p "$(sed 's/port //' "$tmp/hole")" -u -t 0.5
is "silent server: status" "$status" 0
like "silent server: the warning" "$err" \
    '^\[  1\] WARNING: did not receive ack of last datagram after [0-9]+ tries'
is "silent server: one line" "$(printf '%s\n' "$err" | wc -l)" 1
within "silent server: time" "$elapsed" 2 5

timed 10 "$IPERF" -c 127.0.0.1 -p "$(sed 's/port //' "$tmp/hole")" -u -t 0.5 \
    --no-udp-fin
is "silent server, --no-udp-fin" "$status $err" "0 "
within "silent server, --no-udp-fin: time" "$elapsed" 0.5 2

# A signal ends the client's test; both ends have the totals.
start_server -u -f b -i 0.2
on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -t 20 -b 2m \
    -i 0.2 >"$tmp/out" 2>"$tmp/err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
wait_until 10 has_udp_rows "$server_log" 3
read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
kill -INT "$client_pid"
ok "SIGINT, client: ends" wait_until 5 ended "$timeout_pid"
wait "$timeout_pid"
is "SIGINT, client: status, stderr" "$? $(cat "$tmp/err")" \
    "0 iperf: interrupted: the totals are of the time until then"
client_port=$(sed -n 's/.* local .* port \([0-9]*\) conn.*/\1/p' "$tmp/out")
told=$(counts "$client_port" <"$tmp/out")
# shellcheck disable=SC2317 # called by wait_until
same_counts()
{
	[ "$(counts "$client_port" <"$server_log")" = "$told" ]
}
like "SIGINT, client: nothing is lost" "$told" \
    '^[1-9][0-9]* bytes 0/[1-9][0-9]* out-of-order 0$'
ok "SIGINT, client: both ends agree" wait_until 3 same_counts
is "SIGINT, client: intervals add up" "$(interval_faults <"$server_log")" ""

# And one of the server's.
on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -t 1.5 -b 2m \
    >"$tmp/out" 2>"$tmp/err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
wait_until 5 has_connections 2
lines=$(wc -l <"$server_log")
# shellcheck disable=SC2317 # called by wait_until
has_two_more_rows()
{
	tail -n "+$lines" "$server_log" >"$tmp/tail"
	has_udp_rows "$tmp/tail" 2
}
wait_until 5 has_two_more_rows
began=$(uptime_s)
stop_server INT
is "SIGINT, server: status" "$status" 0
within "SIGINT, server: time" \
    "$(echo "$(uptime_s) $began" | awk '{ print $1 - $2 }')" 0 3
is "SIGINT, server: adds up" \
    "$(tail -n "+$lines" "$server_log" | interval_faults)" ""
wait "$timeout_pid"
is "SIGINT, server: the client fails" "$?" 1
like "SIGINT, server: the client says why" "$(cat "$tmp/err")" \
    'Connection refused$'
like "SIGINT, server: the client's total" "$(cat "$tmp/out")" 'Sent [0-9]+ data'

# many STREAMS [ARG ...]: flows that begin and end together.
many()
{
	flows=$1
	shift
	start_server -u -f b
	run 30 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -P "$flows" -l 200 "$@"
	is "$flows flows: status, stderr" "$status $err" "0 "
	printf '%s\n' "$out" | udp_lines | awk '$1 == "row"' >"$tmp/reports"
	is "$flows flows: reports" "$(wc -l <"$tmp/reports")" "$flows"
	is "$flows flows: lossless ones" \
	    "$(awk '$6 == 0 && $7 > 0' "$tmp/reports" | wc -l)" "$flows"
	stop_server INT
	is "$flows flows: the server's count" "$(connections) $status" \
	    "$flows 0"
	unlike "$flows flows: none of them runs when they have been reported" \
	    "$(cat "$server_log")" 'ending the running tests'
}

many 200 -b 50pps -t 1
many 500 -b 20pps -n 1000
done_testing
