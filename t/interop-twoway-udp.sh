#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -R, --full-duplex, -d and -r over UDP between us and an installed iperf 2,
# which is once the server and once the client. They are on two hosts: on one,
# version 2.1.8 cannot listen for a connection back, and its server calls
# itself.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

need_peer
need_lab
lab_up twoway rate=200mbit || skip_all "no pair of hosts"

# serve PROGRAM: on the second host.
serve()
{
	server_program=$1
	tap_host=$lab_b
	start_program "$server_program" -u -f b
	tap_result=$?
	tap_host=
	return "$tap_result"
}

# failed: the peer crashed or hung, as version 2.1.8 does now and then when a
# group of short streams ends; there is a new server to try again.
failures=0
failed()
{
	alive "$server_pid" && [ "$status" -ne 124 ] &&
	    [ "$status" -ne 137 ] &&
	    [ "$status" -ne 139 ] && [ "$status" -ne 134 ] && return 1
	failures=$((failures + 1))
	diag "the peer failed ($failures), client status $status"
	[ "$failures" -le 6 ] || return 1
	if alive "$server_pid"; then
		tap_host=$lab_b
		stop_server INT
		tap_host=
	fi
	serve "$server_program"
}

# shellcheck disable=SC2317 # called by wait_until
server_told_or_died()
{
	server_told "$1" || ! alive "$server_pid"
}

# both PROGRAM DIRECTIONS STREAMS BYTES [ARG ...]: one test of a client on the
# first host; BYTES may be "any".
both()
{
	program=$1
	flows=$(($2 * $3))
	streams=$3
	bytes=$4
	shift 4
	[ "$bytes" != any ] || bytes=
	while :; do
		mark
		run_on "$lab_a" 15 "$program" -u -c 192.0.2.2 -p "$port" -f b \
		    -P "$streams" "$@"
		wait_until 5 server_told_or_died "$flows"
		failed || break
	done
	same_totals "$who -P $streams $*" "$flows" "$bytes"
}

for who in "our client" "our server"; do
	client=$IPERF
	server=$PEER
	[ "$who" = "our client" ] || { client=$PEER; server=$IPERF; }
	serve "$server" || skip_all "the server does not start"
	for streams in 1 4; do
		# Its server mixes up flows that start at once, or crashes.
		[ "$who $streams" != "our client 4" ] || continue
		both "$client" 1 "$streams" any -R -n 100000 -b 10m
		both "$client" 1 "$streams" any -R -t 0.3 -b 10m
		both "$client" 2 "$streams" any --full-duplex -n 100000 -b 10m
		both "$client" 2 "$streams" any --full-duplex -t 0.3 -b 10m
		both "$client" 2 "$streams" any -d -n 100000 -b 10m
		both "$client" 2 "$streams" any -d -t 0.3 -b 10m
		both "$client" 2 "$streams" any -r -n 100000 -b 10m
		both "$client" 2 "$streams" any -r -t 0.3 -b 10m
	done
	both "$client" 1 1 any -R -t 0.5 -b 4m -l 1000
	within "$who: rate and length of -R" \
	    "$(printf '%s\n' "$out" | rows | tail -n 1 | cut -d' ' -f5)" \
	    1000000 4800000
	both "$client" 2 1 any -d -t 0.5 -b 4m
	within "$who: the rate both ways" "$(printf '%s\n' "$out" |
	    rows | awk '$1 !~ /SUM/ && ($5 < 1e6 || $5 > 5e6)' | wc -l)" \
	    0 0
	tap_host=$lab_b
	stop_server INT
	tap_host=
done
done_testing
