#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Both ends ours: what a client and its server agree on, or not, before any
# data flows.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# client SECONDS [ARG ...]: one test with the latest server.
client()
{
	seconds=$1
	shift
	run "$seconds" "$IPERF" -c 127.0.0.1 -p "$port" -f b "$@"
}

# told TEXT: the server has said so; for wait_until.
# shellcheck disable=SC2317 # called by wait_until
told()
{
	grep -q "$1" "$server_log"
}

start_server -f b --no-reverse || skip_all "the server does not start"
for direction in -R --full-duplex -d -r; do
	mark
	client 15 "$direction" -n 100K
	is "--no-reverse refuses $direction" "$status" 1
	wait_until 5 told no-reverse
	is "--no-reverse, $direction: one line says so" \
	    "$(since_mark | grep -c 'refused: .* --no-reverse forbids$')" 1
done
ours 1 102400 -n 100K
stop_server INT
is "the server ends well" "$status" 0

done_testing
