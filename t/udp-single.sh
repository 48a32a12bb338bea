#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -U: a UDP server that serves one client at a time. The second waits, and
# its figures are those of its own test.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

# shellcheck disable=SC2317 # called by wait_until
has_connections()
{
	[ "$(grep -c ' connected with ' "$server_log")" -ge "$1" ]
}

# in_turn NAME PROGRAM BYTES: a client of ours, and a second one beside it,
# which is to send as much; an iperf 2 sends a datagram more.
in_turn()
{
	start_server -U -f b -i 0.1 || skip_all "the server does not start"
	on_host timeout 20 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -t 2 \
	    -b 2m >"$tmp/first" 2>&1 &
	first_pid=$!
	tap_servers="$tap_servers $first_pid"
	wait_until 10 has_connections 1
	run 20 "$2" -c 127.0.0.1 -p "$port" -u -n 30000 -l 1000 -b 2m
	is "$1: status of the second" "$status" 0
	wait "$first_pid"
	is "$1: status of the first" "$?" 0
	wait_until 10 has_connections 2
	stop_server INT
	is "$1: status of the server" "$status" 0
	like "$1: the banner tells" "$(cat "$server_log")" \
	    '^Server listening on UDP .*'
	like "$1: and what it is" "$(cat "$server_log")" \
	    '^Server set to single client traffic mode'
	within "$1: how far the first was when the second began" \
	    "$(udp_lines <"$server_log" | awk '
		$1 == "port" && $2 == 2 { exit }
		$1 == "row" && $4 > end { end = $4 }
		END { print end + 0 }')" 0.5 1000
	is "$1: all of the second arrived" "$(udp_lines <"$server_log" |
	    awk '$1 == "row" && $2 == 2 { bytes = $5; lost = $6 }
		END { print bytes, lost }')" "$3 0"
}

in_turn ours "$IPERF" 30000
case $("$PEER" --version 2>&1) in
"iperf version 2."[012].*) in_turn "iperf 2" "$PEER" 31000 ;;
*) skip "iperf 2" "no iperf 2 at $PEER" ;;
esac
done_testing
