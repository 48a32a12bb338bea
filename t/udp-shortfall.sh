#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A link slower than -b: how much was not sent is told, and why. On a busy
# machine other reasons may follow the one that is looked for.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/udp.sh"

need_lab
lab_up slow rate=10mbit || skip_all "no pair of hosts with a slow link"
start_server_on "$lab_b" -u -f b || skip_all "the server does not start"

# client ARG ...: one test. The socket is full before the queue of the link.
client()
{
	run_on "$lab_a" 15 "$IPERF" -c 192.0.2.2 -p "$port" -u -w 20k -t 1 "$@"
	is "$*: status, stderr" "$status $err" "0 "
}

# missing: percent not sent in each remark, in a line.
missing()
{
	printf '%s\n' "$out" |
	    sed -n 's/^.* \([0-9.]*\)% of the target rate not sent: .*/\1/p' |
	    tr '\n' ' '
}

client -b 50m
like "-b 50m: the socket was full" "$out" \
    '^\[  1\] .* target rate not sent: socket full [0-9]*% of the time'
within "-b 50m: so much is missing" "$(missing | cut -d ' ' -f 1)" 60 95
like "-b 50m: but nothing is lost" "$out" ' ms 0/[1-9][0-9]* \(0%\)$'

client -b 50m -P 2
is "-P 2: each stream and the sum" "$(missing | wc -w)" 3
like "-P 2: the sum" "$out" '^\[SUM\] .* not sent: socket full [0-9]*% of'
unlike "-P 2: buffers are not to blame" "$out" 'buffer space'

client -b 50m --economy
like "--economy: the socket was full" "$out" ' not sent: socket full [0-9]*% of'

client -b 2m
unlike "-b 2m: the socket was not full" "$out" 'socket full'
client -b 0
is "-b 0: nothing was asked for" "$(missing)" ""

client -b 50m -y C
is "CSV has no remarks" "$(printf '%s\n' "$out" | grep -vc '^[-+0-9.,:]*$')" 0
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0
done_testing
