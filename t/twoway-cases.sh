#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Tests of both directions, both ends ours: the options hold in each direction,
# nothing of a test is left for the next, and scripts find their rows.
# IPERF_LONG=1: longer sequences.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

sequence=10
if [ -n "${IPERF_LONG:-}" ]; then
	sequence=60
fi

# client [ARG ...]: a test with the latest server.
client()
{
	run 15 "$IPERF" -c 127.0.0.1 -p "$port" -f b "$@"
}

# column N: of the total rows of the streams of the latest run.
column()
{
	printf '%s\n' "$out" | rows | awk -v n="$1" '$1 !~ /SUM/ { print $n }'
}

start_server -f b -e || skip_all "the server does not start"

# What -b, -n, -l and -t ask for holds in each direction.
for mode in -r -d; do
	for streams in 1 2; do
		flows=$((streams * 2))
		client "$mode" -b 8m -t 1 -P "$streams"
		is "$mode -b, $streams streams: both ways" \
		    "$status $(column 5 | wc -l)" "0 $flows"
		for rate in $(column 5); do
			within "$mode -b: a direction's rate" "$rate" \
			    1000000 8500000
		done
	done
	mark
	client "$mode" -n 100000 -l 1000
	same_totals "$mode -n -l: amount" 2 100000
	# The client's header is a write less.
	like "$mode -l: the server's writes" "$(since_mark)" \
	    '^\[ *\*[0-9]*\] .* 100000 Bytes .* 100/0 '
	client "$mode" -t 0.4
	is "$mode -t: both ways" "$status $(column 3 | wc -l)" "0 2"
	for end in $(column 3); do
		within "$mode -t: the length of a direction" "$end" 0.35 3
	done
done

stop_server INT

# Many streams each way.
start_server -f b
for mode in -r -d --full-duplex; do
	mark
	client "$mode" -n 20000 -P 16
	same_totals "$mode -P 16" 32 20000
done
stop_server INT
is "the server ends well" "$status" 0

# A random sequence of tests, each as with a server that is new.
option_set()
{
	case $1 in
	0) echo "-n 1" ;;
	1) echo "-R -n 100000" ;;
	2) echo "--full-duplex -n 50000 -P 2" ;;
	3) echo "-d -n 40000 -l 500" ;;
	4) echo "-r -n 30000 -P 3" ;;
	5) echo "-R -n 70000 -b 80m -S 0x20" ;;
	6) echo "-n 90000 -Z reno -P 4" ;;
	7) echo "-R -n 1 -P 2" ;;
	8) echo "-R -n 200000 -Z reno -l 3000 --tcp-write-prefetch 64K" ;;
	9) echo "--full-duplex -n 1" ;;
	esac
}

# outcome SET: status, and the bytes of each stream at both ends.
outcome()
{
	mark
	# shellcheck disable=SC2046 # words
	client $(option_set "$1")
	streams=$(column 4 | wc -l)
	wait_until 5 server_told "$streams"
	echo "$status $(printf '%s\n' "$out" | rows | totals)/" \
	    "$(since_mark | rows | totals)/ $(since_mark | grep -c '^iperf')"
}

set=0
while [ "$set" -lt 10 ]; do
	start_server -f b
	outcome "$set" >"$tmp/fresh-$set"
	stop_server INT
	set=$((set + 1))
done
start_server -f b
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
wrong=
i=0
while [ "$i" -lt "$sequence" ]; do
	seed=$(((seed * 25173 + 13849) % 65536))
	set=$((seed / 7 % 10))
	outcome "$set" >"$tmp/outcome"
	cmp -s "$tmp/outcome" "$tmp/fresh-$set" ||
	    wrong="$wrong [$i: $(option_set "$set"): $(cat "$tmp/outcome")]"
	i=$((i + 1))
done
is "$sequence tests are as with a new server" "$wrong" ""
unlike "the new servers have served" "$(cat "$tmp"/fresh-*)" '^[^0]|^0 /'
stop_server INT

# What scripts read: one row for each direction, and at most one for both.
start_server -y C
client --full-duplex -n 100000 -y C
is "--full-duplex -y C: client's rows" "$(printf '%s\n' "$out" |
    awk -F, '{ print $6 == -1 ? "sum" : "row", $8 }' | sort | uniq -c |
    tr -s ' ' | tr '\n' ';')" " 2 row 100000;"
ok "--full-duplex -y C: the server's rows" wait_until 5 \
    grep -q ',100000,' "$server_log"
stop_server INT
is "--full-duplex -y C: and no others" \
    "$(awk -F, '{ print $6 == -1 ? "sum" : "row", $8 }' "$server_log" |
    sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 2 row 100000;"
done_testing
