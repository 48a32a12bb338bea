#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# JSON is complete whatever happens: refused, unknown, interrupted, killed by
# a second signal, a peer that goes. Usage errors stay on stderr.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/json.sh"

need_json

# What both forms say of a failure: form, pattern, arguments.
failed()
{
	failed_form=$1
	failed_pattern=$2
	shift 2
	failed_option=--json
	failed_end=.end
	if [ "$failed_form" = stream ]; then
		failed_option=--json-stream
		failed_end='.[-1]'
	fi
	run 15 "$IPERF" "$failed_option" "$@"
	cp "$tmp/out" "$tmp/failed"
	is "$failed_form $*: status" "$status" 1
	like "$failed_form $*: stderr" "$err" "^iperf: $failed_pattern"
	valid "$failed_form $*" "$failed_form" "$tmp/failed"
	holds "$failed_form $*: how it ended" "$tmp/failed" "$failed_end |
	    .reason == \"failed\" and .exit_status == 1 and
	    (.error | test(\"^$failed_pattern\"))"
}

nobody=$(free_port)
start_server || skip_all "the server does not start"
for form in document stream; do
	failed "$form" "tcp connect failed: Connection refused" \
	    -c 127.0.0.1 -p "$nobody" -t 1
	failed "$form" "no-such-host.invalid: Unknown host" \
	    -c no-such-host.invalid -t 1
	failed "$form" "bind failed: Address already in use" -s -p "$port"
	failed "$form" "cannot read ./no/such.: No such file" \
	    -c 127.0.0.1 -p "$port" -F /no/such
	failed "$form" "tcp connect failed: Connection refused" \
	    -c 127.0.0.1 -p "$nobody" --connect-only=2
done
failed document "tcp connect failed: Connection refused" \
    -c 127.0.0.1 -p "$nobody" -P 3 -t 1
holds "a failed run has its settings" "$tmp/failed" \
    '.settings.parallel == 3 and .settings.role == "client"'

for option in --json --json-stream; do
	run 5 "$IPERF" -c 127.0.0.1 -p "$port" "$option" -b 5gx
	is "$option, usage error: only on stderr" \
	    "$status $out $(printf '%s\n' "$err" | wc -l)" "1  1"
done
run 5 "$IPERF" -c 127.0.0.1 -p "$port" --json --json-stream
is "--json with --json-stream" "$status $err" \
    "1 iperf: --json cannot be used with --json-stream"
run 5 "$IPERF" -c 127.0.0.1 -p "$port" --json -y C
is "--json with -y" "$status $err" "1 iperf: --json cannot be used with -y"
run 5 env IPERF_REPORTSTYLE=C "$IPERF" -c 127.0.0.1 -p "$port" --json \
    -n 1000
is "--json wins over the environment" "$status" 0
cp "$tmp/out" "$tmp/environment"
valid "and is JSON" document "$tmp/environment"
run 5 "$IPERF" -c 127.0.0.1 -p "$port" --json -o /no/dir/x -t 1
is "-o that cannot be written" "$status $out" "1 "
stop_server INT

# start_client [ARG ...]: in the background; its report is in $tmp/report.
start_client()
{
	: >"$tmp/report"
	on_host timeout 30 "$IPERF" -c 127.0.0.1 -p "$port" -i 0.1 "$@" \
	    >"$tmp/report" 2>"$tmp/client-err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
	wait_until 10 client_runs
}

# There are intervals; the client is the only child of timeout.
# shellcheck disable=SC2317 # called by wait_until
client_runs()
{
	[ "$(grep -c '"end_seconds"' "$tmp/report")" -gt 2 ] || return 1
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	[ -n "$client_pid" ]
}

# What goes to stderr is no part of the document.
start_server --json -i 0.1 -o "$tmp/server"
for signal in INT TERM; do
	start_client --json -t 20 -P 2
	kill "-$signal" "$client_pid"
	wait "$timeout_pid"
	is "$signal: status" "$?" 0
	valid "$signal" document "$tmp/report"
	holds "$signal: how it ended" "$tmp/report" \
	    '.end.reason == "interrupted" and .end.exit_status == 0 and
	    (.totals | length) == 3 and .warnings[-1].message ==
	    "interrupted: the totals are of the time until then"'
done

# interrupt_setup FORM ARG ...: a signal while a name is looked up, which for
# one without a dot waits until somebody opens the FIFO that has its aliases.
mkfifo "$tmp/aliases"
# shellcheck disable=SC2317 # called by wait_until
looks_up()
{
	ended "$timeout_pid" && return 0
	read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
	[ -n "$client_pid" ] &&
	    [ "$(find "/proc/$client_pid/task" -mindepth 1 -maxdepth 1 |
		wc -l)" = 2 ]
}
interrupt_setup()
{
	form=$1
	shift
	: >"$tmp/report"
	on_host timeout 20 env HOSTALIASES="$tmp/aliases" "$IPERF" "$@" \
	    >"$tmp/report" 2>"$tmp/client-err" &
	timeout_pid=$!
	tap_servers="$tap_servers $timeout_pid"
	wait_until 10 looks_up
	if ended "$timeout_pid"; then
		skip "look-up interrupted, $*" "this resolver has no aliases"
		return
	fi
	kill -INT "$client_pid"
	wait "$timeout_pid"
	is "look-up interrupted, $*: status" "$?" 0
	if [ "$form" = text ]; then
		is "look-up interrupted, $*: says so, and nothing more" \
		    "$(cat "$tmp/client-err" "$tmp/report")" \
		    "iperf: interrupted before the test began"
		return
	fi
	valid "look-up interrupted, $*" "$form" "$tmp/report"
	holds "look-up interrupted, $*: how it ended" "$tmp/report" \
	    'if type == "array" then .[-1] else .end end |
	    .exit_status == 0 and .reason == "interrupted"'
}

interrupt_setup document --json -c somehost -t 5
interrupt_setup stream --json-stream -c somehost -t 5
interrupt_setup document --json -c 127.0.0.1 -B somehost -u -t 5
interrupt_setup document --json -c somehost --connect-only=2
interrupt_setup document --json -s -B somehost -p "$nobody"
interrupt_setup text -c somehost -t 5

# A signal that has come before the program could do anything.
for form in document stream; do
	option=--json
	[ "$form" = document ] || option=--json-stream
	# shellcheck disable=SC2016 # for the inner shell
	run 10 env --block-signal=INT sh -c 'kill -INT $$; exec "$@"' sh \
	    "$IPERF" -c 127.0.0.1 -p "$port" -t 5 "$option"
	cp "$tmp/out" "$tmp/report"
	is "interrupted at once, $form: status" "$status" 0
	valid "interrupted at once, $form" "$form" "$tmp/report"
	holds "interrupted at once, $form: how it ended" "$tmp/report" \
	    'if type == "array" then .[-1] else .end end |
	    .exit_status == 0 and .reason == "interrupted"'
done

# Two signals, for a process that was stopped meanwhile and finds both.
for form in document stream; do
	option=--json
	[ "$form" = document ] || option=--json-stream
	start_client "$option" -t 20
	kill -STOP "$client_pid"
	kill -INT "$client_pid"
	kill -TERM "$client_pid"
	kill -CONT "$client_pid"
	wait "$timeout_pid"
	is "two signals, $form: status" "$?" 1
	valid "two signals, $form" "$form" "$tmp/report"
	holds "two signals, $form: how it ended" "$tmp/report" \
	    'if type == "array" then .[-1] else .end end |
	    .exit_status == 1 and .reason == "aborted"'
done

# The server goes in mid-test.
start_client --json -t 20 -P 2
stop_server TERM
is "server ended in mid-test: status" "$status" 0
valid "server ended in mid-test" document "$tmp/server"
holds "server ended in mid-test: how" "$tmp/server" \
    '.end.reason == "interrupted" and .settings.role == "server"'
wait "$timeout_pid"
is "its client: status" "$?" 1
valid "its client" document "$tmp/report"
holds "its client: how it ended" "$tmp/report" \
    '.end.reason == "failed" and (.errors | length) > 0 and
    .end.error == .errors[0].message and (.totals | length) == 3'
start_server
start_client --json -t 20
kill -KILL "$server_pid"
wait "$timeout_pid"
is "server killed in mid-test: status" "$?" 1
valid "server killed in mid-test" document "$tmp/report"
holds "server killed in mid-test: says why" "$tmp/report" \
    '.end.error | test("reset|pipe"; "i")'
wait_server 5
judge_valid
done_testing
