#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The first SIGINT or SIGTERM ends the tests, with true totals on both sides;
# the second ends the process at once.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# start_client [ARG ...]: in the background; its report is in $tmp/report.
start_client()
{
	: >"$tmp/report"
	on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -f b "$@" \
	    >"$tmp/report" 2>"$tmp/client-err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
}

# So many lines of streams in a file.
# shellcheck disable=SC2317 # called by wait_until
has_rows()
{
	[ "$(rows <"$1" | wc -l)" -ge "$2" ]
}

# The client is the only child of timeout.
# shellcheck disable=SC2317 # called by wait_until
client_runs()
{
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	[ -n "$client_pid" ]
}

# What is wrong with a report: streams, seconds between the streams' starts.
faults()
{
	rows | awk -v streams="$1" -v intervals=1 -v step=0.01 -v slack="$2" \
	    -v grouped=1 -f "$srcdir/t/invariants.awk"
}

for signal in INT TERM; do
	start_server -f b -i 0.5 || skip_all "the server does not start"
	start_client -t 20 -P 4 -i 0.5
	wait_until 10 has_rows "$tmp/report" 10
	wait_until 5 client_runs
	kill "-$signal" "$client_pid"
	wait "$timeout_pid"
	is "$signal, client: status, stderr" "$? $(cat "$tmp/client-err")" \
	    "0 iperf: interrupted: the totals are of the time until then"
	is "$signal, client: adds up" "$(faults 4 0 <"$tmp/report")" ""
	wait_until 5 has_rows "$server_log" "$(rows <"$tmp/report" | wc -l)"
	stop_server "$signal"
	is "$signal, idle server: status" "$status" 0
	is "$signal, server: adds up" "$(faults 4 0.5 <"$server_log")" ""
	is "$signal: both ends agree" "$(rows <"$server_log" | totals)" \
	    "$(rows <"$tmp/report" | totals)"

	start_server
	before=$(cat "$server_log")
	stop_server "$signal"
	is "$signal, idle server: nothing more" "$status $(cat "$server_log")" \
	    "0 $before"

	start_server -f b -i 0.5
	start_client -t 20 -P 2 -i 0.5
	wait_until 10 has_rows "$server_log" 6
	stop_server "$signal"
	wait "$timeout_pid"
	client_status=$?
	is "$signal, busy server: status" "$status" 0
	like "$signal, busy server: says so" "$(cat "$server_log")" \
	    '^iperf: ending the running tests; interrupt again to stop at once$'
	is "$signal, busy server: adds up" \
	    "$(faults 2 0.5 <"$server_log")" ""
	is "$signal, busy server: the client fails" "$client_status" 1
	like "$signal, busy server: the client says why" \
	    "$(cat "$tmp/client-err")" '^iperf: .*(reset by peer|Broken pipe)'
	like "$signal, busy server: the client's totals" \
	    "$(tail -n 1 "$tmp/report")" '^\[SUM\] 0\.00-'
done

# A hundred at once do not hold it up. With one report for each.
connections()
{
	grep -c ' connected with ' "$server_log"
}
# shellcheck disable=SC2317 # called by wait_until
all_connected()
{
	[ "$(connections)" = 100 ]
}
start_server -f b
start_client -t 20 -P 100 -b 100k
wait_until 20 all_connected
stop_server TERM
wait "$timeout_pid"
is "a hundred streams: status of the server" "$status" 0
is "a hundred streams: a report of each" \
    "$(rows <"$server_log" | grep -vc '^SUM')" "$(connections)"

# Without an end of its own: a signal ends the test, and that is no event.
for direction in "" -R --full-duplex; do
	start_server -f b
	# shellcheck disable=SC2086 # nothing or a word
	start_client -t 0 -i 0.25 $direction
	wait_until 10 has_rows "$tmp/report" 3
	wait_until 5 client_runs
	kill -INT "$client_pid"
	wait "$timeout_pid"
	is "-t 0 $direction: status, stderr" "$? $(cat "$tmp/client-err")" \
	    "0 iperf: no time limit: the test runs until it is interrupted"
	stop_server INT
	is "-t 0 $direction: status of the server" "$status" 0
	is "-t 0 $direction: both ends agree" \
	    "$(rows <"$server_log" | totals)" \
	    "$(rows <"$tmp/report" | totals)"
done

# A sender whose peer does not read ends by the first signal, too.
start_server -f b
start_client -t 20 -i 0.25
wait_until 10 has_rows "$tmp/report" 1
wait_until 5 client_runs
kill -STOP "$server_pid"
kill -INT "$client_pid"
ok "stalled peer: the client ends" wait_until 5 ended "$client_pid"
wait "$timeout_pid"
like "stalled peer: the total" "$(tail -n 1 "$tmp/report")" '^\[  1\] 0\.00-'
kill -CONT "$server_pid"
stop_server INT
is "stalled peer: status of the server" "$status" 0

# Two signals, for a process that was stopped meanwhile and finds both.
start_server -f b -i 0.25
start_client -t 20 -i 0.25
wait_until 10 has_rows "$tmp/report" 1
wait_until 5 client_runs
kill -STOP "$client_pid"
kill -INT "$client_pid"
kill -TERM "$client_pid"
kill -CONT "$client_pid"
wait "$timeout_pid"
is "second signal, client: status" "$?" 1

start_client -t 20 -i 0.25
wait_until 10 has_rows "$tmp/report" 1
kill -STOP "$server_pid"
kill -INT "$server_pid"
kill -TERM "$server_pid"
kill -CONT "$server_pid"
wait_server 10
is "second signal, server: status" "$status" 1
wait "$timeout_pid"
is "second signal, server: the client fails" "$?" 1

# SIGPIPE is nothing to either.
start_server -f b
start_client -t 1
wait_until 5 client_runs
# Not before it has got that far.
wait_until 5 grep -q connected "$tmp/report"
kill -PIPE "$client_pid" "$server_pid"
wait "$timeout_pid"
is "SIGPIPE, client: status" "$?" 0
is "SIGPIPE: one test" "$(rows <"$tmp/report" | wc -l)" 1
run 5 "$IPERF" -c 127.0.0.1 -p "$port" -n 1000
is "SIGPIPE, server: serves" "$status" 0
stop_server INT
is "SIGPIPE, server: status" "$status" 0
done_testing
