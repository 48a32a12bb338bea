#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -R, --full-duplex, -d and -r over UDP, both ends ours: both count the same
# bytes in each direction, exactly those asked for, and what a relay loses is
# what is missing, to the datagram.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

rows_udp=-u

# back NAME RULES WANTED [ARG ...]: through a relay; "LOST/TOTAL" of what came
# back to the client is WANTED.
back()
{
	name=$1
	rules=$2
	wanted=$3
	shift 3
	# shellcheck disable=SC2086 # words on purpose
	start_relay $rules
	run 15 "$IPERF" -u -c 127.0.0.1 -p "$relay_port" -f b -b 10m \
	    -n 100000 "$@"
	stop_relay
	is "$name $*" "$status $(printf '%s\n' "$out" |
	    sed -n 's/^\[ \*1\].* ms  *\([0-9]*\/[0-9]*\) .*/\1/p')" \
	    "0 $wanted"
}

start_server -u -f b || skip_all "the server does not start"
for streams in 1 4; do
	for direction in -R --full-duplex -d -r; do
		ways=2
		[ "$direction" != -R ] || ways=1
		ours_both "$ways" "$streams" 100000 "$direction" -n 100000 -b 10m
		ours_both "$ways" "$streams" any "$direction" -t 0.2 -b 10m
	done
	ours_both 1 "$streams" 3200 -R -n 3200 -l 16 -b 1m
done
ours_both 2 1 20000 --full-duplex -n 20000 -l 100 -b 10m
ours_both 2 1 20000 -d -n 20000 -l 100 -b 10m
ours_both 2 1 4800 -d -n 4800 -l 16 -b 1m
ours_both 1 32 any -R -t 0.2
mark
run 15 "$IPERF" -u -c 127.0.0.1 -p "$port" -f b -R -b 0 -t 0.3
wait_until 5 server_told 1
like "-R -b 0" "$status $out" '^\[ \*1\] .* ms [0-9]+/[0-9]+ '
ours_both 2 4 any --full-duplex -t 0.2 -b 10m -i 0.1

# The rate is honoured both ways.
for direction in --full-duplex -d -r; do
	ours_both 2 1 any "$direction" -t 0.5 -b 8m
	is "$direction: rates of both directions" "$(printf '%s\n' "$out" |
	    rows | awk '$1 !~ /SUM/ {
		seen[$1] = 1
		if ($5 < 7e6 || $5 > 9e6)
			print
	    }
	    END { for (id in seen) n++; print n + 0 }')" 2
done

# And the length of datagrams.
for direction in --full-duplex -d -r; do
	ours_both 2 1 20000 "$direction" -n 20000 -l 500 -b 8m
	# With -d and -r the server has been told what came back, too.
	is "$direction: datagrams there" "$(since_mark | udp_lines |
	    awk '$1 == "row" { print $6 "/" $7 }' | sort -u)" 0/40
	is "$direction: datagrams back" "$(printf '%s\n' "$out" | udp_lines |
	    awk '$1 == "row" && $2 != 1 { print $6 "/" $7 }')" 0/40
done

# 69 datagrams of 100000 bytes.
for direction in -R --full-duplex; do
	back "nothing is lost:" "" 0/69 "$direction"
	back "some are lost:" "back=7,20-22,68" 5/69 "$direction"
	back "the final is lost:" "backfinals=1" 0/69 "$direction"
done
back "the first is lost:" "back=1" 1/69 -R
back "the first five are lost:" "back=1-5" 5/69 -R
back "the challenge is lost:" "reports=1" 0/69 -R
back "what the client sends is lost:" "drop=2-60" 0/69 --full-duplex

mark
run 10 "$IPERF" -u -c 127.0.0.1 -p "$port" -R -n 20000
wait_until 5 server_told 1
like "the client's connection line" "$out" '^\[  1\] local .* \(reverse\)$'
like "the server's connection line" "$(since_mark)" \
    '^\[.*\] local .* \(reverse\) \(no-udp-fin\)$'

# A client that has gone is left alone.
mark
start_client()
{
	"$IPERF" -u -c 127.0.0.1 -p "$port" -R -t 30 >"$tmp/client" 2>&1 &
	client_pid=$!
	tap_servers="$tap_servers $client_pid"
}
# shellcheck disable=SC2317 # called by wait_until
server_says()
{
	since_mark | grep -q "$1"
}
start_client
wait_until 5 server_says '(reverse)'
kill -KILL "$client_pid"
wait_until 5 server_says "^iperf: .*\\(refused\\|nobody\\)" 
ok "a client that was killed is sent no more" server_says \
    "^iperf: .*\\(refused\\|nobody\\)"

# What is refused.
stop_server INT
start_server -u -f b --no-reverse
for direction in -R --full-duplex -d -r; do
	run 15 "$IPERF" -u -c 127.0.0.1 -p "$port" "$direction" -n 20000
	is "--no-reverse refuses $direction" "$status" 1
	[ "$direction" != -R ] ||
	    like "-R: the client says what it misses" "$err" \
	        'no data came from .*; the server may refuse'
done
ok "a line says so" grep -q 'refused: .* --no-reverse forbids$' \
    "$server_log"
run 10 "$IPERF" -u -c 127.0.0.1 -p "$port" -n 20000
is "an ordinary test is served" "$status" 0
run 10 "$IPERF" -u -c 127.0.0.1 -p "$(free_port)" -R -n 20000
is "no server: status" "$status" 1
like "no server: said" "$err" 'no data came from .*: Connection refused'
done_testing
