#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Ten million datagrams, ours at both ends, and then a hundred thousand through
# a bad path: no counter drifts. t/check_udp_recv does it without a network.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# A fast machine needs a third of a second, which is to have intervals.
datagrams=10000000
length=64

start_server -u -f b -i 0.05 || skip_all "the server does not start"
run 120 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -i 0.05 -b 0 -l "$length" \
    -n "$((datagrams * length))"
is "status, stderr" "$status $err" "0 "
like "sent" "$out" "Sent $datagrams datagrams\$"
client_port=$(client_ports)
sed '1,/Server Report/d' "$tmp/out" >"$tmp/report-rows"
told=$(udp_lines <"$tmp/report-rows" | awk '$1 == "row" { print $5, $6, $7 }')
# shellcheck disable=SC2086 # three words
set -- $told
is "the total is what was sent" "$3" "$datagrams"
is "what is not lost is there, to the byte" "$1" \
    "$(((datagrams - $2) * length))"
diag "lost: $2"
# shellcheck disable=SC2317 # called by wait_until
server_says_the_same()
{
	[ "$(counts "$client_port" <"$server_log")" = "$1" ]
}
ok "both ends agree" wait_until 5 server_says_the_same \
    "$1 bytes $2/$3 out-of-order 0"
is "intervals add up to it" "$(interval_faults <"$server_log")" ""
stop_server INT
is "the server ends well" "$status" 0

start_server -u -f b
through "a bad path" "drop=?20 dup=?20 hold=?20:3 seed=9" \
    -l "$length" -b 30000pps -n "$((100000 * length))"
agree counts 1
stop_server INT
done_testing
