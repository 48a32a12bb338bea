#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Our client and an installed iperf 2 as a UDP server: what the
# client is told in the report is what the server prints, field by field.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_peer

# What the report says of more than was sent: ids of each stream, and bytes of
# all, as one stream may have been given what was another's.
excess()
{
	printf '%s\n' "$out" | awk '
	    /^\[ *[0-9]+\] Sent / { sent[$2 + 0] = $(NF - 1) }
	    /^\[ *[0-9]+\].* sec / && match($0, /[0-9]+ Bytes/) {
		bytes = substr($0, RSTART, RLENGTH) + 0
		if (!match($0, /[0-9]+ \([^)]*%\)/)) {
			ours += bytes
			next
		}
		theirs += bytes
		if (substr($0, RSTART, RLENGTH) + 0 != sent[$2 + 0])
			print "ids of", $2, "are not", sent[$2 + 0]
	    }
	    END {
		if (theirs > ours || theirs == 0)
			print theirs + 0, "bytes of", ours + 0
	    }'
}

# to_peer STREAMS LOST BYTES [ARG ...]: our client, a new server of the peer,
# which dies now and then.
to_peer()
{
	streams=$1
	lost=$2
	bytes=$3
	shift 3
	# shellcheck disable=SC2086 # words on purpose
	for try in 1 2 3 4; do
		start_peer -u -f b $server_options || break
		run 15 "$IPERF" -c "$host" -p "$port" -u -f b -P "$streams" "$@"
		alive "$server_pid" && break
		diag "the peer's server died, try $try"
	done
	judge "to 2: $host -P $streams $*" "$streams" "$lost" "$bytes"
	is "to 2: $host -P $streams $*: nothing from nowhere" "$(excess)" ""
	stop_server KILL 2>/dev/null
}

host=127.0.0.1
server_options='-l 65507'
interop to_peer start
to_peer 1 0 100000 -n 100000 -b 10m
to_peer 1 0 147000 -n 147000 -b 10m
to_peer 4 start any -n 100000 -b 10m
for l in 19 20 23 24 28 31 32 36 43; do
	to_peer 1 0 any -l "$l" -t 0.05 -b 1000pps
done
# back_bytes ARG ...: how much a server sends in half a second.
back_bytes()
{
	start_peer -u -f b
	run 15 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -R -t 0.5 "$@"
	printf '%s\n' "$out" | sed -n 's/^\[ \*1\].* \([0-9]*\) Bytes .*/\1/p'
	stop_server KILL 2>/dev/null
}

# It makes some 140 Mbit/s of a rate of 0.
limited=$(back_bytes -b 300m)
within "from 2: -R -b 0 is no less than -b 300m" "$(back_bytes -b 0)" \
    "${limited:-1}" 1e12
# A stream for each port of a range.
port=$(free_port)
while port_in_use "$((port + 1))"; do
	port=$(free_port)
done
range=$port-$((port + 1))
start "$PEER" -s -u -f b -p "$range"
if wait_until 10 server_ready && alive "$server_pid"; then
	run 15 "$IPERF" -c 127.0.0.1 -p "$range" -u -f b -t 0.2 -b 5m
	judge "to 2: -p FIRST-LAST" 2 start any
	like "to 2: -p FIRST-LAST: the last port" "$out" \
	    "with 127.0.0.1 port ${range#*-}"
else
	skip "to 2: -p FIRST-LAST" "the peer's server does not start"
fi
stop_server KILL 2>/dev/null
server_options='-e -l 65507'
to_peer 1 0 any -e -t 0.3 -b 5m
to_peer 1 0 any -e --trip-times -t 0.3 -b 5m
server_options=-V
host=::1
to_peer 1 0 any -V -t 0.2 -b 5m
to_peer 1 0 100000 -V -n 100000 -b 10m
to_peer 4 start any -V -t 0.2 -b 5m
done_testing
