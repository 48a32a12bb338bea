#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A client behind an address translator, and a path with a deep queue.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
need nft

# client SECONDS ADDRESS [ARG ...]: a client on the first host.
client()
{
	seconds=$1
	address=$2
	shift 2
	run_on "$lab_a" "$seconds" "$IPERF" -c "$address" -p "$port" -f b "$@"
}

# rate: of the last total of the rows on standard input, bit/s.
rate()
{
	rows | awk '$1 !~ /SUM/ { rate = $5 } END { print rate }'
}

# The second host is a router with a third one behind it.
lab_up nat || skip_all "no pair of hosts"
lab_c=$lab_b-c
lab_names="$lab_names $lab_c"
{
	ip netns add "$lab_c" &&
	    ip -n "$lab_b" link add eth1 type veth peer name eth0 \
		netns "$lab_c" &&
	    ip -n "$lab_b" address add 198.51.100.1/24 dev eth1 &&
	    ip -n "$lab_b" link set dev eth1 up &&
	    ip -n "$lab_c" address add 198.51.100.2/24 dev eth0 &&
	    ip -n "$lab_c" link set dev lo up &&
	    ip -n "$lab_c" link set dev eth0 up &&
	    ip -n "$lab_a" route add default via 192.0.2.2 &&
	    ip netns exec "$lab_b" sh -c \
		'echo 1 >/proc/sys/net/ipv4/ip_forward' &&
	    ip netns exec "$lab_b" nft -f - <<-END
		table ip translator {
			chain leaving {
				type nat hook postrouting priority srcnat
				oif eth1 masquerade
			}
		}
	END
} || skip_all "no router"

start_server_on "$lab_c" -f b || skip_all "the server does not start"
for option in -d -r; do
	client 15 198.51.100.2 -t 0.3 $option
	is "behind a translator, $option: status" "$status" 1
	like "behind a translator, $option: says so" "$err" \
	    "no connection back at port $port .*firewall or NAT.* -R"
	is "behind a translator, $option: what ran" \
	    "$(printf '%s\n' "$out" | rows | grep -c '^1 ')" 1
	ok "behind a translator, $option: the server tells" wait_until 5 \
	    grep -q 'connection back to 198.51.100.1 .* failed' "$server_log"
	: >"$server_log"
done
for test in "1 -R" "2 --full-duplex"; do
	mark
	client 15 198.51.100.2 -n 300000 "${test#* }"
	same_totals "behind a translator, ${test#* }" "${test%% *}" 300000
done
lab_down

# Never more than the path carries and its bucket holds (1 MB at first).
lab_up deep || skip_all "no pair of hosts"
for lab_host in "$lab_a" "$lab_b"; do
	ip netns exec "$lab_host" tc qdisc add dev eth0 root \
	    tbf rate 100mbit burst 1mb latency 500ms ||
	    skip_all "no token bucket"
done
start_server_on "$lab_b" -f b || skip_all "the server does not start"
for option in -R --full-duplex; do
	mark
	client 15 192.0.2.2 -t 1 $option
	is "deep queue, $option: status" "$status" 0
	within "deep queue, $option: the receiver's rate" \
	    "$(printf '%s\n' "$out" | grep '^\[ \*1\]' | rate)" 10000000 112000000
done
mark
client 15 192.0.2.2 -t 1
wait_until 5 server_told 1
within "deep queue: the receiver's rate" "$(since_mark | rate)" \
    10000000 112000000
done_testing
