#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# An installed iperf 2 as the client and our server: both count the same.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

need_peer

# stuck: the peer's client hung or crashed, and there is a new server to try
# again.
# Version 2.1.8 frees what it knows of a group of streams while some of them
# have yet to begin, about once in two hundred tests of a few milliseconds.
hangs=0
stuck()
{
	case $status in
	124 | 134 | 137 | 139) ;;
	*) return 1 ;;
	esac
	hangs=$((hangs + 1))
	diag "the peer's client hung or crashed, $hangs: $status"
	[ "$hangs" -le 6 ] || return 1
	stop_server INT
	start_server -f b
}

# client STREAMS BYTES [ARG ...]: one test; BYTES may be "any". The peer
# reads -P as an option of its mode, which has to come first.
client()
{
	streams=$1
	bytes=$2
	shift 2
	name=$*
	[ "$bytes" != any ] || bytes=
	while :; do
		mark
		run 5 "$PEER" -c "$host" -p "$port" -f b -P "$streams" "$@"
		stuck || break
	done
	same_totals "$host -P $streams $name" "$streams" "$bytes"
}

# The matrix for one address family.
both_counts()
{
	for p in 1 4; do
		client "$p" 131073 -n 131073 "$@"
		client "$p" 300001 -n 300001 -l 1000 "$@"
		client "$p" any -t 0.2 "$@"
	done
}

start_server -f b || skip_all "the server does not start"
host=127.0.0.1
both_counts
for p in 1 4; do
	for n in 100 131071 131072; do
		client "$p" "$n" -n "$n"
	done
	client "$p" 10485760 -n 10M
	for l in 64K 1M; do
		client "$p" 3000000 -n 3000000 -l "$l"
		client "$p" any -t 0.2 -l "$l"
	done
done
client 1 any -t 1 -i 0.25
client 4 any -t 1 -i 0.5
client 1 any -t 1 -b 20m
client 1 any -t 0.2 -N -w 64K -M 1000 -S 0x28
client 2 any -t 0.2 -e

# Without a header: the old client.
client 1 any -t 0.2 -C

host=::1
both_counts -V
stop_server INT
is "the server ends well" "$status" 0

# With intervals of our own; a server of one test prints all, then ends.
intervals "$PEER"
done_testing
