#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What begins a flow at a UDP server and what does not: clients of all
# versions, other programs, leftovers of flows that have ended; and when the
# place of a flow is free again.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# Each client that was recorded begins a flow; those that want to be sent to
# are for other tests.
start_server -u -f b || skip_all "the server does not start"
grep ' c ' "$srcdir/t/data/wire/udp-datagrams.hex" |
    grep -v -e '^udp-[^ ]*R' -e '^udp-[dr]\.' -e '^udp-full' \
	-e '^legacy-udp-[dr]' >"$tmp/clients"
"$udp_peer" "$port" lines <"$tmp/clients" >"$tmp/out"
clients=$(wc -l <"$tmp/clients")
within "clients were recorded" "$clients" 70 100
wait_until 10 has_connections "$clients"
is "recorded clients begin flows" "$(connections)" "$clients"
stop_server INT
is "recorded clients: the server ends well" "$status" 0

start_server -u -f b
run 10 "$udp_peer" "$port" lines <"$srcdir/t/data/wire/udp-strangers.hex"
serves "other programs do not matter"
is "other programs begin none" "$(connections)" 1
stop_server INT

# Data and final that come again when nobody waits for them any more.
start_server -u -f b
wait_until 5 has_udp_rows "$server_log" 1 |
    timeout 20 "$udp_peer" "$port" late >"$tmp/out"
serves "leftovers do not matter"
is "leftovers begin no flow" "$(connections)" 2
stop_server INT
is "leftovers: rows" "$(udp_lines <"$server_log" | grep -c '^row')" 2

# A flow that has been reported gives its place to the next at once.
start_server -u -f b --max-flows 1
for n in 1 2 3; do
	serves "--max-flows 1, test $n"
done
stop_server INT
is "--max-flows 1: nothing is refused" \
    "$(connections) $(grep -c refused "$server_log")" "3 0"

# What the server has ended by its own -t does not begin again, and the client
# is told what was counted until then.
port=$(free_port)
run 5 "$IPERF" -s -u -D -t 0.3 -P 3 -f b -p "$port" -o "$tmp/daemon"
is "-t on a daemon: starts" "$status" 0
for process in /proc/[0-9]*; do
	if tr '\0' ' ' <"$process/cmdline" 2>/dev/null |
	    grep -q -e " -D .* -p $port "; then
		tap_servers="$tap_servers ${process#/proc/}"
	fi
done
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -t 1 -b 2m
is "-t on a daemon: the client" "$status $err" "0 "
client_port=$(client_ports)
told=$(counts "$client_port" <"$tmp/out")
is "-t on a daemon: what the client is told" "$told" \
    "$(counts "$client_port" <"$tmp/daemon")"
like "-t on a daemon: a part, without loss" "$told" \
    '^[1-9][0-9]* bytes 0/[1-9][0-9]* out-of-order 0$'
for n in 1 2; do
	serves "-t on a daemon: test $n after it"
done
# shellcheck disable=SC2317 # called by wait_until
port_is_free()
{
	! port_in_use "$port"
}
ok "-t on a daemon: ends after its flows" wait_until 5 port_is_free
is "-t on a daemon: three flows" \
    "$(udp_lines <"$tmp/daemon" | grep -c '^row')" 3

# A server that stands still loses what its queue does not hold, and says so.
start_server -u -f b -w 8K
kill -STOP "$server_pid"
"$udp_peer" "$port" flow 1-2000 >"$tmp/out" 2>&1 &
peer_pid=$!
tap_servers="$tap_servers $peer_pid"
# shellcheck disable=SC2317 # called by wait_until
drops_something()
{
	awk -v hex="$(printf ':%04X' "$port")" '
	    substr($2, length($2) - 4) == hex && $NF > 0 { found = 1 }
	    END { exit !found }' /proc/net/udp /proc/net/udp6
}
wait_until 5 drops_something
kill -CONT "$server_pid"
wait "$peer_pid"
is "a queue that is too small: the peer" "$?" 0
wait_until 5 has_udp_rows "$server_log" 1
stop_server INT
lost=$(udp_lines <"$server_log" | awk '$1 == "row" { print $6 }')
within "a queue that is too small: loss" "$lost" 100 2000
like "a queue that is too small: where" "$(cat "$server_log")" \
    " $lost datagrams lost in this host's receive queue\$"
done_testing
