#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Both ends ours: addresses and ports, of one stream and of several.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# The connection lines of the latest run.
connections()
{
	printf '%s\n' "$out" | grep ' connected with '
}

start_server -f b || skip_all "the server does not start"
ours 2 any -t 0.2 -B 127.0.0.2
is "-B is where all streams come from" \
    "$(connections | grep -c 'local 127.0.0.2 port')" 2
source_port=$(free_port)
ours 1 any -t 0.2 -B "127.0.0.1:$source_port"
like "-B with a port" "$out" "local 127.0.0.1 port $source_port connected"
ours 2 any -t 0.2 -B 127.0.0.4 --incr-srcip
like "--incr-srcip" "$(connections)" 'local 127.0.0.5 port'
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b -n 5000 -P 3 --incr-dstip
same_totals "--incr-dstip" 3 5000
like "--incr-dstip, the last address" "$(connections)" \
    'connected with 127.0.0.3 port'
stop_server INT

# Three free ports in a row are likely, not certain.
tries=5
while [ "$tries" -gt 0 ]; do
	first=$(free_port)
	last=$((first + 2))
	start "$IPERF" -s -f b -p "$first-$last"
	port=$last
	wait_until 10 server_ready && alive "$server_pid" && break
	tries=$((tries - 1))
done
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$first-$last" -f b -n 5000
same_totals "a range of ports, a stream for each" 3 5000
for p in "$first" $((first + 1)) "$last"; do
	like "a stream to port $p" "$(connections)" "port $p\$"
done
like "the range in the server's banner" "$(cat "$server_log")" \
    "^Server listening on TCP ports $first-$last with pid $server_pid"
mark
run 10 "$IPERF" -c 127.0.0.1 -p "$first" -f b -n 5000 -P 3 --incr-dstport
same_totals "--incr-dstport" 3 5000
stop_server INT

if start_server -f b -B 127.0.0.3; then
	run 5 "$IPERF" -c 127.0.0.3 -p "$port" -f b -n 1000
	is "-B on a server, its address" "$status" 0
	run 5 "$IPERF" -c 127.0.0.1 -p "$port" -f b -n 1000
	is "-B on a server, another address" "$status" 1
	stop_server INT
fi
done_testing
