#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# UDP over a cable: hosts of several addresses, and multicast.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/udp.sh"

need_lab
lab_up udp || skip_all "no pair of hosts"
ip -n "$lab_b" address add 192.0.2.3/32 dev eth0
ip -n "$lab_b" address add 2001:db8::3/128 dev eth0 nodad

# The server answers from the address that the client asked.
ip netns exec "$lab_b" sysctl -qw net.ipv6.bindv6only=1 # which is no matter
start_server_on "$lab_b" -u -f b || skip_all "the server does not start"
for host in 192.0.2.2 192.0.2.3 2001:db8::2 2001:db8::3; do
	run_on "$lab_a" 10 "$IPERF" -c "$host" -p "$port" -u -f b -n 100000 \
	    -b 10m
	is "$host: status, stderr" "$status $err" "0 "
	like "$host: report" "$out" ' 100000 Bytes .* ms 0/69 \(0%\)$'
	wait_until 3 grep -q "local $host port $port connected" "$server_log"
	like "$host: the server says which" "$(cat "$server_log")" \
	    "local $host port $port connected with"
done
for way in "192.0.2.3 -R" "2001:db8::3 -R" "192.0.2.3 --full-duplex"; do
	# shellcheck disable=SC2086 # words on purpose
	run_on "$lab_a" 10 "$IPERF" -c $way -p "$port" -u -f b -n 100000 -b 10m
	is "-c $way: status, stderr" "$status $err" "0 "
	like "-c $way: what came back" "$out" \
	    '^\[ \*1\].* 100000 Bytes .* ms  *0/69 \(0%\)'
done
run_on "$lab_a" 10 "$IPERF" -c 192.0.2.3 -p "$port" -u -f b -P 8 -t 0.3 -b 2m
is "192.0.2.3, 8 streams" "$(printf '%s\n' "$out" | udp_lines |
	awk '$1 == "row" && $2 != "SUM" && $6 == 0' | wc -l) $status" "8 0"

# From a chosen port, by a device, and by link-local addresses.
link_local()
{
	ip -n "$1" -6 -o address show dev eth0 scope link |
	    sed -n 's/.* inet6 \(fe80[^/ ]*\).*/\1/p'
}
own=$(link_local "$lab_a")
tap_host=$lab_a
from=$(free_port)
tap_host=
for way in "192.0.2.2 -B 192.0.2.1:$from" "2001:db8::2 -B [2001:db8::1]:$from" \
    "192.0.2.2%eth0" "$(link_local "$lab_b")%eth0" \
    "$(link_local "$lab_b")%eth0 -B $own%eth0"; do
	# shellcheck disable=SC2086 # words on purpose
	run_on "$lab_a" 10 "$IPERF" -c $way -p "$port" -u -f b -n 100000 -b 10m
	is "-c $way: status, stderr" "$status $err" "0 "
	like "-c $way: report" "$out" ' 100000 Bytes .* ms 0/[67][0-9] \(0%\)$'
	case $way in
	*":$from")
		like "-c $way: the port" "$out" " port $from connected with"
		;;
	esac
done

# Payload and headers are to fit the MTU of 1500, or it is said.
run_on "$lab_a" 10 "$IPERF" -c 192.0.2.2 -p "$port" -u -l 1472 -n 20000 -b 10m
is "-l 1472: in one piece" "$status $err" "0 "
run_on "$lab_a" 10 "$IPERF" -c 192.0.2.2 -p "$port" -u -l 1473 -n 20000 -b 10m
is "-l 1473: status" "$status" 0
like "-l 1473: in fragments" "$err" '^iperf: .* 1473 .* fragments.* 1500 bytes$'

run_on "$lab_a" 10 "$IPERF" -c 2001:db8::2 -p "$port" -u -l 1452 -n 20000 \
    -b 10m
is "IPv6, -l 1452: in one piece" "$status $err" "0 "
run_on "$lab_a" 10 "$IPERF" -c 2001:db8::2 -p "$port" -u -l 1453 -n 20000 \
    -b 10m
is "IPv6, -l 1453: status" "$status" 0
like "IPv6, -l 1453: in fragments" "$err" \
    '^iperf: .* 1453 .* fragments.* 1500 bytes$'

# drop_fragments PER_MILLE: of the fragments that arrive, before they are put
# together.
drop_fragments()
{
	ip netns exec "$lab_b" nft -f - <<END
table inet fragments {
	chain arriving {
		type filter hook prerouting priority -450
		meta l4proto udp numgen random mod 1000 < $1 drop
	}
}
END
}

run_on "$lab_a" 10 "$IPERF" -c 192.0.2.2 -p "$port" -u -f b -l 20k \
    -b 100m -t 0.5 -i 0.1 -R
is "-l 20k -R: status" "$status" 0
within "-l 20k -R: intervals with data" "$(printf '%s\n' "$out" |
    udp_lines | awk '$1 == "row" && $5 > 0' | wc -l)" 5 7

# 15 fragments each, of which one in a hundred is lost: 14 % of 401 datagrams.
# Then so many that the host's room for unfinished ones is full in the end.
# The report comes all the same.
if command -v nft >/dev/null && drop_fragments 10 2>/dev/null; then
	run_on "$lab_a" 10 "$IPERF" -c 192.0.2.2 -p "$port" -u -f b -l 20000 \
	    -b 3200pps -n 8020000
	is "fragments are lost: status" "$status" 0
	within "fragments are lost: so many datagrams" "$(printf '%s\n' "$out" |
	    sed -n 's/.* ms *\([0-9]*\)\/ *401 .*/\1/p')" 25 100
	run_on "$lab_a" 10 "$IPERF" -c 192.0.2.2 -p "$port" -u -f b -l 20000 \
	    -b 400m -t 1
	is "no room for fragments: status" "$status" 0
	like "no room for fragments: a report" "$out" 'Server Report'
	unlike "no room for fragments: not silent" "$err" 'did not receive'
	ip netns exec "$lab_b" nft delete table inet fragments
