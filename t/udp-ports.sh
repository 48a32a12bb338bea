#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# UDP, both ends ours: clients that use one port again and again, while the
# server still waits for copies of the last flow's final, and -P on the
# server.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/udp.sh"

# What each client sends: 100 datagrams.
flow="-u -f b -l 500 -n 50000 -b 20m"

# server_rows: how many flows the server has seen arrive in full.
server_rows()
{
	udp_lines <"$server_log" | grep -c '^row [0-9]* .* 50000 0 100 '
}

# shellcheck disable=SC2317 # called by wait_until
has_rows()
{
	[ "$(server_rows)" = "$1" ]
}

# again NAME COUNT: so many tests from one port, one right after the other.
again()
{
	source_port=$(free_port)
	n=0
	while [ "$n" -lt "$2" ]; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words on purpose
		run 15 "$IPERF" -c 127.0.0.1 -p "$port" \
		    -B "127.0.0.1:$source_port" $flow
		is "$1, test $n: status" "$status" 0
		is "$1, test $n: the server's report" \
		    "$(printf '%s\n' "$out" | counts "$source_port")" \
		    "50000 bytes 0/100 out-of-order 0"
	done
}

start_server -u -f b || skip_all "the server does not start"
again "one port" 4
wait_until 5 has_rows 4
is "one port: rows of the server" "$(server_rows)" 4
stop_server INT
is "one port: status of the server" "$status" 0

start_server -u -f b -P 3
again "-P 3 on the server" 3
wait_server 10
is "-P 3 on the server: its status" "$status" 0
is "-P 3 on the server: its rows" "$(server_rows)" 3

# The sockets close while the last datagrams still wait in them.
start_server -u -f b -P 2
# shellcheck disable=SC2086 # words on purpose
run 15 "$IPERF" -c 127.0.0.1 -p "$port" -P 2 $flow
is "-P 2 at both ends: status" "$status" 0
wait_server 10
is "-P 2 at both ends: status of the server" "$status" 0
is "-P 2 at both ends: rows of the server" "$(server_rows)" 2

done_testing
