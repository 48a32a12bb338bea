#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tests that are asked for in the name of another host: that one gets no more
# bytes than were sent, unless the server is told to trust all sources. The
# attacker has its address too; what the server sends there leaves by a cable
# of its own, and nobody answers.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
need nft
lab_up forged || skip_all "no pair of hosts"
victim=198.51.100.1
# shellcheck disable=SC2015 # any of them may be missing
ip -n "$lab_a" address add "$victim/32" dev lo &&
    ip -n "$lab_b" link add eth1 type veth peer name eth2 &&
    ip netns exec "$lab_b" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
	net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0 &&
    ip netns exec "$lab_a" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 &&
    ip -n "$lab_b" address add 198.51.100.2/24 dev eth1 &&
    ip -n "$lab_b" link set eth2 up && ip -n "$lab_b" link set eth1 up &&
    ip -n "$lab_b" neighbour replace "$victim" dev eth1 nud permanent \
	lladdr 02:00:00:00:00:01 || skip_all "no place for a victim"

# payload DEVICE WAY: what is left without the headers of UDP, IP and Ethernet.
payload()
{
	ip netns exec "$lab_b" cat "/sys/class/net/$1/statistics/$2_bytes" \
	    "/sys/class/net/$1/statistics/$2_packets" |
	    awk '{ n[NR] = $1 } END { print n[1] - 42 * n[2] }'
}

# let_pass COUNT: so many full datagrams leave the attacker; 0 all.
let_pass()
{
	ip netns exec "$lab_a" nft delete table ip forged 2>/dev/null
	[ "$1" -eq 0 ] || ip netns exec "$lab_a" nft -f - <<END
table ip forged {
	chain leaving {
		type filter hook output priority filter
		ip daddr 192.0.2.2 udp dport $port \
		    quota over $(($1 * 1498)) bytes drop
	}
}
END
}

# forge DIRECTION COUNT LIMIT [ARG ...]: no more datagrams than LIMIT leave.
forge()
{
	name="$1, $2 datagrams"
	direction=$1
	limit=$3
	shift 3
	let_pass "$limit" || skip_all "no quota"
	before=$(payload eth1 tx)
	brought=$(payload eth0 rx)
	run_on "$lab_a" 15 "$IPERF" -u -c 192.0.2.2 -p "$port" -B "$victim" \
	    "$direction" -b 50m "$@"
	stop_server INT
	brought=$(($(payload eth0 rx) - brought))
	got=$(($(payload eth1 tx) - before))
	diag "$name: $brought bytes forged, $got to the victim"
	ok "$name: something came" [ "$brought" -ge 80 ]
}

# brings_no_more DIRECTION COUNT LIMIT [ARG ...]
brings_no_more()
{
	forge "$@"
	ok "$name: no more comes out than went in" [ "$got" -le "$brought" ]
}

for direction in -R --full-duplex -d -r; do
	for count in 1 40; do
		start_server_on "$lab_b" -u || skip_all "no server"
		if [ "$direction" = -r ]; then
			brings_no_more -r "$count" 0 -n $((count * 1470))
		else
			brings_no_more "$direction" "$count" "$count" -t 0.5
		fi
	done
done
start_server_on "$lab_b" -u --trust-udp-sources || skip_all "no server"
forge -R 1 1 -t 0.5
ok "--trust-udp-sources sends on" [ "$got" -gt "$brought" ]
done_testing
