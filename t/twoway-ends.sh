#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# However tests of both directions end, on a slow link: by the client's time
# or the server's, by the amount of either, whichever direction takes longer,
# by a signal at either end. Both count the same in each direction, and no
# connection is reset. That one direction has an amount and the other a time
# cannot be asked for.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/lab.sh"

need_lab
lab_up ends rate=20mbit || skip_all "no pair of hosts"
ip netns exec "$lab_a" nft -f - <<END || skip_all "no packet filter"
table inet resets {
	chain arriving {
		type filter hook input priority filter
		tcp flags & rst == rst counter
	}
	chain leaving {
		type filter hook output priority filter
		tcp flags & rst == rst counter
	}
}
END

# resets: how many there have been, of either end.
resets()
{
	ip netns exec "$lab_a" nft list table inet resets |
	    awk '{ for (i = 1; i < NF; i++) if ($i == "packets") n += $(i + 1) }
	    END { print n + 0 }'
}

# limit HOST RATE: of what leaves it.
limit()
{
	ip netns exec "$1" tc qdisc change dev eth0 root \
	    tbf rate "$2" burst 16kb latency 50ms
}

# slow NAME: the way that is.
slow()
{
	slow_way=$1
	limit "$lab_a" 40mbit
	limit "$lab_b" 40mbit
	case $1 in
	"way there") limit "$lab_a" 10mbit ;;
	"way back") limit "$lab_b" 10mbit ;;
	esac
}

# begin FLOWS NAME [ARG ...]: a client, in the background.
begin()
{
	flows=$1
	name="slow $slow_way, $2"
	shift 2
	mark
	resets_before=$(resets)
	(tap_host=$lab_a; on_host timeout 30 "$IPERF" -c 192.0.2.2 -p "$port" \
	    -f b "$@") >"$tmp/out" 2>"$tmp/err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
}

# The client is the only child of timeout.
# shellcheck disable=SC2317 # called by wait_until
client_runs()
{
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	[ -n "$client_pid" ]
}

# end STATUS ERE: of the client, and of what it says; both have counted the
# same.
end()
{
	wait "$timeout_pid"
	is "$name: status" "$?" "$1"
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
	like "$name: what is said" "$err" "$2"
	# Not what same_totals is to judge.
	status=0
	same_totals "$name" "$flows"
	is "$name: no reset" "$(($(resets) - resets_before))" 0
}

# connected COUNT
# shellcheck disable=SC2317 # called by wait_until
connected()
{
	[ "$(since_mark | grep -c ' connected with ')" -ge "$1" ]
}

# moved BYTES: since the beginning so much has come and gone.
# shellcheck disable=SC2317 # called by wait_until
moved()
{
	[ "$(($(traffic) - traffic_before))" -ge "$1" ]
}

traffic()
{
	ip netns exec "$lab_a" cat /sys/class/net/eth0/statistics/rx_bytes \
	    /sys/class/net/eth0/statistics/tx_bytes |
	    awk '{ n += $1 } END { print n }'
}

# until_amid CONNECTIONS: the latest test has so many, and data is under way.
until_amid()
{
	traffic_before=$(traffic)
	wait_until 10 connected "$1"
	wait_until 10 moved 200000
}

# each_mode COMMAND: with flows, the client's connections so far, and the mode;
# several streams where no way is slow.
each_mode()
{
	for way in "way there" "way back" nothing; do
		slow "$way"
		"$1" 1 1 -R
		"$1" 2 1 --full-duplex
		"$1" 2 2 -d
		"$1" 1 1 -r
		[ "$way" = nothing ] || continue
		"$1" 4 2 --full-duplex -P 2
		"$1" 4 4 -d -P 2
	done
}

start_server_on "$lab_b" -f b || skip_all "the server does not start"
for way in "way there" "way back" nothing; do
	slow "$way"
	for mode in "1 -R" "2 --full-duplex" "2 -d" "2 -r"; do
		# shellcheck disable=SC2086 # words
		begin "${mode%% *}" "${mode#* } -n 150K" ${mode#* } -n 150K
		end 0 '^$'
		# shellcheck disable=SC2086 # words
		begin "$((${mode%% *} * 2))" "${mode#* } -t 0.4 -P 2" \
		    ${mode#* } -t 0.4 -P 2
		end 0 '^$'
	done
done

interrupt_client()
{
	flows=$1
	connections=$2
	shift 2
	begin "$flows" "$*, client interrupted" -t 20 "$@"
	until_amid "$connections"
	wait_until 5 client_runs
	kill -INT "$client_pid"
	end 0 '^iperf: interrupted'
}

each_mode interrupt_client
# The second direction of -r.
begin 2 "-r, client interrupted in the way back" -t 1 -r
until_amid 2
wait_until 5 client_runs
kill -INT "$client_pid"
end 0 '^iperf: interrupted'
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0

early='the peer ended its stream early'

interrupt_server()
{
	flows=$1
	connections=$2
	shift 2
	start_server_on "$lab_b" -f b
	begin "$flows" "$*, server interrupted" -t 20 "$@"
	until_amid "$connections"
	tap_host=$lab_b
	stop_server INT
	tap_host=
	end 1 "$early"
	is "$name: status of the server" "$status" 0
}

each_mode interrupt_server

# server_time STATUS FLOWS MODE ...: the time of the server ends the test.
server_time()
{
	server_status=$1
	server_flows=$2
	shift 2
	start_server_on "$lab_b" -f b -t 0.5
	begin "$server_flows" "$*, -t of the server" -t 2 "$@"
	end "$server_status" "$early"
	tap_host=$lab_b
	wait_server 10
	tap_host=
	is "$name: status of the server" "$status" 0
}

for way in "way there" "way back"; do
	slow "$way"
	server_time 1 2 --full-duplex
	server_time 1 4 --full-duplex -P 2
	server_time 1 2 -d
	server_time 1 1 -r
	server_time 1 1 -r -t 1
done
done_testing
