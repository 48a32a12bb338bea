#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Datagrams of each length in which a header is cut somewhere, or just fits:
# all of them arrive, with every byte, in both directions.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

# wrong ARG ...: the lengths with which the latest server's count, or that of
# what comes back, is not 1000 bytes, or those that the last id needs more.
wrong()
{
	length=16
	while [ "$length" -le 180 ]; do
		run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -b 5000pps \
		    -l "$length" -n 1000 "$@"
		told=$(printf '%s\n' "$out" | udp_lines | awk '
		    $1 == "row" && $5 >= 1000 && $5 <= 1015 && $6 == 0 {
			print $7
		    }')
		sent=$(sed -n 's/.* Sent \([0-9]*\) datagrams/\1/p' "$tmp/out")
		[ "$status $err${told:-none}" = \
		    "0 ${sent:-$(((1000 + length - 1) / length))}" ] ||
		    printf '%s\n' "$length: $status $err$told, sent $sent"
		length=$((length + 1))
	done
}

start_server -u -f b || skip_all "the server does not start"
is "lengths, there" "$(wrong)" ""
is "lengths, there, with trip times" "$(wrong --trip-times)" ""
is "lengths, back" "$(wrong -R)" ""
is "each was a test" "$(grep -c ' connected with ' "$server_log")" \
    "$((3 * (180 - 16 + 1)))"
stop_server INT
is "the server ends well" "$status" 0
done_testing
