#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -F and -I with UDP: the bytes of a file, all of them, in order, then the end.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

sink=$builddir/t/udp_sink

# shellcheck disable=SC2317 # called by wait_until
sink_told()
{
	[ -s "$server_log" ]
}

# stored NAME FIRST SIZE [ARG ...]: SIZE bytes of the file arrive, in
# datagrams from id FIRST on, and the client knows how many there were.
stored()
{
	name=$1
	first=$2
	size=$3
	shift 3
	start "$sink" "$tmp/stored" "$first"
	wait_until 5 sink_told
	# shellcheck disable=SC2016 # for the inner shell
	run 10 sh -c 'cat "$0" | exec "$@"' "$tmp/file" "$IPERF" -c 127.0.0.1 \
	    -p "$(head -n 1 "$server_log")" -u -b 20000pps --no-udp-fin -f b \
	    "$@"
	is "$name: ends well" "$status $err" "0 "
	wait_server 5
	head -c "$size" "$tmp/file" >"$tmp/wanted"
	ok "$name: content" cmp "$tmp/wanted" "$tmp/stored"
	is "$name: counts" "$(tail -n 1 "$server_log")" \
	    "$(printf '%s\n' "$out" | sed -n \
	    -e 's/.* sec  *\([0-9]*\)[.0]* Bytes .*/\1/p' \
	    -e 's/.* Sent \([0-9]*\) datagrams$/\1/p' |
	    awk '{ n[NR] = $1 } END { print n[2], "datagrams", n[1], "bytes" }')"
}

for size in 0 1 1454 1455 300000; do
	head -c "$size" /dev/urandom >"$tmp/file"
	stored "-F, $size bytes" 2 "$size" -F "$tmp/file"
	stored "-C -I, $size bytes" 1 "$size" -C -I
done
stored "-F -l 100" 2 "$size" -F "$tmp/file" -l 100
stored "-F -b 0" 2 "$size" -F "$tmp/file" -b 0 -l 4000
# Ten datagrams, of which the first has none of the file.
stored "-F -n" 2 $((9 * 984)) -F "$tmp/file" -l 1000 -n 10000
stored "-C -F -n" 1 $((10 * 984)) -C -F "$tmp/file" -l 1000 -n 10000
stored "-C -F -n, one datagram" 1 $((500 - 32)) -C -F "$tmp/file" -n 500

# Towards a server: nothing is lost of what was counted.
start_server -u -f b || skip_all "the server does not start"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -P 2 -l 1016 -b 50m \
    -F "$tmp/file"
is "to a server: ends well" "$status $err" "0 "
# 300 datagrams of 1000 bytes, before them the header, after them the end.
is "to a server: what arrived" "$(printf '%s\n' "$out" | udp_lines |
    awk '$1 == "row" && $2 != "SUM" { print $5, $6 "/" $7 }')" \
    "$((301 * 1016 + 16)) 0/302
$((301 * 1016 + 16)) 0/302"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -F /dev/zero -t 0.3
is "-t ends an endless file" "$status $err" "0 "
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -F "$tmp/none"
is "no such file: status" "$status" 1
like "no such file: says why" "$err" "^iperf: cannot read '$tmp/none': "

# What cannot be read in mid-test is told; what was read before has arrived.
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -F /proc/self/mem
is "unreadable: status" "$status" 1
is "unreadable: says why" "$err" \
    "iperf: [  1] cannot read '/proc/self/mem': Input/output error"
like "unreadable: the server knows the end" "$out" ' ms 0/2 \(0%\)$'
# shellcheck disable=SC2016 # for the inner shell
run 10 sh -c 'exec "$@" <"$0"' / "$IPERF" -c 127.0.0.1 \
    -p "$port" -u -I
is "unreadable, -I: says why" "$status $err" \
    "1 iperf: [  1] cannot read standard input: Is a directory"

# A file that comes slowly: what is missing of the rate is told. This one has
# a writer that writes nothing.
mkfifo "$tmp/fifo"
# shellcheck disable=SC2016 # for the inner shell
run 10 sh -c 'exec "$@" <>"$0"' "$tmp/fifo" "$IPERF" -c 127.0.0.1 -p "$port" \
    -u -b 5m -t 0.4 -I
is "slow input: ends well" "$status $err" "0 "
like "slow input: told" "$out" \
    ' (9[0-9.]*|100)% of the target rate not sent: waited for input [0-9.]*%'
unlike "slow input: nothing else is to blame" "$out" 'keep up|socket full'
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -b 5m -F "$tmp/file" -t 0.4
unlike "a file that is there: nobody waited for it" "$out" 'for input'

# The first datagram has the header. When it is lost, bytes of the file are
# none, whatever they look like.
relay=no
[ -x "$relay_program" ] && start_relay drop=1 && relay=yes
for byte in 377 141 000; do
	if [ "$relay" = no ]; then
		skip "first datagram lost, file of bytes $byte" "no t/relay"
		continue
	fi
	head -c 20000 /dev/zero | tr '\000' "\\$byte" >"$tmp/file"
	run 10 "$IPERF" -c 127.0.0.1 -p "$relay_port" -u -f b -l 1016 -b 50m \
	    -F "$tmp/file"
	is "first datagram lost, file of bytes $byte: ends well" \
	    "$status $err" "0 "
	is "first datagram lost, file of bytes $byte: the report" \
	    "$(printf '%s\n' "$out" | udp_lines |
	    awk '$1 == "row" { print $5, $6 "/" $7 }')" \
	    "$((20 * 1016 + 16)) 1/22"
done
stop_server INT
is "the server ends well" "$status" 0
unlike "the server takes no file for a header" "$(cat "$server_log")" \
    'asks for|refused'
done_testing
