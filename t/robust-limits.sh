#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# More connections than descriptors, on either side.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

FILES=64

# The program with few descriptors.
cat >"$tmp/limited" <<END
#!/bin/sh
ulimit -n $FILES
exec "$IPERF" "\$@"
END
chmod +x "$tmp/limited"

# backlog_empty: nobody waits to be accepted by the server.
backlog_empty()
{
	awk -v hex="$(printf ':%04X' "$port")" '
		$4 == "0A" && substr($2, length($2) - 4) == hex &&
		    $5 !~ /:00000000$/ { waiting = 1 }
		END { exit waiting }' /proc/net/tcp /proc/net/tcp6
}

# Those that the listener has no room for wait in the kernel.
crowd=2000
backlog=$(cat /proc/sys/net/core/somaxconn)
[ "$backlog" -gt "$crowd" ] || crowd=$((backlog / 2))

start_program "$tmp/limited" -y C --test-exchange-timeout 1 ||
    skip_all 'the server does not start'
learn_idle
start_exact -t 60 -P 2 -b 50m
bad hold "$crowd" 2500
like "$crowd connections at once" "$bad_out" "^connected $crowd"
stop_client INT
is 'a test meanwhile ends well' "$status" 0
ok 'its bytes are those of the server' wait_until 5 same_bytes
ok 'the crowd has been accepted' wait_until 20 backlog_empty
ok 'the crowd is gone' wait_until 20 is_idle
is 'the lack of descriptors is told once' \
    "$(grep -c 'Too many open files' "$server_log")" 1
start_exact -t 0.5
stop_client
is 'another client is served' "$status" 0
stop_server
is 'the server ends well' "$status" 0

start_server
run 10 "$tmp/limited" -c 127.0.0.1 -p "$port" -P 1000 -t 1
is 'a client with too few descriptors: status' "$status" 1
like 'it says so' "$err" '^iperf: .*1000.*open files'
is 'in one line' "$(printf '%s\n' "$err" | wc -l)" 1
unlike 'nothing was started' "$out" 'connected'
unlike 'the server has seen nobody' "$(cat "$server_log")" 'connected'
stop_server

run 30 "$IPERF" --loopback -P 200 -t 0.5
is '200 streams: status' "$status" 0
like 'they have a sum' "$out" '^\[SUM\] 0\.00-'
run 10 "$tmp/limited" --loopback -P 200 -t 0.5
is '200 streams with 64 descriptors: status' "$status" 1
like '200 streams with 64 descriptors: why' "$err" '^iperf: .*200.*open files'

done_testing
