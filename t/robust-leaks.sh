#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Thousands of connections leave neither descriptors nor threads nor memory
# behind. IPERF_LONG=1: 10,000 of them.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

MEMORY_KB=4096

count=500
if [ -n "${IPERF_LONG:-}" ]; then
	count=2500
fi

# All kinds, so many of each.
all_kinds()
{
	bad close "$1"
	bad reset "$1"
	bad confetti "$1" 11
	is "confetti, $1" "$bad_status" 0
	bad hold "$1" 10
	like "silent, $1" "$bad_out" "^connected $1"
}

start_server --test-exchange-timeout 1 || skip_all 'the server does not start'
learn_idle

# The allocator's arenas are there after the first wave.
all_kinds "$count"
ok 'quiet after the first wave' wait_until 10 is_idle
before_kb=$(memory_kb "$server_pid")
all_kinds "$count"
ok 'descriptors and threads are back' wait_until 15 is_idle
after_kb=$(memory_kb "$server_pid")
diag "memory $before_kb kB, then $after_kb kB"
if is_sanitized; then
	skip 'memory is back' 'sanitizers keep what is freed'
else
	within 'memory is back' $((after_kb - before_kb)) -1000000 "$MEMORY_KB"
fi
start_exact -t 0.5
stop_client
is 'a client is served' "$status" 0
stop_server
is 'the server ends well' "$status" 0

done_testing
