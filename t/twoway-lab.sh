#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tests of both directions over networks that hinder them: a slow link with a
# queue, interruptions, an address translator, a firewall.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
lab_up twoway rate=20mbit || skip_all "no pair of hosts"

# client SECONDS [ARG ...]: a client on the first host.
client()
{
	seconds=$1
	shift
	run_on "$lab_a" "$seconds" "$IPERF" -c 192.0.2.2 -p "$port" -f b "$@"
}

# A queue holds what the ends have to wait for: nothing of it is lost.
start_server_on "$lab_b" -f b || skip_all "the server does not start"
for test in "1 -R -t 0.5" "2 --full-duplex -t 0.5" "2 -d -t 0.5" \
    "2 -r -t 0.5" "2 --full-duplex -n 500K" "2 -d -n 500K"; do
	flows=$((${test%% *} * 2))
	mark
	# shellcheck disable=SC2086 # words
	client 20 -P 2 ${test#* }
	same_totals "slow link, ${test#* }" "$flows"
done

# Where one direction takes far longer, the other has its end in time.
lab_limit "$lab_b" 2mbit
for test in "--full-duplex" "-d"; do
	mark
	client 20 -P 2 -n 300K $test
	same_totals "slow way back, $test" 4 307200
	is "slow way back, $test: no complaint" "$err" ""
done
lab_limit "$lab_b" 20mbit

# The client is the only child of timeout.
# shellcheck disable=SC2317 # called by wait_until
client_runs()
{
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	[ -n "$client_pid" ]
}

# shellcheck disable=SC2317 # called by wait_until
connected()
{
	[ "$(since_mark | grep -c 'connected with')" -ge "$1" ]
}

# interrupt CONNECTIONS FLOWS [ARG ...]: a client that is interrupted once it
# has so many connections; both ends still agree.
interrupt()
{
	expected=$1
	flows=$2
	shift 2
	mark
	(tap_host=$lab_a; on_host timeout 30 "$IPERF" -c 192.0.2.2 -p "$port" \
	    -f b "$@") >"$tmp/out" 2>"$tmp/err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
	wait_until 10 connected "$expected"
	wait_until 5 client_runs
	kill -INT "$client_pid"
	wait "$timeout_pid"
	status=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
	same_totals "interrupted, $*" "$flows"
}

interrupt 1 1 -R -t 20
interrupt 2 2 -R -t 20 -P 2
interrupt 1 2 --full-duplex -t 20
interrupt 2 2 -d -t 20
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0

# What counts is what has arrived, however much was asked for.
start_server_on "$lab_b" -u -f b
for option in -R --full-duplex; do
	client 15 -u -b 1g -t 0.5 $option
	is "UDP $option above the rate of the link: status" "$status" 0
	within "UDP $option above the rate of the link: what is told" \
	    "$(printf '%s\n' "$out" | grep '^\[ \*1\]' | rows |
	    awk '{ rate = $5 } END { print rate }')" 5000000 25000000
done
tap_host=$lab_b
stop_server INT
tap_host=

# A server that is interrupted: the client has what came, and says so.
for test in -R "--full-duplex"; do
	start_server_on "$lab_b" -f b
	mark
	(tap_host=$lab_a; on_host timeout 30 "$IPERF" -c 192.0.2.2 -p "$port" \
	    -f b -t 20 $test) >"$tmp/out" 2>"$tmp/err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
	wait_until 10 connected 1
	tap_host=$lab_b
	stop_server INT
	tap_host=
	wait "$timeout_pid"
	is "server interrupted, $test: status" "$?" 1
	like "server interrupted, $test: told" "$(cat "$tmp/err")" \
	    '(ended its stream early|without sending|reset|Broken pipe)'
done

# A client that listens after it was called, as iperf 2 may: it is called again,
# for longer than a test waits for streams that are late.
if [ -x "$builddir/t/peer" ]; then
	start_server_on "$lab_b" -f b
	for request in dual tradeoff; do
		mark
		run_on "$lab_a" 15 "$builddir/t/peer" 192.0.2.2 "$port" \
		    ask "$request" -1 1 1000 late 10000
		is "$request, late: the client has it" "$status $out" \
		    "0 1000 bytes, closed"
		ok "$request, late: the server has both rows" wait_until 5 \
		    server_told 2
		is "$request, late: no complaint" \
		    "$(since_mark | grep -c '^iperf: ')" 0
	done
	tap_host=$lab_b
	stop_server INT
	tap_host=
else
	skip "a client that listens late" "t/peer has not been built"
fi

# A firewall of the client that drops what comes in uninvited.
ip netns exec "$lab_a" nft -f - <<END || skip_all "no packet filter"
table inet twoway {
	chain arriving {
		type filter hook input priority filter; policy drop;
		iif lo accept
		ct state established,related accept
		meta l4proto { icmp, icmpv6 } accept
	}
}
END
start_server_on "$lab_b" -f b
for option in -d -r; do
	mark
	client 15 -t 0.5 $option
	is "firewall, $option: status" "$status" 1
	like "firewall, $option: names the port, suggests -R" "$err" \
	    "no connection back at port $port .*firewall or NAT.* -R"
	is "firewall, $option: the totals of what ran" \
	    "$(printf '%s\n' "$out" | rows | grep -c '^1 ')" 1
	ok "firewall, $option: the server tells" wait_until 6 grep -q \
	    "connection back to 192.0.2.1 port $port failed" "$server_log"
	: >"$server_log"
done
for option in -R --full-duplex; do
	mark
	client 15 -t 0.3 $option
	is "firewall, $option: no hindrance" "$status $err" "0 "
done

# Whoever else connects to the client's port is turned away.
ip netns exec "$lab_a" nft delete table inet twoway
ip -n "$lab_b" address add 192.0.2.3/24 dev eth0
(tap_host=$lab_a; on_host timeout 30 "$IPERF" -c 192.0.2.2 -p "$port" \
    -f b -t 1 -r) >"$tmp/client-out" 2>"$tmp/client-err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
# shellcheck disable=SC2317 # called by wait_until
listens()
{
	grep -q 'Server listening' "$tmp/client-out"
}
wait_until 5 listens
run_on "$lab_b" 10 "$IPERF" -c 192.0.2.1 -p "$port" -B 192.0.2.3 -t 5
is "a stranger at the port: fails" "$status" 1
wait "$timeout_pid"
is "a stranger at the port: the test runs" "$?" 0
like "a stranger at the port: is told" "$(cat "$tmp/client-err")" \
    'closed a connection from 192.0.2.3 .*not the server'
done_testing
