#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A server whose addresses, several of them, belong to a bridge answers from the
# one that the client asked.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
lab_up bridge || skip_all "no pair of hosts"
ip -n "$lab_b" link add br0 type bridge ||
    skip_all "the kernel has no bridges"
ip -n "$lab_b" address flush dev eth0
ip -n "$lab_b" link set eth0 master br0
ip -n "$lab_b" link set br0 up
for address in 192.0.2.2/24 192.0.2.3/24; do
	ip -n "$lab_b" address add "$address" dev br0
done
for address in 2001:db8::2/64 2001:db8::3/64; do
	ip -n "$lab_b" address add "$address" dev br0 nodad
done

start_server_on "$lab_b" -u -f b || skip_all "the server does not start"
for host in 192.0.2.2 192.0.2.3 2001:db8::2 2001:db8::3; do
	run_on "$lab_a" 10 "$IPERF" -c "$host" -p "$port" -u -f b -n 100000 \
	    -b 10m
	is "$host: status, stderr" "$status $err" "0 "
	like "$host: report" "$out" ' 100000 Bytes .* ms 0/69 \(0%\)$'
	run_on "$lab_a" 10 "$IPERF" -c "$host" -p "$port" -u -f b -n 100000 \
	    -b 10m -R
	is "$host, -R: status, stderr" "$status $err" "0 "
	like "$host, -R: what came back" "$out" \
	    '^\[ \*1\].* 100000 Bytes .* ms  *0/69 \(0%\)'
done
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0
done_testing
