#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --txstart-time with UDP: the first datagram comes at once, the others at the
# set time, from which both ends count; ours, and an installed iperf 2 in
# either role.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# seconds FILE: of the last row of a receiver.
seconds()
{
	udp_lines <"$1" | awk '$1 == "row" { s = $4 - $3 } END { print s }'
}

# shellcheck disable=SC2317 # called by wait_until
is_connected()
{
	grep -q ' connected with ' "$server_log"
}

# check NAME CLIENT: a test that starts in 2 to 3 seconds. The server must know
# of it before, and both must count from when it starts.
check()
{
	name=$1
	start=$(($(date +%s) + 3))
	"$2" -c 127.0.0.1 -p "$port" -u -f b -l 500 -b 400000 -t 0.5 \
	    --txstart-time "$start" >"$tmp/out" 2>"$tmp/err" &
	client_pid=$!
	tap_servers="$tap_servers $client_pid"
	ok "$name: the server hears of it" wait_until 3 is_connected
	not_ok "$name: before it starts" test "$(date +%s)" -gt "$start"
	wait_until 10 ended "$client_pid"
	wait "$client_pid"
	is "$name: status" "$?" 0
	wait_until 5 has_udp_rows "$server_log" 1
	within "$name: seconds at the server" "$(seconds "$server_log")" 0.4 1.5
	within "$name: seconds in its report" "$(seconds "$tmp/out")" 0.4 1.5
	like "$name: nothing is lost" "$(udp_lines <"$tmp/out")" \
	    '^row .* 0 5[0-9] [0-9.]*$'
}

start_server -u -f b || skip_all "the server does not start"
check "both ours" "$IPERF"
is "both ours: all of it" "$(counts "$(client_ports)" <"$server_log")" \
    "$(counts "$(client_ports)" <"$tmp/out")"
stop_server INT
is "both ours: the server ends well" "$status" 0

# A signal before the start ends it.
start_server -u -f b
on_host timeout 20 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -n 10000 \
    --txstart-time "$(($(date +%s) + 15))" >"$tmp/out" 2>"$tmp/err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
wait_until 5 is_connected
read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
kill -INT "$client_pid"
ok "a signal before the start ends it" wait_until 5 ended "$timeout_pid"
wait "$timeout_pid"
is "a signal before the start: status" "$?" 0
stop_server INT
is "a signal before the start: the server" "$status" 0
like "a signal before the start: what was sent" \
    "$(udp_lines <"$server_log")" '^row .* 0 2 '

case $("$PEER" --version 2>&1) in
"iperf version 2."[012].*)
	start_server -u -f b
	check "iperf 2 to ours" "$PEER"
	stop_server INT
	start_peer -u -f b
	check "ours to iperf 2" "$IPERF"
	stop_server KILL 2>/dev/null
	;;
*)
	skip "with an installed iperf 2" "none at $PEER"
	;;
esac
done_testing
