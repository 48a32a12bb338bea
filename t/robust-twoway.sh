#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Clients that ask their server to send, and lie, vanish, or do not read. The
# server refuses or ends, tells each once, and keeps nothing of it.
# IPERF_LONG=1: many more of them.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

repeats=5
interrupts=8
if [ -n "${IPERF_LONG:-}" ]; then
	repeats=100
	interrupts=500
fi

FOREVER=-2147483648

mark_log()
{
	marked=$(wc -l <"$server_log")
}

since_mark()
{
	tail -n "+$((marked + 1))" "$server_log"
}

# warned COUNT ERE: so many warnings since the mark, and all of them match.
warned()
{
	[ "$(since_mark | grep -c '^iperf: ')" -eq "$1" ] &&
	    [ "$(since_mark | grep -Ec "^iperf: .*($2)")" -eq "$1" ]
}

# refused NAME ERE REQUEST PORT: nothing is sent, and one line says why.
refused()
{
	mark_log
	bad ask "$3" "$4" 1 -100 read 5000
	is "$1: nothing is sent" "$bad_out" '0 bytes, closed'
	ok "$1: one line" wait_until 5 warned 1 "$2"
}

# told_once NAME: no stream has two warnings.
told_once()
{
	unlike "$1: none is told twice" "$(grep -o '^iperf: \[ *[0-9]*\]' \
	    "$server_log" | sort | uniq -d)" '.'
}

# quiet NAME: what the server had for them is gone, and it serves.
quiet()
{
	ok "$1: nothing is left" wait_until 8 is_idle
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -R -n 1000 -f b
	like "$1: the next is served" "$status $out" '^\[ \*1\].* 1000 Bytes'
}

start_server --test-exchange-timeout 1 || skip_all 'the server does not start'
learn_idle

refused '-R and --full-duplex at once' 'at once' both 5001
refused 'everything at once' 'at once' all 5001
refused 'frames' 'frames or bursts' isochronous 5001
refused 'bursts' 'frames or bursts' burst 5001
for back in 0 22 1023; do
	refused "-d, port $back" 'port below 1024' dual "$back"
	refused "-r, port $back" 'port below 1024' tradeoff "$back"
done
mark_log
bad ask tradeoff "$port" 1 -20 end 5000
bad ask dual "$port" 1 -20 end 5000
ok "the server's own port: one line each" wait_until 5 warned 2 \
    'refused: asks for .* port .* this server'
unlike 'it does not call itself' "$(since_mark)" 'Client connecting'
mark_log
bad ask dual 65535 1 "$FOREVER" close 0
ok 'nobody there: one line' wait_until 5 warned 1 'failed|reset'
quiet 'refusals'

# What they announce binds nobody.
for streams in 0 1000000000 4294967295; do
	bad ask reverse 5001 "$streams" 1000 read 5000
	is "-R, $streams streams" "$bad_out" '1000 bytes, closed'
	bad ask full-duplex 5001 "$streams" 1000 read 5000
	is "--full-duplex, $streams streams" "$bad_out" '1000 bytes, closed'
	bad ask dual -1 "$streams" "$FOREVER" close 0
	bad ask tradeoff -1 "$streams" "$FOREVER" close 0
done
quiet 'false numbers of streams'

# Gone before, or while, it is sent.
for request in reverse full-duplex dual tradeoff later; do
	for amount in "$FOREVER" 2147483647; do
		bad ask "$request" -1 1 "$amount" close 0
		bad ask "$request" -1 1 "$amount" reset 0
	done
done
quiet 'clients that vanish'
told_once 'clients that vanish'

# All at a time: they neither read nor close, or do one thing only.
bad_pids=
for ask in "reverse 5001 1 -50 mute" "reverse 5001 1 -50 send" \
    "full-duplex 5001 1 -50 mute" "full-duplex 5001 1 -50 send" \
    "full-duplex 5001 1 -50 read" "dual -1 1 -50 mute" \
    "dual -1 1 -50 send" "tradeoff -1 1 -50 mute"; do
	# shellcheck disable=SC2086 # words
	timeout -k 2 20 "$bad_peer" 127.0.0.1 "$port" ask $ask 2500 \
	    >"$tmp/ask-${ask%% *}-${ask##* }" &
	bad_pids="$bad_pids $!"
