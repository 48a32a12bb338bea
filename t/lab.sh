# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# Two hosts on a cable, for tests that need a network: namespaces joined by a
# veth pair. Source after tap.sh. lab_up sets lab_a and lab_b, the hosts'
# names for run_on and start_server_on; their addresses are
#
#	lab_a	192.0.2.1	2001:db8::1
#	lab_b	192.0.2.2	2001:db8::2

lab_names=
lab_a=
lab_b=

# need_lab: skips the test where namespaces cannot be made.
need_lab()
{
	[ "$(id -u)" = 0 ] || skip_all "needs root for network namespaces"
	need ip
	ip netns add "iperf-$$" 2>/dev/null ||
	    skip_all "network namespaces cannot be made here"
	ip netns delete "iperf-$$"
}

# Configures one end: host, last digit of its addresses.
lab_configure()
{
	# Or addresses are no good for a second.
	ip netns exec "$1" sysctl -qw net.ipv6.conf.eth0.accept_dad=0
	ip -n "$1" link set dev lo up &&
	    ip -n "$1" address add "192.0.2.$2/24" dev eth0 &&
	    ip -n "$1" address add "2001:db8::$2/64" dev eth0 nodad &&
	    ip -n "$1" link set dev eth0 up &&
	    ip -n "$1" route add 224.0.0.0/4 dev eth0
}

# A token bucket with 10 ms of queue, in place of any before: host, rate.
lab_limit()
{
	ip netns exec "$1" tc qdisc replace dev eth0 root \
	    tbf rate "$2" burst 64kb latency 10ms
}

# Drops a share of what arrives, at random, percent with fractions.
lab_drop()
{
	lab_per_million=$(awk -v p="$2" 'BEGIN { printf "%d", p * 10000 }')
	ip netns exec "$1" nft -f - <<END
table inet lab {
	chain arriving {
		type filter hook input priority filter
		meta l4proto { tcp, udp } \
		    numgen random mod 1000000 < $lab_per_million drop
	}
}
END
}

# lab_up NAME [mtu=BYTES] [rate=RATE] [loss=PERCENT]: makes both hosts; rate
# as tc(8) writes it, for both directions; loss on arrival at lab_b. False
# where the kernel cannot.
lab_up()
{
	lab_a=iperf-$$-$1-a
	lab_b=iperf-$$-$1-b
	shift
	lab_mtu=1500
	lab_rate=
	lab_loss=
	for lab_setting; do
		case $lab_setting in
		mtu=*) lab_mtu=${lab_setting#mtu=} ;;
		rate=*) lab_rate=${lab_setting#rate=} ;;
		loss=*) lab_loss=${lab_setting#loss=} ;;
		*) diag "lab_up: what is $lab_setting?"; return 1 ;;
		esac
	done
	for lab_host in "$lab_a" "$lab_b"; do
		lab_names="$lab_names $lab_host"
		ip netns add "$lab_host" || return 1
	done
	ip -n "$lab_a" link add eth0 mtu "$lab_mtu" type veth \
	    peer name eth0 netns "$lab_b" mtu "$lab_mtu" &&
	    lab_configure "$lab_a" 1 && lab_configure "$lab_b" 2 || return 1
	if [ -n "$lab_rate" ]; then
		lab_limit "$lab_a" "$lab_rate" &&
		    lab_limit "$lab_b" "$lab_rate" || return 1
	fi
	if [ -n "$lab_loss" ]; then
		lab_drop "$lab_b" "$lab_loss" || return 1
	fi
}

# lab_down: removes all hosts of this test; the trap of tap.sh does it too.
lab_down()
{
	for lab_host in $lab_names; do
		ip netns delete "$lab_host" 2>/dev/null
	done
	lab_names=
}
