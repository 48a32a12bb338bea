#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# As udp-truth.sh, with an installed iperf 2 at one end.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay
need_peer

simple='-n 100000 -b 10m'

# with_peer NAME RULES STREAMS [ARG ...]: a test of our client and a server
# of the peer, a new one each time: 2.1.8 dies now and then when a flow ends
# while another begins.
with_peer()
{
	peer_name=$1
	peer_rules=$2
	peer_streams=$3
	shift 3
	# shellcheck disable=SC2086 # words on purpose
	[ $# -gt 0 ] || set -- $simple
	for try in 1 2 3 4; do
		start_peer -u -f b || break
		through "$peer_name" "$peer_rules" "$@"
		alive "$server_pid" && break
		diag "the peer's server died, try $try"
	done
	[ "$peer_streams" -eq 0 ] || agree counts "$peer_streams"
	[ "$peer_streams" -eq 0 ] || stop_server KILL 2>/dev/null
}

peer_counts=yes
with_peer "server 2: nothing happens" "" 1
with_peer "server 2: the last is lost" "drop=68" 1
with_peer "server 2: losses" "drop=7,20-22,40-60/5,68" 1
with_peer "server 2: duplicates" "dup=5,10-60/5" 1
with_peer "server 2: late" "hold=10:1,20-50/10:5" 1
with_peer "server 2: at random" "drop=?60 dup=?40 hold=?60:3 seed=4" 1
with_peer "server 2: finals are lost" "finals=2" 1
with_peer "server 2: ids pass 2^32 early" "drop=20 add=1000000" 1

# It gives datagrams of a new flow to another one, so only the ends agree.
with_peer "server 2: four streams" "drop=?50 hold=?50:2" 0 -P 4 -t 0.3 -b 2m
for flow in 1 2 3 4; do
	ok "server 2: four streams, report $flow" wait_until 3 server_agrees \
	    counts "$flow" "$(counts "$(truth "$flow" client)" <"$tmp/out")"
done
stop_server KILL 2>/dev/null

# It answers a second final with that final, so the figures are lost.
with_peer "server 2: report lost" "reports=1" 0
like "server 2: the report is lost: said" "$err" \
    'WARNING: the report of the server was lost'
is "server 2: the report is lost: status" "$status" 0
ok "server 2: the report is lost: counts" wait_until 3 \
    server_agrees counts 1 "$(truth_counts 1 peer)"
stop_server KILL 2>/dev/null
peer_counts=

udp_client=$PEER
# client NAME RULES [ARG ...]: a test of the peer's client and our server.
client()
{
	client_name=$1
	client_rules=$2
	shift 2
	# shellcheck disable=SC2086 # words on purpose
	[ $# -gt 0 ] || set -- $simple
	through "client 2: $client_name" "$client_rules" "$@"
	agree counts 1
}

start_server -u -f b
client "nothing happens" ""
client "the first is lost" "drop=1"
client "the last is lost" "drop=69"
client "losses" "drop=1,7,20-22,40-60/5,69"
client "duplicates" "dup=1,5,10-60/5,69"
client "late" "hold=1:3,20-50/10:5"
for seed in 5 6; do
	client "at random, seed $seed" \
	    "drop=?60 dup=?60 hold=?60:3 seed=$seed"
done
client "the last is later than the end" "hold=69:1"
# Its finals count downwards: a lost one is a lost datagram.
client "finals are lost" "finals=2"
client "the report is lost" "reports=2"
client "ids pass 2^32" "add=4294967260 drop=20 dup=40 hold=30:2"
client "32-bit ids" "narrow=1 add=2147483610 drop=20 dup=40 hold=30:2"
for l in 16 100 9000; do
	client "-l $l" "drop=5 dup=3 hold=10:2" -l "$l" -t 0.1 -b 400pps
done
client "trip times" "drop=?60 hold=?40:2" --trip-times -t 0.3 -b 2m
through "client 2: four streams" "drop=?50 hold=?50:2" -P 4 -t 0.3 -b 2m
agree counts 4
stop_server INT
is "the server ends well" "$status" 0
done_testing
