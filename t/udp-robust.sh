#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A UDP server and the unexpected: garbage, lures, strays, more flows than it
# may have, flows that fall silent.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/udp.sh"

need_relay

start_server -u -f b || skip_all "the server does not start"
before=$(cat "$server_log")
for seed in 1 2; do
	run 10 "$udp_peer" "$port" garbage 500 "$seed"
	like "garbage is not answered, $seed" "$out" \
	    'answered 0 datagrams 0 bytes'
done
run 10 "$udp_peer" "$port" strays 100
like "strays are not answered" "$out" 'answered 0 datagrams 0 bytes'
is "neither makes a flow, or a word" "$(cat "$server_log")" "$before"
run 20 "$udp_peer" "$port" lures
is "no more goes out than came in, also for a test" \
    "$(printf '%s\n' "$out" | sed -n 's/^amplified //p')" 0
unlike "a report was asked for rightly, too" "$out" 'answered 0 datagrams'
serves "the server goes on serving"

stop_server INT
start_server -u -f b
# Who sees nothing of what is sent to the address that it claims to have.
for count in 1 2 300; do
	before=$(wc -l <"$server_log")
	run 15 "$udp_peer" "$port" beg "$count"
	like "asked for $count times blindly: no more bytes than that" \
	    "$out" '^within 1$'
	# shellcheck disable=SC2317 # called by wait_until
	told()
	{
		tail -n "+$((before + 1))" "$server_log" | grep -q '^iperf: '
	}
	wait_until 10 told
	is "asked for $count times blindly: a line says so" \
	    "$(tail -n "+$((before + 1))" "$server_log" | grep -c '^iperf: ')" 1
done
run 15 "$udp_peer" "$port" beg 60
like "an address that failed is barred" "$out" 'answered 0 datagrams 0 bytes'
serves "the server serves after that"

run 10 "$IPERF" -s -u -p "$port"
is "a second server: status" "$status" 1
like "a second server says why" "$err" '^iperf: .*Address already in use'
is "a second server says it in a line" "$(printf '%s\n' "$err" | wc -l)" 1
serves "the first one goes on"
stop_server INT
is "the server ends well" "$status" 0

# Bounds.
start_server -u -f b --max-flows 5
run 10 "$udp_peer" "$port" open 12
wait_until 5 grep -q 'max-flows allows' "$server_log"
stop_server INT
is "--max-flows" "$(connections) $status" "5 0"
is "--max-flows: said once" \
    "$(grep -c '^iperf: .* as --max-flows allows$' "$server_log")" 1
start_server -u -f b --max-flows-per-host 3
run 10 "$udp_peer" "$port" open 12
wait_until 5 grep -q 'max-flows-per-host allows' "$server_log"
stop_server INT
is "--max-flows-per-host" "$(connections) $status" "3 0"

if [ -n "${IPERF_LONG:-}" ]; then
	start_server -u -f b --max-flows 2
	run 10 "$udp_peer" "$port" open 2
	ok "idle flows expire" wait_until 20 has_udp_rows "$server_log" 2
	serves "and make room for others"
	stop_server INT
fi
done_testing
