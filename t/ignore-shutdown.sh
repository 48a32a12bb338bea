#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --ignore-shutdown: the client's time ends with its last write, and still
# everything arrives.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

# Over loopback, with our server and with an iperf 2.
start_server -f b || skip_all "the server does not start"
ours 1 1000000 -n 1000000 --ignore-shutdown
ours 4 any -t 0.3 --ignore-shutdown
ours 2 any -t 0.3 -b 5m --ignore-shutdown
ours 2 any -t 0.3 -i 0.1 -e --ignore-shutdown
ours_both 2 2 200000 -n 200000 --full-duplex --ignore-shutdown
ours_both 2 1 200000 -n 200000 -d --ignore-shutdown
ours_both 2 1 200000 -n 200000 -r --ignore-shutdown
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 10K -R --ignore-shutdown
is "-R: it has no effect" "$status $err" \
    "0 iperf: --ignore-shutdown has no effect with -R"
stop_server INT

case $("$PEER" --version 2>&1) in
"iperf version 2."[012].*)
	start_peer -f b
	mark
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -n 1000000 -P 2 \
	    --ignore-shutdown
	same_totals "to iperf 2" 2 1000000
	stop_server INT
	;;
*)
	skip "to iperf 2" "no iperf 2 at $PEER"
	;;
esac

# A link on which what the socket holds takes most of a second.
if [ "$(id -u)" != 0 ] || ! lab_up shutdown rate=1mbit; then
	skip "slow link" "no pair of hosts"
	done_testing
fi
start_server_on "$lab_b" -f b || skip_all "the server does not start"

# slow [ARG ...]: sets end, the client's last moment, and server_end.
slow()
{
	mark
	run_on "$lab_a" 20 "$IPERF" -c 192.0.2.2 -p "$port" -f b -n 150000 \
	    -w 200K "$@"
	same_totals "slow link $*" 1 150000
	end=$(printf '%s\n' "$out" | rows | awk '{ end = $3 } END { print end }')
	server_end=$(since_mark | rows | awk '{ end = $3 } END { print end }')
}

slow
within "slow link: the end of the client, the server's and more" \
    "$(awk -v a="$end" -v b="$server_end" 'BEGIN { print a - b }')" -0.2 100
slow --ignore-shutdown
within "slow link: the server's end, long after the client's" \
    "$(awk -v a="$end" -v b="$server_end" 'BEGIN { print b - a }')" 0.2 100
slow --ignore-shutdown -i 0.2

# What does not arrive is told, although the figures are out before: from so
# many bytes on nothing gets through.
ip netns exec "$lab_b" nft -f - <<END || skip "lost" "no packet filter"
table inet shutdown {
	chain arriving {
		type filter hook input priority filter
		meta l4proto tcp quota over 60 kbytes drop
	}
}
END
run_on "$lab_a" 30 "$IPERF" -c 192.0.2.2 -p "$port" -f b -n 150000 -w 200K \
    --ignore-shutdown
is "lost: status" "$status" 1
like "lost: is told" "$err" 'stalled: [1-9][0-9]* bytes were not acknowledged'
is "lost: the figures" "$(printf '%s\n' "$out" | rows | totals)" "150000 "
done_testing
