#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a UDP server counts is what a relay in between did, to the datagram;
# and the client is told the same.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

# 69 datagrams: 68 of 1470 bytes, and the final one of 40.
simple='-n 100000 -b 10m'

# check NAME RULES: a simple test.
check()
{
	# shellcheck disable=SC2086 # words on purpose
	through "$1" "$2" $simple
	agree counts 1
}

start_server -u -f b || skip_all "the server does not start"
check "nothing happens" ""
is "-n is exact" "$(truth 1 bytes) $(truth 1 total)" "100000 69"
check "the first is lost" "drop=1"
check "the first five are lost" "drop=1-5"
check "the last is lost" "drop=68"
check "the last five are lost" "drop=64-68"
check "losses everywhere" "drop=1,7,20-22,40-60/5,68"
check "all but one are lost" "drop=1-33,35-68"
check "duplicates" "dup=1,5,10-60/5,68"
check "two are swapped" "hold=10:1"
check "the first is late" "hold=1:4"
check "many are late" "hold=3-60/3:7"
check "the last is later than the end" "hold=68:1"
check "some are late, some lost" "hold=5-9:20 drop=30,31"
check "late and twice, beside losses" "hold=5:9 dup=6,7 drop=20,21,50"
check "delay" "delay=20-25:30"
for seed in 1 2 3; do
	check "at random, seed $seed" \
	    "drop=?60 dup=?60 hold=?60:3 seed=$seed"
	is "at random, seed $seed: the same jitter" \
	    "$(report "$(truth 1 client)" <"$tmp/out" | cut -d ' ' -f 5)" \
	    "$(report "$(truth 1 server)" <"$server_log" | cut -d ' ' -f 5)"
done

check "the final is lost" "finals=1"
check "four finals are lost, and the last data" "finals=4 drop=66-68"
check "the report is lost" "reports=1"
check "three reports are lost" "reports=3"
check "final and report are lost" "finals=2 reports=2 drop=1"

check "ids pass 2^32" "add=4294967260 drop=20,50 dup=40 hold=30:2"
check "32-bit ids" "narrow=1 drop=20,50 dup=40 hold=30:2"
check "32-bit ids pass 2^31" \
    "narrow=1 add=2147483610 drop=20,50 dup=40 hold=30:2"

# Sizes, down to the id alone, where the relay sees no flags.
for l in 16 17 20 76 100 9000 65507; do
	through "-l $l" "drop=5,6 dup=3 hold=10:2" -l "$l" -n "$((l * 30))" \
	    -b 2000pps
	agree counts 1
done
for n in 1469 1470 1471 2940 2941 14700; do
	through "-n $n" "" -n "$n" -b 10m
	agree counts 1
	# The first datagram is not the last, and an id needs its bytes.
	[ "$n" -gt 1470 ] || continue
	is "-n $n: datagrams" "$(truth 1 total)" "$(((n + 1469) / 1470))"
	within "-n $n: bytes" "$(truth 1 bytes)" "$n" "$((n + 15))"
done

through "four streams" "drop=?50 dup=?50 hold=?50:2" -P 4 -t 0.3 -b 2m
agree counts 4
through "trip times" "drop=?50 hold=?50:2" --trip-times -t 0.2 -b 2m
agree counts 1

# All reports are lost: the client says how often it asked.
through "no report" "reports=100000" -n 20000 -b 10m
like "no report: the true count of tries" "$err" \
    "did not receive ack of last datagram after $(truth 1 finals) tries"
is "no report: status" "$status" 0
unlike "no report: none is shown" "$out" 'Server Report'
is "no report: the server counts" \
    "$(counts "$(truth 1 server)" <"$server_log")" "$(truth_counts 1)"

# All finals are lost: the server has it all when it is stopped.
through "no final" "finals=100000 drop=3" -n 20000 -b 10m
like "no final: the true count of tries" "$err" \
    "did not receive ack of last datagram after $(truth 1 finals) tries"
stop_server INT
is "no final: the server counts" \
    "$(counts "$(truth 1 server)" <"$server_log")" "$(truth_counts 1)"
is "the server ends well" "$status" 0

# Intervals add up: what is late could count in another one than its gap.
for p in 1 3; do
	start_server -u -f b -i 0.2
	through "-P $p, intervals" "drop=50-1000000/50,31 dup=7-1000000/97" \
	    -P "$p" -t 1 -b 5m -i 0.2
	agree counts "$p"
	stop_server INT
	is "-P $p: intervals add up" "$(interval_faults <"$server_log")" ""
done

# csv_sums FILE: intervals and total of each stream, where they differ.
csv_sums()
{
	awk -F, 'NF == 14 && $6 != -1 {
		port = $3
		for (i = 8; i <= 14; i += i == 8 ? 3 : i == 12 ? 2 : 1) {
			was[port, i] = sum[port, i]
			sum[port, i] += $i
			last[port, i] = $i
		}
	    }
	    END {
		for (key in last)
			if (was[key] != last[key])
				print key, was[key], last[key]
	    }' "$1"
}

start_server -u -y C -i 0.2
through "CSV, intervals" "drop=50-1000000/50,31 dup=7-1000000/97" -P 2 \
    -y C -t 0.7 -b 5m
agree csv_counts 2
stop_server INT
is "CSV: intervals add up" "$(csv_sums "$server_log")" ""

start_server -u -y C
through "CSV" "drop=?80 dup=?50 hold=?50:2" -y C -t 0.3 -b 5m
agree csv_counts 1
is "CSV: fields of the client's rows" \
    "$(awk -F, '{ printf "%d ", NF }' "$tmp/out")" "9 14 "
through "CSV, two streams" "drop=?80 dup=?50 hold=?50:2" \
    -y C -P 2 -t 0.3 -b 5m
agree csv_counts 2
stop_server INT
is "CSV, two streams: the last row is the sum of the server's reports" \
    "$(tail -n 1 "$tmp/out" | cut -d , -f 6,8,11-12,14)" \
    "$(awk -F, 'NF == 14 && $6 != -1 {
	bytes += $8; lost += $11; total += $12; late += $14
    } END { printf "-1,%d,%d,%d,%d", bytes, lost, total, late }' "$tmp/out")"
done_testing
