#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -y C: nine fields, the source of the traffic first on both sides, sums with
# the number -1 and the port 0.

. "${srcdir:-.}/t/tap.sh"

row='^[0-9]{14}(,127\.0\.0\.1,[0-9]+){2},-?[0-9]+,[0-9]+\.[0-9]-[0-9]+\.[0-9],'\
'[0-9]+,[0-9]+$'

client()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -y C "$@"
}

# shellcheck disable=SC2317 # called by wait_until
server_rows()
{
	[ "$(wc -l <"$server_log")" -ge "$1" ]
}

# field N LINE
field()
{
	printf '%s\n' "$2" | cut -d , -f "$1"
}

start_server -y C || skip_all "the server does not start"
is "server: no banner" "$(cat "$server_log")" ""

client -t 0.5 -i 0.2
is "client: status" "$status $err" "0 "
is "client: nothing but rows" \
    "$(printf '%s\n' "$out" | grep -Evc -e "$row")" 0
is "client: fields" "$(printf '%s\n' "$out" | awk -F, '{ print NF }' |
    sort -u)" 9
total=$(printf '%s\n' "$out" | tail -n 1)
is "client: where to" "$(field 4,5 "$total")" "127.0.0.1,$port"
is "client: rows add up" "$(printf '%s\n' "$out" | sed '$d' |
    awk -F, '{ sum += $8 } END { printf "%.0f", sum }')" \
    "$(field 8 "$total")"
like "client: the total is from 0" "$(field 7 "$total")" '^0\.0-0\.[5-9]$'
within "client: rate" "$(field 9 "$total")" 1000000 1000000000000

wait_until 5 server_rows 1
last=$(tail -n 1 "$server_log")
like "server: a row" "$last" "$row"
is "server: source first" "$(field 2-5 "$last")" "$(field 2-5 "$total")"
is "server: bytes" "$(field 8 "$last")" "$(field 8 "$total")"

client -t 0.3 -i 0.1 -P 2
sum=$(printf '%s\n' "$out" | tail -n 1)
is "-P: the sum" "$(field 3 "$sum"),$(field 6 "$sum")" "0,-1"
is "-P: it is the sum" "$(field 8 "$sum")" \
    "$(printf '%s\n' "$out" | tail -n 3 | head -n 2 |
    awk -F, '{ sum += $8 } END { printf "%.0f", sum }')"
wait_until 5 server_rows 4
last=$(tail -n 1 "$server_log")
is "-P: the server's sum" "$(field 3 "$last"),$(field 5,6 "$last")" \
    "0,$port,-1"
is "-P: the same bytes" "$(field 8 "$last")" "$(field 8 "$sum")"

# A sum of connections back has the port 0 where the server connected from.
client -r -t 0.2 -P 2
is "-r -P: sums" "$(printf '%s\n' "$out" |
    awk -F, '$6 == -1 { print ($3 == 0) ($5 != 0) }')" "11
11"

# -e: names of the columns before the first row, and before each one that has
# others.
client -e -t 0.3 -i 0.1
names=$(printf '%s\n' "$out" | sed -n 1p)
like "-e: names" "$names" \
    '^time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,'
is "-e: once" "$(printf '%s\n' "$out" | grep -c '^time')" 1
is "-e: a field for each" \
    "$(printf '%s\n' "$out" | awk -F, '{ print NF }' | sort -u)" \
    "$(printf '%s\n' "$names" | awk -F, '{ print NF }')"
like "-e: time with its zone" "$(printf '%s\n' "$out" | tail -n 1)" \
    '^[-+][0-9]{4}:[0-9]{14}\.[0-9]{6},127\.0\.0\.1,'
client -e -t 0.2 -R
like "-e -R: reads by size" "$out" '^time.*,readcnt,bin0,.*,bin7$'

client -n 1M -f M
like "-f changes nothing" "$out" ',1048576,[0-9]+$'
client -n 1
like "-n 1" "$out" ',1,[0-9]+$'
stop_server INT

# As a framework makes sure that the server listens, then measures: the last
# row of the server is that of the client, by its port.
if start_server -y C; then
	run 5 "$IPERF" -c 127.0.0.1 -p "$port" --connect-only=1
	wait_until 5 server_rows 1
	is "a bare connection gives one row" "$(wc -l <"$server_log")" 1
	like "of nothing" "$(cat "$server_log")" ',0\.0-[0-9.]+,0,0$'
	client -t 0.3
	wait_until 5 server_rows 2
	last=$(tail -n 1 "$server_log")
	is "the last row is of the client" "$(field 3 "$last")" \
	    "$(field 3 "$out")"
	within "and has a rate" "$(field 9 "$last")" 1000000 1000000000000
	is "no row more" "$(wc -l <"$server_log")" 2
	stop_server INT
fi
done_testing