else
	skip "fragments are lost" "no nft"
fi
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0

# multicast NAME GROUP BIND [SERVER ARG ...]: from one host to the other.
multicast()
{
	name=$1
	group=$2
	bound=$3
	shift 3
	start_server_on "$lab_b" -u -f b -B "$bound" "$@" || return
	run_on "$lab_a" 10 "$IPERF" -c "$group" -p "$port" -u -f b -T 4 \
	    -t 0.5 -b 2m
	is "$name: status, stderr" "$status $err" "0 "
	unlike "$name: no report is awaited" "$out" 'Server Report'
	sent=$(printf '%s\n' "$out" | sed -n 's/.* Sent \(.*\) datagrams/\1/p')
	wait_until 3 grep -q 'connected with' "$server_log"
	stop_server INT
	like "$name: all arrives" "$(cat "$server_log")" \
	    " ms 0/$sent \(0%\)\$"
	is "$name: the server ends well" "$status" 0
}

ip -n "$lab_a" -6 route add ff00::/8 dev eth0 table local 2>/dev/null
multicast "IPv4 group" 224.9.9.9 224.9.9.9
multicast "IPv4 group on a device" 224.9.9.9 224.9.9.9%eth0
multicast "IPv4 group of a source" 232.9.9.9 232.9.9.9%eth0 -H 192.0.2.1
multicast "IPv6 group" ff05::9 ff05::9%eth0 -V

# hear_only EXPRESSION: the server's host takes no other datagrams; all, if
# there is none.
hear_only()
{
	ip netns exec "$lab_b" nft delete table ip hear 2>/dev/null
	[ -z "$1" ] || ip netns exec "$lab_b" nft -f - <<END
table ip hear {
	chain arriving {
		type filter hook input priority filter
		meta l4proto udp $1 accept
		meta l4proto udp drop
	}
}
END
}

# What is on the wire. One server takes streams of a group apart by port.
if command -v nft >/dev/null && hear_only 'ip ttl 1'; then
	start_server_on "$lab_b" -u -f b -B 224.9.9.9
	run_on "$lab_a" 10 "$IPERF" -c 224.9.9.9 -p "$port" -u -P 2 -n 20000 \
	    -b 10m -B 192.0.2.1
	is "-P 2 and a group, no -T: ends well" "$status $err" "0 "
	hear_only 'ip ttl 4 ip dscp 10'
	run_on "$lab_a" 10 "$IPERF" -c 224.9.9.9%eth0 -p "$port" -u -T 4 \
	    --dscp 10 -n 30000 -b 10m
	is "-T 4 --dscp 10 and a device: ends well" "$status $err" "0 "
	hear_only 'ip tos 0x28' 2>/dev/null || hear_only 'ip dscp 10'
	run_on "$lab_a" 10 "$IPERF" -c 224.9.9.9 -p "$port" -u -S 0x28 \
	    -n 40000 -b 10m
	is "-S 0x28: ends well" "$status $err" "0 "
	wait_until 3 grep -q ' 40000 Bytes' "$server_log"
	stop_server INT
	is "TTL and TOS are as asked for, streams apart" "$(udp_lines \
	    <"$server_log" | awk '$1 == "row" && $2 != "SUM" {
		print $5, $6 "/" $7 }' | tr '\n' ' ')" \
	    "20000 0/14 20000 0/14 30000 0/21 40000 0/28 "
	hear_only ''
else
	skip "TTL and TOS are as asked for" "no nft"
fi

# Each receiver reports.
start_server_on "$lab_b" -u -f b -B 224.9.9.9 -P 1
first_log=$server_log
tap_host=$lab_a
start "$IPERF" -s -u -p "$port" -f b -B 224.9.9.9 -P 1
wait_until 5 server_ready
tap_host=
run_on "$lab_a" 10 "$IPERF" -c 224.9.9.9 -p "$port" -u -n 20000 -b 10m
wait_until 5 grep -q '(0%)' "$first_log"
wait_server 5
for log in "$first_log" "$server_log"; do
	like "two receivers" "$(cat "$log")" ' 20000 Bytes .* ms 0/14 \(0%\)$'
done

# A host that is not the source is not heard.
start_server_on "$lab_b" -u -f b -B 232.9.9.9%eth0 -H 192.0.2.77 &&
    run_on "$lab_a" 10 "$IPERF" -c 232.9.9.9 -p "$port" -u -n 20000 -b 10m
stop_server INT
unlike "only the source of -H is heard" "$(cat "$server_log")" 'connected with'

# Nobody needs to listen, and without a route it is an error.
run_on "$lab_a" 10 "$IPERF" -c 224.9.9.10 -p "$port" -u -n 20000 -b 10m
is "a group without members" "$status $err" "0 "
ip -n "$lab_a" route delete 224.0.0.0/4
run_on "$lab_a" 10 "$IPERF" -c 224.9.9.9 -p "$port" -u -n 20000 -b 10m
is "no route: status" "$status" 1
like "no route: said" "$err" '^iperf: .*Network is unreachable'
done_testing
