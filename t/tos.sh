#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What connection lines say of the type of service: a receiver has it from the
# packets, not from what the client says; a sender knows what it sends.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/udp.sh"

af11=0x28,dscp=10,ecn=0
ef=0xb8,dscp=46,ecn=0
none=0x0,dscp=0,ecn=0

# What each connection line of a report has, one after the other.
tos()
{
	sed -n 's/.* connected with .*(tos \([^)]*\)).*/\1/p' | paste -sd ' ' -
}

# Whether the server has as many connection lines; for wait_until.
# shellcheck disable=SC2317 # called by wait_until
has_connected()
{
	[ "$(since_mark | grep -c ' connected with ')" -ge "$1" ]
}

# shows NAME CONNECTIONS SERVER CLIENT [ARG ...]: what both ends show.
shows()
{
	name=$1
	connections=$2
	server=$3
	client=$4
	shift 4
	mark
	run 15 "$IPERF" -p "$port" -e -n 20K "$@"
	is "$name: the client ends well" "$status $err" "0 "
	wait_until 5 has_connected "$connections"
	is "$name: the server" "$(since_mark | tos)" "$server"
	is "$name: the client" "$(printf '%s\n' "$out" | tos)" "$client"
}

# shellcheck disable=SC2086 # options or none
for udp in "" "-u -b 10m"; do
	what=${udp:+UDP, }
	start_server -e ${udp:+-u} || skip_all "the server does not start"
	for host in 127.0.0.1 ::1; do
		if [ "$host" = ::1 ] && ! grep -q . /proc/net/if_inet6; then
			skip "${what}IPv6" "no IPv6"
			continue
		fi
		set -- $udp -c "$host"
		shows "$what$host" 1 "rx=$af11" "tx=$af11" "$@" -S af11
		shows "$what$host, none" 1 "" "" "$@"
		shows "$what$host, -R" 1 "tx=$ef" "" "$@" -S ef -R
		shows "$what$host, --full-duplex" 1 "rx/tx=$ef/$ef" "tx=$ef" \
		    "$@" -S ef --full-duplex
		shows "$what$host, -r" 2 "rx=$af11 tx=$af11" \
		    "tx=$af11 rx=$af11" "$@" -S af11 -r
	done
	stop_server INT

	set -- $udp -c 127.0.0.1
	start_server -e ${udp:+-u} -S ef
	shows "${what}server -S" 1 "rx/tx=$af11/$ef" "tx=$af11" "$@" \
	    -S af11 --full-duplex
	shows "${what}server -S only" 1 "rx/tx=$none/$ef" "" "$@" --full-duplex
	shows "${what}server -S, forward" 1 "" "" "$@"
	stop_server INT
	start_server -e ${udp:+-u} --tos-override 0
	shows "${what}--tos-override 0" 1 "rx/tx=$af11/$none" "tx=$af11" "$@" \
	    -S af11 --full-duplex
	stop_server INT
done

# A port that is used again soon: the server has it from the flow's own socket.
start_server -u -e
from=127.0.0.1:$(free_port)
shows "first flow of a port" 1 "rx=$af11" "tx=$af11" \
    -u -c 127.0.0.1 -B "$from" -S af11
shows "second flow of a port" 1 "rx=$ef" "tx=$ef" \
    -u -c 127.0.0.1 -B "$from" -S ef

# On the way it is lost, but the server is asked for it all the same.
if [ -x "$relay_program" ] && start_relay; then
	mark
	run 15 "$IPERF" -u -c 127.0.0.1 -p "$relay_port" -e -n 20K -b 10m \
	    -S af11 --full-duplex
	wait_until 5 has_connected 1
	is "lost on the way: the server" "$(since_mark | tos)" \
	    "rx/tx=$none/$af11"
	stop_relay
else
	skip "lost on the way" "no t/relay"
fi
stop_server INT
is "the server ends well" "$status" 0

done_testing
