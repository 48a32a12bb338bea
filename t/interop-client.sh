#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Our client and an installed iperf 2 as the server: both count the same.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

need_peer

# serve [ARG ...]: the peer's server.
serve()
{
	served="$*"
	# shellcheck disable=SC2086 # words on purpose
	start_peer $served
}

# revived STREAMS: the peer's server had died, or has not told of so many
# streams, and there is a new one. Version 2.1.8 frees what it knows of a group
# of streams while a new one begins, about once in a hundred tests of a few
# milliseconds each: it crashes, or serves on and tells nothing any more.
failures=0
revived()
{
	if alive "$server_pid"; then
		! server_told "$1" || return 1
		stop_server INT
	fi
	failures=$((failures + 1))
	diag "the peer's server died or fell silent, $failures"
	[ "$failures" -le 8 ] || return 1
	# shellcheck disable=SC2086 # words on purpose
	start_peer $served
}

# client STREAMS BYTES [ARG ...]: one test; BYTES may be "any".
client()
{
	streams=$1
	bytes=$2
	shift 2
	name=$*
	[ "$bytes" != any ] || bytes=
	while :; do
		mark
		run 15 "$IPERF" -c "$host" -p "$port" -f b -P "$streams" "$@"
		wait_until 5 server_told_or_died "$streams"
		revived "$streams" || break
	done
	same_totals "$host -P $streams $name" "$streams" "$bytes"
}

# shellcheck disable=SC2317 # called by wait_until
server_told_or_died()
{
	server_told "$1" || ! alive "$server_pid"
}

# shellcheck disable=SC2317 # called by wait_until
last_is_total()
{
	[ "$(since_mark | rows | totals)" = "$total" ]
}

# The matrix for one address family.
both_counts()
{
	for p in 1 4; do
		client "$p" 131073 -n 131073
		client "$p" 300001 -n 300001 -l 1000
		client "$p" any -t 0.2
	done
}

serve -f b || skip_all "the peer's server does not start"
host=127.0.0.1
both_counts
for p in 1 4; do
	for n in 100 131071 131072; do
		client "$p" "$n" -n "$n"
	done
	client "$p" 10485760 -n 10M
	client "$p" 3001 -n 3001 -l 16
	for l in 64K 1M; do
		client "$p" 3000000 -n 3000000 -l "$l"
		client "$p" any -t 0.2 -l "$l"
	done
	client "$p" any -t 0.2 -l 16
done
client 1 any -t 1 -i 0.25
client 4 any -t 1 -i 0.5
client 4 10485760 -n 10M -i 0.5
client 1 any -t 1 -b 20m
client 1 any -t 0.2 -N -w 64K -M 1000 -S af11
client 4 any -t 0.2 --no-connect-sync
client 2 any -t 0.2 -e

# A header needs more than one byte: it goes without one, and the peer does
# not count what it looks at first.
while :; do
	run 15 "$IPERF" -c "$host" -p "$port" -f b -n 1
	revived 0 || break
done
is "-n 1 ends well" "$status $(printf '%s\n' "$out" | rows | totals)" "0 1 "
while :; do
	mark
	run 15 "$IPERF" -c "$host" -p "$port" -f b -C -n 100000
	wait_until 5 server_told_or_died 1
	revived 1 || break
done
is "-C ends well" "$status $(printf '%s\n' "$out" | rows | totals)" \
    "0 100000 "
within "-C is a plain stream for the peer" \
    "$(since_mark | rows | totals | tr -d ' ')" 99996 100000
client 1 any -t 0.2
stop_server INT

if serve -f b -V; then
	host=::1
	both_counts
	client 2 any -t 0.2 -V
	stop_server INT
else
	skip "IPv6" "the peer does not listen on ::"
fi

# The peer's own intervals.
if serve -f b -i 0.25; then
	host=127.0.0.1
	mark
	run 15 "$IPERF" -c "$host" -p "$port" -f b -t 1 -i 0.25
	total=$(printf '%s\n' "$out" | rows | totals)
	ok "-i on both ends" wait_until 5 last_is_total
	stop_server INT
fi
done_testing
