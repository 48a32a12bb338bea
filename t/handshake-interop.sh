#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What client and server agree on before data flow, with an installed iperf 2
# at the other end.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

need_peer

# client PROGRAM [ARG ...]: one test with the latest server.
client()
{
	program=$1
	shift
	run 10 "$program" -c 127.0.0.1 -p "$port" -f b "$@"
}

# -X: either end tells the other its version.
start_peer -f b || skip_all "the peer does not start"
for direction in "" -R --full-duplex; do
	# shellcheck disable=SC2086 # the direction is an argument or none
	client "$IPERF" -X -e -n 1M $direction
	is "our client, -X $direction" "$status $err" "0 "
	like "our client, -X $direction: the version" "$out" \
	    '\(peer 2\.[0-9.]+\)'
done
stop_server INT
start_server -f b -e || skip_all "the server does not start"
for direction in "" -R; do
	mark
	# shellcheck disable=SC2086 # the direction is an argument or none
	client "$PEER" -X -n 1M $direction
	wait_until 5 server_told 1
	is "our server, -X $direction" \
	    "$status $(since_mark | rows | totals)" "0 1048576 "
done
stop_server INT

done_testing
