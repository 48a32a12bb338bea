#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --sync-transfer-id: both ends print a stream under the same number, unless
# somebody else has it.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# numbers: of the connections on standard input, "ID PORT", where PORT is the
# client's.
numbers()
{
	sed -n -e 's/^\[ *\([0-9]*\)\] local [^ ]* port \([0-9]*\) connected '\
'with [^ ]* port \([0-9]*\).*/\1 \2 \3/p' |
	    awk -v port="$port" '{ print $1, $2 == port ? $3 : $2 }' | sort -n
}

# shellcheck disable=SC2317 # called by wait_until
connected()
{
	[ "$(since_mark | numbers | wc -l)" -ge "$1" ]
}

# same_numbers NAME STREAMS: the latest run and the server's lines since the
# mark have the same, which are 1, 2 and so on.
same_numbers()
{
	wait_until 10 connected "$2"
	numbers_ours=$(printf '%s\n' "$out" | numbers)
	is "$1: the same numbers at both ends" "$(since_mark | numbers)" \
	    "$numbers_ours"
	is "$1: which they are" \
	    "$(printf '%s\n' "$numbers_ours" | awk '{ printf "%s ", $1 }')" \
	    "$(seq -s ' ' "$2") "
}

# sync STREAMS FLOWS [ARG ...]: a client of ours, twice: the second time its
# numbers are free again.
sync()
{
	streams=$1
	flows=$2
	shift 2
	for again in "" " again"; do
		mark
		run 15 "$IPERF" -c 127.0.0.1 -p "$port" -f b -P "$streams" \
		    --sync-transfer-id "$@"
		same_totals "$*$again: totals" "$flows"
		same_numbers "$*$again" "$streams"
	done
}

start_server -f b || skip_all "the server does not start"
sync 4 4 -n 50000
sync 3 3 -n 50000 -R
sync 3 6 -n 50000 --full-duplex
sync 2 2 -n 50000 -X
sync 2 2 -n 50000 --no-connect-sync

# One that says nothing of numbers goes on with the server's own.
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 50000 -P 2
wait_until 10 connected 2
is "no option: numbers that nobody had" "$(since_mark | numbers |
    awk '$1 > 4' | wc -l)" 2
stop_server INT

start_server -u -f b || skip_all "the server does not start"
sync 4 4 -u -n 50000 -b 10m
sync 2 2 -u -n 50000 -b 10m -R
sync 2 4 -u -n 50000 -b 10m --full-duplex
stop_server INT

# Two clients at a time, and a third that has no wish: no number twice.
# clash [ARG ...]: the clients of a server that was just started.
clash()
{
	on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -t 20 -b 1m -P 2 \
	    --sync-transfer-id "$@" >"$tmp/first" 2>&1 &
	first_pid=$!
	tap_servers="$tap_servers $first_pid"
	rows_marked=0
	wait_until 10 connected 2
	is "clash $*: the first" "$(since_mark | numbers |
	    awk '{ printf "%s ", $1 }')" "1 2 "
	for way in --sync-transfer-id -e; do
		mark
		run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -n 50000 -P 2 \
		    $way "$@"
		is "clash $* $way: status" "$status" 0
		wait_until 10 connected 2
		is "clash $* $way: numbers of its own" "$(since_mark |
		    numbers | awk '$1 > 2' | wc -l)" 2
		is "clash $* $way: where the client's are told" \
		    "$(since_mark | grep -c ' (transfer id [12])$')" \
		    "$([ "$way" = -e ] && echo 0 || echo 2)"
	done
	kill -TERM "$first_pid" # handed on
	wait "$first_pid"
	stop_server INT
}

start_server -f b || skip_all "the server does not start"
clash
start_server -u -f b || skip_all "the server does not start"
clash -u

# An iperf 2 takes no notice, and above all starts no test back.
case $("$PEER" --version 2>&1) in
"iperf version 2."[01].*) ;;
*)
	skip "iperf 2" "no iperf 2.1 at $PEER"
	done_testing
	;;
esac
for way in "2 -n 50000" "2 -t 0.3" "1 -n 50000 -R" "2 -n 50000 -u -b 10m"; do
	args="${way#* }"
	protocol=
	case $way in *" -u "*) protocol=-u ;; esac
	# Now and then its server hangs or crashes at the end.
	for try in 1 2 3; do
		start_peer -f b -e $protocol
		# shellcheck disable=SC2086 # words
		run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b \
		    -P "${way%% *}" $args --sync-transfer-id
		result=$status
		stop_server INT
		[ "$result$err" != 0 ] || break
	done
	diag "try $try"
	is "iperf 2, $args: all is well" "$result $err" "0 "
	is "iperf 2, $args: connections" "$(grep -c ' connected with ' \
	    "$server_log")" "${way%% *}"
	unlike "iperf 2, $args: no test back" "$(cat "$server_log")" \
	    'Client connecting'
done
done_testing
