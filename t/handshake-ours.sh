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

# shellcheck disable=SC2317 # called by wait_until
since_mark_shows()
{
	since_mark | grep -q "$1"
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

# -X: the version of the server, and the same bytes as ever.
start_server -f b || skip_all "the server does not start"
version=$("$IPERF" --version | sed 's/iperf version \([0-9.]*\).*/\1/')
for directions in "1" "1 -R" "2 --full-duplex" "2 -d" "2 -r"; do
	# shellcheck disable=SC2086 # the direction is an argument or none
	set -- $directions
	flows=$1
	shift
	mark
	client 15 -X -e -P 2 -n 100K "$@"
	versions=$(printf '%s\n' "$out" | grep -c "(peer $version)")
	out=$(printf '%s\n' "$out" | grep -v '^\[FD')
	same_totals "-X $*" "$((2 * flows))" 102400
	is "-X $*: each connection tells the version" "$versions" 2
	is "-X $*: no complaint" "$err" ""
done
client 15 -X -P 40 -t 0.2
is "-X with 40 streams" "$status $err" "0 "
client 15 -X --no-connect-sync -P 4 -n 100K -e
is "-X without the gate" \
    "$status $(printf '%s\n' "$out" | grep -c "(peer $version)")" "0 4"
client 15 -X -n 100K
unlike "-X without -e is as ever" "$out" 'peer'
mark
client 15 -X -n 10
wait_until 5 server_told 1
is "a header that is needed is the least amount" \
    "$status $(printf '%s\n' "$out" | rows | totals)" "0 64 "
stop_server INT
is "the server ends well" "$status" 0

# A server that knows no headers, and so does not answer.
# shellcheck disable=SC2317 # called by wait_until
sink_told()
{
	grep -qx '[0-9]\+' "$server_log"
}
if [ -x "$builddir/t/sink" ]; then
	start "$builddir/t/sink" "$tmp/stored"
	wait_until 5 sink_told
	port=$(cat "$server_log")
	client 15 -X -n 100K
	wait_server 10
	is "a silent server is told, and the test goes on" \
	    "$(wc -c <"$tmp/stored") $err" "102400 iperf: the server did \
not answer the test header in 2 s: it may be an old one"
else
	skip "a silent server" "no t/sink"
fi

# Servers that close the connection instead.
if [ -x "$builddir/t/peer" ]; then
	for end in close reset; do
		start "$builddir/t/peer" 127.0.0.1 0 serve "$end" 1 -1
		wait_until 5 grep -q '^port' "$server_log"
		port=$(sed -n 's/^port //p' "$server_log")
		client 15 -X -P 2
		is "$end instead of an answer" "$status $err" "1 iperf: the \
server closed the connection instead of answering the test header: it may \
want a permit key (2 streams)"
		stop_server KILL
	done
else
	skip "servers that close" "no t/peer"
fi

# Keys. rejected NAME [ARG ...]: a client that is not let in.
# shellcheck disable=SC2317 # called by wait_until
told_drop()
{
	since_mark | grep -q '^\[drop\]' && since_mark | grep -q '^iperf: '
}
rejected()
{
	name=$1
	shift
	mark
	client 15 -n 100K "$@"
	wait_until 5 told_drop
	is "$name: refused, status 1, and no rows" \
	    "$status $(since_mark | rows | wc -l)" "1 0"
	like "$name: the line" "$(since_mark)" \
	    '^\[drop\] local .* connection with .* \(permit key fail\)$'
}
start_server -f b --permit-key=se]cret --permit-key-timeout 0 ||
    skip_all "the server does not start"
like "the banner shows the key" "$(cat "$server_log")" \
    '^Permit key is .se.x5dcret. \(WARN: no timeout\)$'
for directions in "1" "1 -R" "2 --full-duplex" "2 -d" "2 -r"; do
	# shellcheck disable=SC2086 # the direction is an argument or none
	set -- $directions
	flows=$1
	shift
	mark
	client 15 -n 1 --permit-key=se]cret "$@"
	is "the right key $*: rows" "$status $err $(printf '%s\n' "$out" |
	    grep -c '^\[\**se.x5dcret([12])\] 0\.00-')" "0  $flows"
	# Or its rows are taken for those of the next.
	wait_until 5 server_told "$flows"
	rejected "a wrong key $*" --permit-key=se]creT "$@"
	like "a wrong key $*: the client says so" "$err" \
	    'it does not accept the permit key$'
done
rejected "no key"
rejected "no key and no data but the header" -n 64
rejected "no key, with -X" -X
rejected "no header" -C
rejected "no key, -R" -R
stop_server INT
is "the server ends well" "$status" 0
start_server -f b || skip_all "the server does not start"
rejected "a key that nobody expects" --permit-key=secret
stop_server INT
start_server -f b --permit-key --permit-key-timeout 1 ||
    skip_all "the server does not start"
key=$(sed -n "s/^Permit key is '\([^']*\)' (timeout in 1.0 seconds)$/\1/p" \
    "$server_log")
like "a key that the server made" "$key" \
    '^[0-9]+\.[0-9]{6}-[A-Za-z0-9]{16}$'
wait_server 10
is "when the key has expired the server exits" "$status" 0
like "it says why" "$(cat "$server_log")" 'the permit key has expired'

# The type of service of what is sent back.
start_server -f b -e --tos-override af11 || skip_all "the server does not start"
like "--tos-override in the banner" "$(cat "$server_log")" \
    '^Reflected TOS will be set to 0x28 \(dscp=10,ecn=0\)$'
for direction in -R --full-duplex; do
	client 15 "$direction" -n 100K -S ef
	is "--tos-override, $direction" "$status $err" "0 "
done
mark
client 15 -r -n 100K -e
wait_until 5 since_mark_shows 'tos tx=0x28'
like "--tos-override on a connection back" "$(since_mark)" \
    'tos tx=0x28,dscp=10'
stop_server INT

done_testing
