#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Both ends ours, the options of sockets and of the start: each is accepted,
# has its effect where that can be seen, and both ends count the same.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

start_server -f b || skip_all "the server does not start"
ours 2 any -t 0.2 -m
like "-m prints the segment size" "$out" '^\[  1\] MSS size [1-9][0-9]* bytes$'
ours 1 any -t 0.2 -M 1000
like "-M prints what was asked" "$out" '^MSS req size 1000 bytes'
ours 1 any -t 0.2 -w 64K
like "-w in the banner" "$out" '^TCP window size:.*requested 65536 Byte'
ours 1 any -t 0.2 -N -e
like "-N in the banner" "$out" 'nodelay \(Nagle off\)'
ours 1 any -t 0.2 -S af11 -e
like "-S in the banner" "$out" 'TOS set to 0x28 \(dscp=10,ecn=0\)'
ours 1 any -t 0.2 --dscp 46
ours 1 any -t 0.2 -T 3
ours 2 any -t 0.2 --tcp-quickack
ours 2 any -t 0.2 --no-connect-sync
ours 2 any -t 0.2 --tcp-write-prefetch 128K
like "--tcp-write-prefetch in the banner" "$out" \
    'pending queue watermark at 131072 bytes'
ccas=allowed
[ "$(id -u)" != 0 ] || ccas=available
for cca in cubic reno; do
	if grep -qw "$cca" "/proc/sys/net/ipv4/tcp_${ccas}_congestion_control"
	then
		ours 1 any -t 0.2 -Z "$cca" -e
		like "-Z $cca in the banner" "$out" \
		    "^TCP congestion control set to $cca using $cca"
	else
		skip "-Z $cca" "not to be had here"
	fi
done
ours 1 any -t 0.2 --tcp-cca reno

ours 1 any -t 0.3 --txdelay-time 0.5
within "--txdelay-time is not test time" \
    "$(since_mark | rows | awk 'END { print $3 }')" 0 0.49

run 5 "$IPERF" -c 127.0.0.1 -p "$port" --connect-only=3
is "--connect-only ends well" "$status" 0
is "--connect-only prints each connect" \
    "$(printf '%s\n' "$out" | grep -c 'connected with .*(ct=')" 3
like "--connect-only sums up" "$out" \
    '^\[ CT\] final connect times .* ms \(tot/err\) = 3/0$'
# More than an int can count.
run 5 "$IPERF" -c 127.0.0.1 -p "$port" --connect-only=40000 -P 60000 -t 0.05
like "--connect-only, billions" "$status $out" '^\[  1\].*connected with '
stop_server INT
is "the server ends well" "$status" 0

if start_server -f b --skip-rx-copy -w 256K; then
	ours 4 300001 -n 300001
	ours 1 any -t 0.2
	stop_server INT
	like "--skip-rx-copy in the banner" "$(cat "$server_log")" \
	    'skip-rx-copy'
fi
if start_server -f b --tcp-rx-window-clamp 32768 --tcp-quickack; then
	ours 1 300001 -n 300001
	stop_server INT
fi
done_testing
