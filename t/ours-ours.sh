#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Both ends ours: sizes, times, addresses. Both count the same bytes, and
# exactly those asked for.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

start_server -f b || skip_all "the server does not start"
host=127.0.0.1
for p in 1 4; do
	for n in 1 23 24 100 131071 131072 131073; do
		ours "$p" "$n" -n "$n"
	done
	ours "$p" 10485760 -n 10M
	ours "$p" 3001 -n 3001 -l 16
	ours "$p" 300001 -n 300001 -l 1000
	ours "$p" any -t 0.2
	for l in 16 64K 1M; do
		ours "$p" any -t 0.2 -l "$l"
	done
done
# More than 32 bits of bytes, where that takes a few seconds only.
ours 1 any -t 0.5
if printf '%s\n' "$out" | rows | awk '{ exit !($5 > 16e9) }'; then
	ours 1 5368709120 -n 5G
else
	skip "127.0.0.1 -P 1 -n 5G" "too slow here"
fi
ours 1 any -t 1 -i 0.25
ours 4 any -t 1 -i 0.5

# Headerless, as for very old servers.
ours 1 1 -n 1 -C
ours 4 300001 -n 300001 -C
ours 1 any -t 0.2 -C -l 1000

host=::1
for p in 1 4; do
	ours "$p" 131073 -n 131073
	ours "$p" any -t 0.2 -V
done
host='[::1]'
ours 1 131073 -n 131073 -V
# A bare system may not know the name.
host=localhost
getent ahostsv4 localhost >/dev/null || host=127.0.0.1
ours 1 131073 -n 131073 -4

# Order means nothing.
mark
run 5 "$IPERF" -n 1000 -P 3 -f b -p "$port" -c 127.0.0.1
same_totals "-P before -c" 3 1000
stop_server INT
is "the server ends well" "$status" 0

# Intervals at both ends of each.
intervals "$IPERF"
done_testing
