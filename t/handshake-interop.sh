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

# shellcheck disable=SC2317 # called by wait_until
since_mark_has()
{
	since_mark | grep -Eq "$1"
}

# -X: either end tells the other its version.
start_peer -f b || skip_all "the peer does not start"
for direction in "" -R --full-duplex; do
	# Version 2.1.8 may reset a short test of both directions.
	for try in 1 2 3 4; do
		# shellcheck disable=SC2086 # an argument or none
		client "$IPERF" -X -e -n 1M $direction
		case $direction/$err in
		--full-duplex/*reset*) diag "reset by the peer, try $try" ;;
		*) break ;;
		esac
	done
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

# Keys, right and wrong.
for direction in "" -R --full-duplex; do
	# A new one each time: version 2.1.8 may end when it refuses.
	start_peer -f b --permit-key=secret1 --permit-key-timeout 60 ||
	    fail "the peer starts"
	# shellcheck disable=SC2086 # the direction is an argument or none
	client "$IPERF" -n 1M --permit-key=secret1 $direction
	is "our client, the right key $direction" "$status" 0
	# shellcheck disable=SC2086
	client "$IPERF" -n 1M --permit-key=secret2 $direction
	is "our client, a wrong key $direction" "$status" 1
	like "our client, a wrong key $direction: says so" "$err" \
	    'it does not accept the permit key$'
	stop_server KILL
done
start_peer -f b --permit-key=secret1 --permit-key-timeout 60 ||
    fail "the peer starts"
client "$IPERF" -n 10M
is "our client, no key" "$status" 1
stop_server KILL
start_server -f b --permit-key=secret1 --permit-key-timeout 0 ||
    skip_all "the server does not start"
for direction in "" -R; do
	mark
	# shellcheck disable=SC2086
	client "$PEER" -n 1M --permit-key=secret1 $direction
	wait_until 5 since_mark_has '(.*1048576 Bytes|refused)'
	like "our server, the right key $direction" "$(since_mark)" \
	    '^\[secret1\([0-9]+\)\] 0\.00-.* 1048576 Bytes'
	mark
	# shellcheck disable=SC2086
	client "$PEER" -n 10M --permit-key=secret2 $direction
	wait_until 5 since_mark_has '^\[drop\]'
	like "our server, a wrong key $direction" "$(since_mark)" '^\[drop\]'
done
mark
client "$PEER" -n 10M
wait_until 5 since_mark_has '^\[drop\]'
like "our server, no key" "$(since_mark)" '^\[drop\]'
mark
client "$PEER" --bounceback=1
wait_until 5 since_mark_has '^\[drop\]'
like "our server, bounceback" "$(since_mark)" '^\[drop\]'
stop_server INT

done_testing
