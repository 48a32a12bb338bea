#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Flows of chosen ids and times: what the server prints, and what it tells
# the client, in numbers that are known.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# vector NAME WANTED [ARG ...]: bytes lost out-of-order datagrams.
vector()
{
	name=$1
	wanted=$2
	shift 2
	run 10 "$udp_peer" "$port" flow "$@"
	is "$name" "$(echo "$out" | awk '{ print $2, $6, $8, $10, $12 }')" \
	    "128 $wanted"
	jitter_us=$(echo "$out" | awk '{ print $14 }')
}

start_server -u -f b || skip_all "the server does not start"
vector V1 "2100 0 0 21" 1-20
vector V2 "1600 5 0 21" 1-10 16-20
vector V3 "2100 0 1 21" 1-3 5 4 6-20
vector V4 "2200 0 1 21" 1-3 3 4-20
vector V5 "2100 0 1 21" 1 3-20 2
vector V6 "2000 1 0 21" 2-20
vector V7 "2200 9 0 31" 10-30
vector V8 "600 2147483641 0 2147483647" 2147483642-2147483646
vector V9 "1200 4294967290 0 4294967302" wide 4294967291-4294967301
# Through all the numbers that 32 bits have, in jumps, and on.
vector "32 bits, on and on" "302100 4999996990 0 5000000011" \
    1-5 1000000000 2147483000-2147484200 3000000000 4294967000-4294968800 \
    5000000000-5000000010
vector "64 bits, likewise" "302100 4999996990 0 5000000011" wide \
    1-5 1000000000 2147483000-2147484200 3000000000 4294967000-4294968800 \
    5000000000-5000000010
vector "64 bits, seen from 2^32 on" "2200 4294967399 0 4294967421" \
    wide 4294967400-4294967420
vector "64 bits, seen from 2^40 on" "600 1099511627775 0 1099511627781" \
    wide 1099511627776-1099511627780
vector V10 "2100 0 0 21" shift=-3600 1-20
within "V10: the clock does not matter" "$jitter_us" 0 1000
for years in -30 30; do
	vector "clocks $years years apart" "2100 0 0 21" \
	    shift=$((years * 31557600)) 1-20
	within "clocks $years years apart: jitter" "$jitter_us" 0 1000
done
# 5 s / 16 * (15/16)^9, unless the machine adds some of its own.
for try in 1 2 3 4 5 6 7 8; do
	vector "V11, try $try" "2100 0 0 21" step=11:5 1-20
	[ "$(((jitter_us + 50) / 100))" -eq 1748 ] && break
	diag "V11: jitter of $jitter_us us"
done
is "V11: the step decays, in 0.1 ms" "$(((jitter_us + 50) / 100))" 1748
vector V14 "42000 0 0 21" len=2000 1-20
# A client of 2.0.5 counts from 0, and has its report where it looks for it.
run 10 "$udp_peer" "$port" flow old len=200 0-5 7-20
is "2.0.5" "$out" \
    "size 200 flags 80000000 bytes 4200 lost 1 outoforder 0 datagrams 22"
stop_server INT
is "the server has printed the same" \
    "$(udp_lines <"$server_log" | awk '$1 == "row" { print $5, $6 "/" $7 }' |
	uniq | tr '\n' ' ')" \
    "2100 0/21 1600 5/21 2100 0/21 2200 0/21 2100 0/21 2000 1/21 2200 9/31 \
600 2147483641/2147483647 1200 4294967290/4294967302 \
302100 4999996990/5000000011 2200 4294967399/4294967421 \
600 1099511627775/1099511627781 2100 0/21 42000 0/21 4200 1/22 "

# Datagrams count with their real size, whatever -l of the server says.
odd_bytes=$(awk 'BEGIN {
	for (i = 1; i <= 200; i++)
		sum += 20 + i * 37 % (3000 - 19)
	print sum + 3000
}')
for l in 16 1470 65507; do
	start_server -u -f b -l "$l"
	vector "server with -l $l, odd sizes" "$odd_bytes 0 0 201" \
	    odd len=3000 1-200
	vector "server with -l $l, odd sizes, 64 bits" "$odd_bytes 0 0 201" \
	    wide odd len=3000 1-200
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -n 200000 -b 100m \
	    -l 9000
	judge "server with -l $l, client with -l 9000" 1 0 200000
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -n 20000 -b 10m -l 200
	judge "server with -l $l, client with -l 200" 1 0 20000
	stop_server INT
	is "server with -l $l: prints the same" "$(udp_lines <"$server_log" |
	    awk '$1 == "row" { print $5 }' | sort -n | tr '\n' ' ')" \
	    "20000 200000 $odd_bytes $odd_bytes "
done
done_testing
