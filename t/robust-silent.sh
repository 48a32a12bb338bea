#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Silent connections: closed after their time, no burden meanwhile.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

start_server -y C --test-exchange-timeout 1 ||
    skip_all 'the server does not start'
learn_idle
start_exact -t 60 -b 50m
bad hold 500 20000
like '500 silent connections are closed' "$bad_out" '^closed 500 of 500 '
after_ms=$(echo "$bad_out" | sed -n 's/^closed.*after \([0-9]*\) ms/\1/p')
within 'after the second that was set' "$after_ms" 500 8000
stop_client INT
is 'a test meanwhile ends well' "$status" 0
ok 'its bytes are those of the server' wait_until 5 same_bytes
ok 'nothing is left of them' wait_until 5 is_idle
is 'each was told of' "$(grep -c 'no test header came' "$server_log")" 500
stop_server
is 'the server ends well' "$status" 0

# Without a limit they may stay, but not hold up the end of the server.
start_server --test-exchange-timeout 0
timeout -k 2 20 "$bad_peer" 127.0.0.1 "$port" hold 300 10000 >"$tmp/held" &
held=$!
wait_until 10 grep -q '^connected' "$tmp/held"
stop_server
is 'a signal ends a server with silent connections' "$status" 0
wait "$held"
like 'and they see it' "$(cat "$tmp/held")" '^closed 300 of 300'

done_testing
