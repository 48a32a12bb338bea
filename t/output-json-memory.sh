#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A report in JSON needs no more memory the longer it gets: many streams with
# many intervals, and a server that serves many clients.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/json.sh"

need_json
[ -r /proc/self/status ] || skip_all "needs /proc"

# grows WHO BEFORE AFTER KBYTES: by less than so much.
grows()
{
	if grep -qaE '__(asan|tsan)_init' "$IPERF"; then
		skip "$1: grows by less than $4 KByte" \
		    'sanitizers keep what is freed'
	else
		within "$1: grows by less than $4 KByte" $(($3 - $2)) \
		    -100000 "$4"
	fi
}

# Resident memory, KByte.
rss()
{
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

# shellcheck disable=SC2317 # called by wait_until
has_rows()
{
	[ "$(wc -l <"$tmp/report")" -ge "$1" ]
}

start_server --json -o "$tmp/server" || skip_all "the server does not start"
on_host timeout 60 "$IPERF" -c 127.0.0.1 -p "$port" --json -P 40 -i 0.005 \
    -b 1m -t 50 >"$tmp/report" 2>"$tmp/err" &
timeout_pid=$!
tap_servers="$tap_servers $timeout_pid"
wait_until 20 has_rows 4000 || diag "few intervals"
read -r client_pid _ <"/proc/$timeout_pid/task/$timeout_pid/children"
before=$(rss "$client_pid")
wait_until 30 has_rows 24000 || diag "few intervals"
after=$(rss "$client_pid")
rows=$(wc -l <"$tmp/report")
kill -INT "$client_pid"
wait "$timeout_pid"
is "client: status" "$?" 0
ok "client: many intervals" [ "$rows" -ge 24000 ]
# What is kept would be 20000 rows of more than 400 bytes: 8 MByte.
grows client "$before" "$after" 2048
holds "client: complete" "$tmp/report" '(.intervals | length) > 23000 and
    (.totals | length) == 41'

# Each connection adds one object of 500 bytes to two arrays: 6 MByte in all.
# The last client is served when all before it have been accepted.
connect()
{
	run 20 "$IPERF" -c 127.0.0.1 -p "$port" --connect-only="$1" -x CS
	run 20 "$IPERF" -c 127.0.0.1 -p "$port" -n 1000
}
connect 1500
before=$(rss "$server_pid")
connect 6000
after=$(rss "$server_pid")
grows server "$before" "$after" 4096
stop_server INT
is "server: status" "$status" 0
# A full queue may lose some; a sum is of the client above.
# shellcheck disable=SC2016 # jq's variable
holds "server: complete" "$tmp/server" '(.connections | length) as $n |
    $n > 3000 and $n <= 7542 and (.totals | length) == $n + 1'
done_testing
