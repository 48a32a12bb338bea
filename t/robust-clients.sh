#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Clients that are interrupted early, and many at once. IPERF_LONG=1: 500
# interruptions.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

SEED=4
rounds=20
if [ -n "${IPERF_LONG:-}" ]; then
	rounds=500
fi

# delays: one a line, 0 to 300 ms, in seconds.
delays()
{
	awk -v n="$rounds" -v seed="$SEED" 'BEGIN {
		srand(seed)
		while (n-- > 0)
			printf "%.3f\n", 0.3 * rand()
	}'
}

# interrupt DELAY: starts a client, interrupts it, sets status.
interrupt()
{
	start_client -c 127.0.0.1 -p "$port" -t 30 -P 10
	sleep "$1"
	stop_client INT
	rm -f "$client_log"
}

start_server || skip_all 'the server does not start'
learn_idle
bad_ends=
delays >"$tmp/delays"
while read -r delay; do
	interrupt "$delay"
	# Killed before it had blocked the signals: 130.
	case $status in
	0 | 130) ;;
	*) bad_ends="$bad_ends $delay:$status" ;;
	esac
done <"$tmp/delays"
is "$rounds interrupted clients (seed $SEED) end well" "$bad_ends" ''
ok 'the server has survived them' alive "$server_pid"
ok 'and forgotten them' wait_until 10 is_idle
stop_server
is 'it ends well' "$status" 0

crowd=50
if is_sanitized; then
	crowd=15
fi
start_server -y C
count=0
pids=
while [ "$count" -lt "$crowd" ]; do
	count=$((count + 1))
	timeout -k 2 30 "$IPERF" -c 127.0.0.1 -p "$port" -t 0.5 -b 20m -y C \
	    >"$tmp/client.$count" 2>&1 &
	pids="$pids $!"
done
failed=0
for pid in $pids; do
	wait "$pid" || failed=$((failed + 1))
done
is "$crowd clients at once succeed" "$failed" 0
cat "$tmp"/client.* >"$tmp/all"
client_log=$tmp/all
[ "$failed" -eq 0 ] || diag "$(grep -v '^[0-9]' "$tmp/all" | head -n 20)"
is 'each has a row' "$(streams "$client_log" | wc -l)" \
    "$crowd"
ok 'all bytes are those of the server' wait_until 10 same_bytes
stop_server
is 'their server ends well' "$status" 0

# A stream whose server comes up later than the other has ended.
start_server
while port_in_use $((port + 1)); do
	stop_server
	start_server
done
next=$((port + 1))
start_client -c 127.0.0.1 -p "$port" -P 2 --incr-dstport -n 10K \
    --no-connect-sync --connect-retry-time 8 --connect-retry-timer 0.2
ok 'the first stream is served' wait_until 10 grep -q ' 10.0 KBytes' \
    "$server_log"
sleep 1
start "$IPERF" -s -p "$next"
stop_client
is 'a stream that connects late: status' "$status" 0
like 'a stream that connects late: row' "$(cat "$client_log")" \
    '^\[  2\] 0\.00-.* 10\.0 KBytes'
stop_server

done_testing
