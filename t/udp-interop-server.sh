#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# An installed iperf 2 as a UDP client of our server: what the
# client is told in the report is what the server prints, field by field.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_peer

# from_peer STREAMS LOST BYTES [ARG ...]: the peer's client, our server.
from_peer()
{
	streams=$1
	lost=$2
	bytes=$3
	shift 3
	run 15 "$PEER" -c "$host" -p "$port" -u -f b -P "$streams" "$@"
	judge "from 2: $host -P $streams $*" "$streams" "$lost" "$bytes"
}

start_server -u -f b || skip_all "the server does not start"
host=127.0.0.1
interop from_peer 0
from_peer 1 0 any -n 100000 -b 10m
from_peer 4 0 any -n 100000 -b 10m
host=::1
from_peer 1 0 any -V -t 0.2 -b 5m
from_peer 4 0 any -V -t 0.2 -b 5m
stop_server INT
is "our server ends well" "$status" 0
# Sizes that are not the server's, and all that have no room for a header.
start_server -u -f b -l 100
host=127.0.0.1
from_peer 1 0 any -l 9000 -t 0.2 -b 20m
l=15
while [ "$((l += 1))" -lt 44 ]; do
	from_peer 1 0 any -l "$l" -t 0.05 -b 1000pps
done
stop_server INT
is "with -l 100, too" "$status" 0
start_server -u -f b -e
host=127.0.0.1
from_peer 1 0 any -e -t 0.3 -b 5m
from_peer 1 0 any -e --trip-times -t 0.3 -b 5m
from_peer 4 0 any -e -t 0.3 -b 5m
stop_server INT
is "with -e, too" "$status" 0
done_testing
