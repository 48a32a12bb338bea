#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -F and -I: the bytes of a file, all of them, in order, then the end.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# What the header of a test adds to the file.
header=64

start_server -f b || skip_all "the server does not start"
for size in 0 1 131071 131072 131073 3000000; do
	head -c "$size" /dev/urandom >"$tmp/file"
	mark
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -F "$tmp/file"
	same_totals "-F with $size bytes" 1 $((size + header))
done
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -F "$tmp/file" -P 3
same_totals "-F, the file in each of 3 streams" 3 $((size + header))

mark
# shellcheck disable=SC2016 # for the inner shell
run 10 sh -c 'exec "$@" <"$0"' "$tmp/file" \
    "$IPERF" -c 127.0.0.1 -p "$port" -f b -I
same_totals "-I, a file" 1 $((size + header))
mark
# shellcheck disable=SC2016 # for the inner shell
run 10 sh -c '(cat "$0"; cat "$0") | exec "$@"' "$tmp/file" \
    "$IPERF" -c 127.0.0.1 -p "$port" -f b -I
same_totals "-I, a pipe" 1 $((size + size + header))

# -t ends an endless file.
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -F /dev/zero -t 0.3
same_totals "-F /dev/zero -t" 1

# This file can be opened, but its first bytes are no memory.
if [ -r /proc/self/mem ]; then
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -F /proc/self/mem
	is "-F, a file that cannot be read: status" "$status" 1
	like "-F, a file that cannot be read: says so" "$err" \
	    "^iperf: \[  1\] cannot read '/proc/self/mem': "
else
	skip "-F, a file that cannot be read" "there is no such file"
fi
# shellcheck disable=SC2016 # for the inner shell
run 10 sh -c 'exec "$@" <"$0"' / "$IPERF" -c 127.0.0.1 -p "$port" -I
is "-I, that cannot be read: says so" "$status $err" \
    "1 iperf: [  1] cannot read standard input: Is a directory"
stop_server INT

# Content, at a sink that stores what comes.
sink=$builddir/t/sink
# shellcheck disable=SC2317 # called by wait_until
sink_told()
{
	[ -s "$server_log" ]
}

# stored NAME [ARG ...]: what the client sends with -F arrives as it is.
stored()
{
	name=$1
	shift
	if [ ! -x "$sink" ]; then
		skip "$name" "no t/sink"
		return
	fi
	start "$sink" "$tmp/stored"
	wait_until 5 sink_told
	run 30 "$IPERF" -c 127.0.0.1 -p "$(cat "$server_log")" "$@"
	wait_server 10
	tail -c "$size" "$tmp/stored" >"$tmp/content"
	is "$name, size" "$(wc -c <"$tmp/stored")" \
	    $((size + expected_header))
	ok "$name, content" cmp -s "$tmp/file" "$tmp/content"
}

expected_header=0
for size in 0 1 131071 131072 131073 100000000 3000000; do
	head -c "$size" /dev/urandom >"$tmp/file"
	stored "-C -F, $size bytes" -C -F "$tmp/file"
done
stored "-C -F -l 1000" -C -F "$tmp/file" -l 1000
stored "-C -F -b" -C -F "$tmp/file" -b 200m
expected_header=$header
stored "-F, after the header" -F "$tmp/file"
done_testing
