#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -R, --full-duplex, -d and -r over TCP between us and an installed iperf 2,
# which is once the server and once the client.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/twoway.sh"

need_peer
need_lab
lab_up twoway rate=200mbit || skip_all "no pair of hosts"

udp=
hung="124 134 137 139"
for who in "our client" "our server"; do
	client=$IPERF
	server=$PEER
	[ "$who" = "our client" ] || { client=$PEER; server=$IPERF; }
	serve "$server" || skip_all "the server does not start"
	for streams in 1 4; do
		both "$client" 1 "$streams" 1048576 -R -n 1M
		both "$client" 1 "$streams" any -R -t 0.3
		both "$client" 2 "$streams" 1048576 --full-duplex -n 1M
		both "$client" 2 "$streams" any --full-duplex -t 0.3
		both "$client" 2 "$streams" 1048576 -d -n 1M
		both "$client" 2 "$streams" any -d -t 0.3
		both "$client" 2 "$streams" 1048576 -r -n 1M
		both "$client" 2 "$streams" any -r -t 0.3
	done
	# What the header carries of a sender.
	both "$client" 1 1 any -R -t 0.5 -b 10m -l 1000
	within "$who: the rate of -b, not the path's" \
	    "$(printf '%s\n' "$out" | rows | tail -n 1 | cut -d' ' -f5)" \
	    1000000 12000000
	both "$client" 2 1 any -d -t 0.5 -b 10m
	within "$who: the rate of -b both ways" "$(printf '%s\n' "$out" |
	    rows | awk '$1 !~ /SUM/ && ($5 < 1e6 || $5 > 13e6)' | wc -l)" 0 0
	end_service
done
done_testing
