#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Nothing of a UDP test is left for the next: each test of a random sequence is
# in all that both ends tell, but times, as with a server that is new.
# IPERF_LONG=1: longer sequences.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

sequence=30
if [ -n "${IPERF_LONG:-}" ]; then
	sequence=200
fi

option_set()
{
	case $1 in
	0) echo "-n 1" ;;
	1) echo "-R -n 100000 -b 20m" ;;
	2) echo "--full-duplex -n 50000 -b 20m -P 2" ;;
	3) echo "-d -n 40000 -b 20m -l 500" ;;
	4) echo "-r -n 30000 -b 20m -P 2" ;;
	5) echo "-R -n 70000 -b 5000pps -S 0x20" ;;
	6) echo "-n 90000 -b 20m -P 4 --trip-times" ;;
	7) echo "-R -n 1 -P 2" ;;
	8) echo "-d -n 20000 -S 0x28 -b 20m" ;;
	9) echo "-n 60000 -b 20m --no-udp-fin -l 3000" ;;
	10) echo "-r -n 3200 -l 16 -b 2000pps" ;;
	11) echo "--full-duplex -n 1" ;;
	esac
}
sets=12

# told: what is told on standard input, in any order, without what is another
# in each run: times, rates, ports and numbers of streams.
told()
{
	awk '
	    /^iperf: ending the running tests/ { next }
	    /^(TOS|Sending|iperf:)/
	    /^Client connecting/ { print $1, $2 }
	    /^\[.*\] local .* connected with / {
		sub(/.* connected with [^ ]* port [0-9]*/, "with")
		sub(/ on 20.*/, "")
		print
	    }
	    /^\[.*\] *0\.00-.* Bytes / {
		tag = $0
		sub(/\].*/, "", tag)
		gsub(/[^*A-Z]/, "", tag)
		match($0, /[0-9.]+ Bytes/)
		row = tag " " substr($0, RSTART, RLENGTH)
		if (match($0, / [0-9]+\/ *[0-9]+ /))
			row = row substr($0, RSTART, RLENGTH)
		if (match($0, /\((sent|received|both directions)\)$/))
			row = row substr($0, RSTART, RLENGTH)
		print "row", row
		next
	    }
	    /^\[.*\] (Sent|Server Report|WARN)/ || / sec .* datagrams/ {
		sub(/^\[.*\] */, "")
		print
	    }' | sort
}

# test_set SET: a test with the latest server; $tmp/told-client is what it said.
test_set()
{
	mark
	# shellcheck disable=SC2046 # words
	run 15 "$IPERF" -u -c 127.0.0.1 -p "$port" -f b $(option_set "$1")
	{
		echo "status $status"
		printf '%s\n%s\n' "$out" "$err" | told
	} >"$tmp/told-client"
}

# shellcheck disable=SC2317 # called by wait_until
server_said()
{
	since_mark | told >"$tmp/told-server"
	cmp -s "$tmp/told-server" "$tmp/fresh-server-$1"
}

set=0
while [ "$set" -lt "$sets" ]; do
	start_server -u -f b -e || skip_all "the server does not start"
	test_set "$set"
	mv "$tmp/told-client" "$tmp/fresh-client-$set"
	stop_server INT
	sed 1,/^Server/d "$server_log" | told >"$tmp/fresh-server-$set"
	is "$(option_set "$set"): a new server: status" "$status" 0
	like "$(option_set "$set"): a new server: rows" \
	    "$(cat "$tmp/fresh-client-$set" "$tmp/fresh-server-$set")" '^row'
	set=$((set + 1))
done

start_server -u -f b -e
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
diag "seed $seed"
wrong=0
i=0
while [ "$i" -lt "$sequence" ]; do
	seed=$(((seed * 25173 + 13849) % 65536))
	set=$((seed / 7 % sets))
	test_set "$set"
	if ! wait_until 5 server_said "$set" ||
	    ! cmp -s "$tmp/told-client" "$tmp/fresh-client-$set"; then
		wrong=$((wrong + 1))
		diag "test $i: $(option_set "$set")"
		diag "$(diff "$tmp/fresh-client-$set" "$tmp/told-client")"
		diag "$(diff "$tmp/fresh-server-$set" "$tmp/told-server")"
	fi
	i=$((i + 1))
done
is "$sequence tests are as with a new server" "$wrong" 0
stop_server INT
is "the server ends well" "$status" 0
done_testing
