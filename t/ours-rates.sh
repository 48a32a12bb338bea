#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Both ends ours: what limits the rate does, and both ends agree on it.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# The rate in the last row of the latest run, and of the server.
client_rate()
{
	printf '%s\n' "$out" | rows | awk 'END { print $5 }'
}

server_rate()
{
	since_mark | rows | awk 'END { print $5 }'
}

start_server -f b || skip_all "the server does not start"
ours 1 any -t 1 -b 20m
within "-b 20m at the client" "$(client_rate)" 19000000 21000000
within "-b 20m at the server" "$(server_rate)" 19000000 21000000
ours 4 any -t 1 -b 5m
within "-b is of each stream" "$(server_rate)" 19000000 21000000
ours 1 any -t 1 -b 400k
within "-b below one block a second" "$(client_rate)" 380000 420000
ours 1 any -t 0.3 -b 0
ours 1 any -t 1 -b 20m,2m
within "-b with a deviation" "$(client_rate)" 12000000 28000000
ours 1 1000000 -n 1000000 -b 20m
within "-b with -n" "$(client_rate)" 15000000 25000000

ours 1 any -t 1 --fq-rate 40m
like "--fq-rate in the banner" "$out" \
    'fair-queue socket pacing set to 40\.0 Mbit/s'
within "--fq-rate has its effect" "$(server_rate)" 1000000 60000000
stop_server INT

start_server -u -f b
rows_udp=-u
ours 4 any -t 1 -b 10m
within "UDP: -b is of each stream" "$(server_rate)" 38000000 42000000
stop_server INT
rows_udp=

if start_server -f b -b 40m; then
	ours 1 any -t 1
	within "-b on a server" "$(server_rate)" 36000000 44000000
	stop_server INT
fi
done_testing
