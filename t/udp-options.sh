#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Options of a UDP client, towards our server and an installed iperf 2: the
# test ends well, and all that the client says it sent is in the report.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

# What the client sent, and what the server says of it; "same" if all came.
verdict()
{
	printf '%s\n' "$out" | awk -v some="${1:-0}" -v allowed=2 '
	    /^\[ *[0-9]+\] Sent [0-9]+ datagrams$/ { sent += $(NF - 1) }
	    /^\[SUM-[0-9]+\] Sent [0-9]+ datagrams$/ { all = $(NF - 1) }
	    match($0, /[0-9]+\/ *[0-9]+ \([^)]*%\)/) && !/^\[SUM/ {
		split(substr($0, RSTART, RLENGTH), part, /[\/ (]+/)
		lost += part[1]
		total += part[2]
	    }
	    END {
		if (sent == 0) # --sum-only
			sent = all
		if (sent > 0 && sent == total && lost * allowed <= total * some)
			print "same"
		else
			print sent + 0, "sent,", lost + 0, "lost of", total + 0
	    }'
}

# option [ARG ...]: a client with it.
option()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u "$@"
	is "$to: $*: ends well" "$status $err" "0 "
	is "$to: $*: what was sent arrived" "$(verdict)" same
}

# peer_option ARGS: towards a server of iperf 2, which dies now and then, and
# loses some of streams that start together: judge in udp.sh.
peer_option()
{
	some=0
	case $1 in *-P*) some=1 ;; esac
	for try in 1 2 3 4; do
		start_peer -u || break
		# shellcheck disable=SC2086 # words on purpose
		run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -t 0.2 $1
		alive "$server_pid" && break
		diag "the peer's server died, try $try"
	done
	is "$to: $1: ends well" "$status $err" "0 "
	is "$to: $1: what was sent arrived" "$(verdict "$some")" same
	stop_server KILL 2>/dev/null
}

options()
{
	option -t 0.2 -b 1000pps
	option -t 0.2 -b 5m,1m
	option -n 20000 -b 0
	option -n 20000 -b 0pps
	option -t 0.2 -b 1kpps -l 16
	option -t 0.2 -B 127.0.0.2
	option -t 0.2 -l 100 --ipg 0.001
	option -n 14700 -l 1470 -b 5m -w 256K
	option -t 0.2 -S 0x10 -e
	option -t 0.2 --dscp 10
	option -t 0.2 -T 3
	option -t 0.2 -P 2 --incr-dstip
	option -t 0.2 -P 2 -B "127.0.0.1:$(free_port)" --incr-srcport
	option -t 0.2 -P 2 -B 127.0.0.1 --incr-srcip
	option -t 0.2 --trip-times
	option -t 0.2 --txstart-time "$(($(date +%s) + 2))"
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -n 5000 --no-udp-fin
	is "$to: --no-udp-fin: ends well" "$status $err" "0 "
	unlike "$to: --no-udp-fin: no report" "$out" 'Server Report'
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -P 2 -n 5000 --sum-only
	is "$to: --sum-only: ends well" "$status $err" "0 "
	is "$to: --sum-only: one row" \
	    "$(printf '%s\n' "$out" | grep -c '^\[SUM.*/sec$')" 1
}

to=ours
start_server -u --histograms=100u --jitter-histograms=10 ||
    skip_all "the server does not start"
options
stop_server INT
is "ours: status of the server" "$status" 0
like "ours: --histograms" "$(cat "$server_log")" 'T8.*bin\(w='
like "ours: --jitter-histograms" "$(cat "$server_log")" 'J8.*bin\(w='

to="iperf 2"
case $("$PEER" --version 2>&1) in
"iperf version 2."[012].*)
	# Not --incr-dstip: it answers from the wrong one of its addresses.
	for tested in "--txstart-time $(($(date +%s) + 2))" "-b 1000pps" \
	    "-S 0x10 -e" "-T 3" "--ipg 0.002" "-b 5m,1m" \
	    "-l 44" "-w 256K" "-l 16" "-B 127.0.0.2" "-e --trip-times" \
	    "-B 127.0.0.2:$(free_port)" "-P 2 -B 127.0.0.2 --incr-srcip" \
	    "-P 2 -B 127.0.0.1:$(free_port) --incr-srcport" \
	    "-P 2 --sum-only"; do
		peer_option "$tested"
	done
	;;
*)
	skip "options towards iperf 2" "no iperf 2 at $PEER"
	;;
esac

# A name of IPv6 addresses only: datagrams as for their literals.
echo "::1 six.example" >"$tmp/hosts"
# shellcheck disable=SC2016 # for the inner shell
run 10 unshare -m sh -c 'mount --bind "$0" /etc/hosts || exit 77
    exec "$@"' "$tmp/hosts" "$IPERF" -c six.example -p "$(free_port)" -u \
    -t 0.1 --no-udp-fin
case $out in
*"Sending"*)
	like "a name of IPv6 only: length" "$out" '^Sending 1450 byte datagrams'
	;;
*)
	skip "a name of IPv6 only: length" "no hosts file of our own"
	;;
esac
done_testing