done
sends_no_more()
{
	[ "$(grep -c 'the peer stalled' "$server_log")" -ge 6 ]
}
ok 'the server ends where nobody reads' wait_until 10 sends_no_more
for bad_pid in $bad_pids; do
	wait "$bad_pid"
done
is 'a reader has the end of it' \
    "$(sed 's/^[1-9][0-9]*/N/' "$tmp/ask-full-duplex-read")" 'N bytes, closed'
quiet 'clients that stall'
told_once 'clients that stall'

# The same for an amount, which no time ends but TCP's own limit.
if [ -n "${IPERF_LONG:-}" ]; then
	mark_log
	timeout -k 2 70 "$bad_peer" 127.0.0.1 "$port" ask reverse 5001 1 \
	    2147483647 mute 59000 >/dev/null &
	bad_pid=$!
	ok 'an amount that nobody reads: the server ends' wait_until 55 \
	    warned 1 'timed out|stalled'
	kill "$bad_pid"
	wait "$bad_pid" 2>/dev/null
	quiet 'an amount that nobody reads'
else
	skip 'an amount that nobody reads' 'IPERF_LONG is not set'
fi

# Clients of ours that are killed, and end at once in every mode.
mark_log
for mode in "-R" "--full-duplex" "-d" "-r"; do
	for streams in 1 4; do
		start_client -c 127.0.0.1 -p "$port" $mode -P "$streams" -t 30
		wait_until 5 grep -q 'connected with' "$client_log"
		stop_client KILL
	done
done
quiet 'killed clients'
told_once 'killed clients'

i=0
failures=
while [ "$i" -lt "$repeats" ]; do
	i=$((i + 1))
	for mode in "-R -n 1" "-R -n 10M" "-R -n 10M -P 4" \
	    "--full-duplex -n 1" "-d -n 1" "-r -n 1"; do
		# shellcheck disable=SC2086 # words
		run 20 "$IPERF" -c 127.0.0.1 -p "$port" $mode
		[ "$status" -eq 0 ] || failures="$failures $mode: $status $err"
	done
done
is "$repeats short tests in each mode succeed" "$failures" ''
quiet 'short tests'
if is_sanitized; then
	skip 'short tests: no processor' 'sanitizers have threads of their own'
else
	before=$(cpu_ticks "$server_pid")
	sleep 1
	within 'short tests: no processor' \
	    $(($(cpu_ticks "$server_pid") - before)) 0 1
fi

# Interrupted at any moment, also while they connect.
mark_log
i=0
while [ "$i" -lt "$interrupts" ]; do
	i=$((i + 1))
	mode=$(printf '%s\n' -R --full-duplex -d -r | sed -n "$((i % 4 + 1))p")
	start_client -c 127.0.0.1 -p "$port" "$mode" -P 10 -t 20
	sleep "0.$(printf '%02d' $((i * 37 % 30)))"
	stop_client INT
done
quiet 'interrupted clients'
told_once 'interrupted clients'

# Four are announced and three come, beside one that says nothing: the sum is of
# the three, and nobody joins them afterwards.
# shellcheck disable=SC2317 # called by wait_until
has_sum()
{
	since_mark | grep -q "^\\[SUM\\] .* $1 "
}
mark_log
bad_pids=
for i in 1 2 3; do
	timeout -k 2 20 "$bad_peer" 127.0.0.1 "$port" ask plain 5001 4 1000 \
	    mute 1000 >/dev/null &
	bad_pids="$bad_pids $!"
done
bad close 1
for bad_pid in $bad_pids; do
	wait "$bad_pid"
done
ok 'one of four is missing: the sum of three' wait_until 5 has_sum '336 Bytes'
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -P 4 -n 1000 -f b
ok 'one of four is missing: the next four have their own' wait_until 5 \
    has_sum '3.91 KBytes'
is 'one of four is missing: no other sums' \
    "$(since_mark | grep -c '^\[SUM')" 2
stop_server
is 'the server ends well' "$status" 0

done_testing
