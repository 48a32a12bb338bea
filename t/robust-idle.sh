#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Who waits uses no processor.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

# Switches and ticks of a process.
usage()
{
	echo "$(switches "$1") switches, $(cpu_ticks "$1") ticks"
}

is_still()
{
	still_before=$(usage "$1")
	sleep 0.2
	[ "$(usage "$1")" = "$still_before" ]
}

# rests NAME PID: nothing happens for 1.5 s, once it has come to rest.
rests()
{
	if is_sanitized; then
		skip "$1" 'sanitizers have threads of their own'
		return
	fi
	wait_until 5 is_still "$2"
	rests_before=$(usage "$2")
	sleep 1.5
	is "$1" "$(usage "$2")" "$rests_before"
}

start_server --test-exchange-timeout 0 || skip_all 'the server does not start'
rests 'a server that waits' "$server_pid"
start_exact -t 0.5 -P 2
stop_client
bad close 5
rests 'a server after tests' "$server_pid"

timeout -k 2 20 "$bad_peer" 127.0.0.1 "$port" hold 5 15000 >"$tmp/held" &
held=$!
wait_until 10 grep -q '^connected' "$tmp/held"
rests 'a server with silent connections' "$server_pid"
kill "$held"
wait "$held" 2>/dev/null
stop_server
is 'it ends well' "$status" 0

start_server -u || skip_all 'the server does not start'
rests 'a UDP server that waits' "$server_pid"
for streams in 1 8; do
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -b 2m -t 0.3 -P "$streams"
	is "UDP, -P $streams: the client" "$status $err" '0 '
done
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -b 2m -t 0.3 -R
is 'UDP, -R: the client' "$status $err" '0 '
rests 'a UDP server after tests' "$server_pid"

# At a low rate the schedule costs next to nothing: 5 % of two seconds.
start_client -c 127.0.0.1 -p "$port" -u -b 1m -t 10
wait_until 5 grep -q 'connected with' "$client_log"
before=$(cpu_ticks "$client_pid")
sleep 2
is_sanitized || within 'a UDP client at 1 Mbit/s: ticks' \
    $(($(cpu_ticks "$client_pid") - before)) 0 10
stop_client INT
stop_server
is 'the UDP server ends well' "$status" 0

# A client that waits for its server looks at things now and then.
port=$(free_port)
start_client -c 127.0.0.1 -p "$port" -t 1 --connect-retry-time 5 \
    --connect-retry-timer 1
sleep 1
before=$(cpu_ticks "$client_pid")
sleep 1.5
within 'a client that waits for its server: ticks' \
    $(($(cpu_ticks "$client_pid") - before)) 0 15
stop_client INT

done_testing
