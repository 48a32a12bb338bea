#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --local-only: hosts on the link are reached, what a router leads to is not.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
lab_up local || skip_all "no pair of hosts"

# A second address of the server's host, which only a route leads to.
ip -n "$lab_b" address add 198.51.100.2/32 dev lo
ip -n "$lab_a" route add 198.51.100.0/24 via 192.0.2.2 ||
    skip_all "no routes"

# far PROTOCOL: is refused, and the option named.
far()
{
	run_on "$lab_a" 10 "$IPERF" -c 198.51.100.2 -p "$port" -n 64K \
	    --local-only "$@"
	is "routed, $*: status" "$status" 1
	like "routed, $*: why" "$err" \
	    '^iperf: .*connect failed: Network is unreachable without a router \(--local-only\) \[198\.51\.100\.2 '
	unlike "routed, $*: nothing is told as sent" "$out" Bytes
}

for test in -e -u; do
	start_server_on "$lab_b" $test || skip_all "the server does not start"
	for way in "" -R --full-duplex -d -r; do
		# shellcheck disable=SC2086 # words on purpose
		run_on "$lab_a" 20 "$IPERF" -c 192.0.2.2 -p "$port" $test \
		    -n 64K --local-only $way
		is "on the link, $test $way" "$status $err" "0 "
	done
	far $test
	far $test -R
	run_on "$lab_a" 10 "$IPERF" -c 198.51.100.2 -p "$port" -n 64K \
	    --local-only=0 $test
	is "routed, $test --local-only=0" "$status $err" "0 "
	run_on "$lab_a" 10 "$IPERF" -c 2001:db8::2 -p "$port" -n 64K \
	    --local-only $test
	case $status in
	0)
		is "IPv6, $test" "$err" ""
		;;
	*)
		like "IPv6, $test: why not" "$err" \
		    'routers \(--local-only\) with IPv6: '
		;;
	esac
	tap_host=$lab_b
	stop_server INT
	tap_host=
done

run_on "$lab_a" 10 "$IPERF" -c 198.51.100.2 -p "$port" --connect-only=1 \
    --local-only
like "--connect-only" "$status $err" '^1 .*\(--local-only\)'
run 5 "$IPERF" -c 192.0.2.2 --local-only=2
is "a bad value" "$status $err" \
    "1 iperf: bad value '2' for --local-only: neither 0 nor 1"
done_testing
