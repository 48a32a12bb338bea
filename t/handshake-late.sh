#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -X with a server whose answer comes after the two seconds for which it is
# awaited, whole or in part, or not at all: what counts is the payload.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/hostile.sh"

BYTES=20000

# shellcheck disable=SC2317 # called by wait_until
has_warned()
{
	grep -q 'did not answer the test header in 2 s' "$client_log"
}

# late NAME FIRST LENGTH COUNTED [ARG ...]
late()
{
	name=$1
	counted=$4
	start_answering "$2" "$3" "$BYTES"
	shift 4
	start_client -c 127.0.0.1 -p "$bad_port" -X -f b -n "$BYTES" "$@"
	ok "$name: told" wait_until 10 has_warned
	kill -USR1 "$bad_pid"
	stop_client
	is "$name: status, lines" \
	    "$status $(grep -c '^iperf: ' "$client_log")" "0 1"
	is "$name: the payload only" "$(grep '^\[ \*1\]' "$client_log" |
	    sed -n 's/.* \([0-9]*\) Bytes .*/\1/p')" "$counted"
	stop_bad
}

late "-R, late" 0 28 "$BYTES" -R
late "-R, in part" 1 28 "$BYTES" -R
late "-R, in part, with times" 30 52 "$BYTES" -R
late "-R, none" 0 0 "$BYTES" -R
late "--full-duplex, late" 0 28 "$BYTES" --full-duplex
late "--full-duplex, in part" 8 28 "$BYTES" --full-duplex
done_testing
