#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The type of service on the wire: a path that changes it is seen by the
# server, and what a server sends has what its connection line says.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/rows.sh"

need_lab
need nft
lab_up tos || skip_all "the kernel cannot make the lab"
ip netns exec "$lab_b" nft -f - <<END || skip_all "no packet filter"
table inet tos {
	chain arriving {
		type filter hook input priority filter
		ip dscp af11 ip dscp set cs1
		ip6 dscp af11 ip6 dscp set cs1
	}
}
END

# Counts what arrives at the client with the byte of -S ef, and without it, of
# packets that have more than a few bytes.
filter()
{
	ip netns exec "$lab_a" nft -f - <<END
table inet tos
delete table inet tos
table inet tos {
	counter marked { }
	counter plain { }
	chain arriving {
		type filter hook input priority filter
		meta l4proto { tcp, udp } meta length > 500 jump large
	}
	chain large {
		ip dscp ef counter name marked return
		ip6 dscp ef counter name marked return
		counter name plain
	}
}
END
}

# counted NAME: packets so far.
counted()
{
	ip netns exec "$lab_a" nft list counter inet tos "$1" |
	    sed -n 's/.*packets \([0-9]*\).*/\1/p'
}

# shellcheck disable=SC2317 # called by wait_until
has_connected()
{
	since_mark | grep -q ' connected with '
}

# No matter for a server of ours, which serves both families.
ip netns exec "$lab_b" sysctl -qw net.ipv6.bindv6only=1
for udp in "" -u; do
	start_server_on "$lab_b" -e $udp || skip_all "no server"
	for host in 192.0.2.2 2001:db8::2; do
		name="${udp:-TCP}, $host"
		mark
		run_on "$lab_a" 15 "$IPERF" -c "$host" -p "$port" $udp \
		    -b 10m -n 200K -S af11 -e
		is "$name: the client" "$status $err" "0 "
		wait_until 5 has_connected
		like "$name: as it came" "$(since_mark)" \
		    '\(tos rx=0x20,dscp=8,ecn=0\)'
		for direction in -R --full-duplex; do
			filter || skip_all "no packet filter"
			run_on "$lab_a" 15 "$IPERF" -c "$host" -p "$port" \
			    $udp -b 10m -n 200K -S ef $direction
			is "$name, $direction: the client" "$status $err" "0 "
			within "$name, $direction: data with the byte" \
			    "$(counted marked)" 4 1000
			is "$name, $direction: data without" \
			    "$(counted plain)" 0
		done
	done
	tap_host=$lab_b
	stop_server INT
	tap_host=
	is "${udp:-TCP}: the server ends well" "$status" 0
done

done_testing
