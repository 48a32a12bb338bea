#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The first datagrams of each flow are lost, one way, the other or both: all
# streams run, and count the losses of data as such. A stream that never begins
# is a failure.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# losses ERE: of the streams that ERE has of the rows on standard input, how
# many lost how much: "N of LOST/TOTAL".
losses()
{
	udp_lines | awk -v id="$1" '
	    $1 == "row" && $2 ~ id { last[$2] = $6 "/" $7 }
	    END { for (i in last) print last[i] }' |
	    sort | uniq -c | sed 's/^ *\([0-9]*\) /\1 of /' | tr '\n' ' '
}

# shellcheck disable=SC2317 # called by wait_until
server_has()
{
	[ "$(since_mark | losses '^[0-9]')" = "$1" ]
}

# client STREAMS RULES [ARG ...]: a test of 69 datagrams each way, through a
# relay.
client()
{
	streams=$1
	rules=$2
	shift 2
	mark
	# shellcheck disable=SC2086 # words on purpose
	start_relay $rules || diag "no relay: $(cat "$relay_log")"
	run 20 "$IPERF" -u -c 127.0.0.1 -p "$relay_port" -f b -P "$streams" \
	    -n 100000 -b 5m "$@"
	stop_relay
}

# there NAME LOST: what the server has counted of the latest test.
there()
{
	wait_until 5 server_has "$streams of $2/69 "
	is "$1" "$(since_mark | losses '^[0-9]')" "$streams of $2/69 "
}

# back NAME LOST: what the client has counted of what came back.
back()
{
	is "$1" "$status $(printf '%s\n' "$out" | losses '^[*]')" \
	    "0 $streams of $2/69 "
}

start_server -u -f b || skip_all "the server does not start"
for n in 1 4 32; do
	client "$n" "firsts=1"
	is "-P $n, the first: status" "$status" 0
	there "-P $n, the first: the server" 1
	is "-P $n, the first: the client is told" \
	    "$(printf '%s\n' "$out" | losses '^[0-9]')" "$n of 1/69 "
	client "$n" "reports=1"
	is "-P $n, the first answer: status" "$status" 0
	is "-P $n, the first answer: the client is told" \
	    "$(printf '%s\n' "$out" | losses '^[0-9]')" "$n of 0/69 "

	for rules in "firsts=1" "firsts=3" "reports=1" "firsts=1 reports=1"; do
		client "$n" "$rules" -R
		back "-P $n -R, $rules" 0
	done
	for rules in "back=1" "firsts=1 back=1"; do
		client "$n" "$rules" -R
		back "-P $n -R, $rules" 1
	done

	client "$n" "firsts=1" --full-duplex
	back "-P $n --full-duplex, the first: back" 0
	there "-P $n --full-duplex, the first: there" 1
	client "$n" "firsts=1 reports=1 back=1" --full-duplex
	back "-P $n --full-duplex, both firsts: back" 1
	there "-P $n --full-duplex, both firsts: there" 1
done

client 4 "mute=2" -R
is "one of four never begins: status" "$status" 1
is "one of four never begins: the others" \
    "$(printf '%s\n' "$out" | losses '^[*]' | sed 's/.*\(3 of\)/\1/')" \
    "3 of 0/69 "
is "one of four never begins: is told" \
    "$(printf '%s\n' "$err" | grep -c 'no data came from')" 1
stop_server INT
is "the server ends well" "$status" 0
done_testing
