#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How long a server lives, whom it serves at a time, and whose figures it
# adds up.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

client()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -f b "$@"
}

# background [ARG ...]: a client, its report in $tmp/background.
background()
{
	on_host timeout 20 "$IPERF" -c 127.0.0.1 -p "$port" -f b "$@" \
	    >"$tmp/background" 2>&1 &
	background_pid=$!
	tap_servers="$tap_servers $background_pid"
}

# shellcheck disable=SC2317 # called by wait_until
has_lines()
{
	[ "$(grep -Ec "$2" "$1" 2>/dev/null)" -ge "$3" ]
}

now()
{
	read -r uptime _ </proc/uptime
	echo "$uptime"
}

# -t: accepts for so long, then ends.
begin=$(now)
start_server -f b -t 1.5 || skip_all "the server does not start"
client -n 1000
is "-t: serves meanwhile" "$status" 0
wait_server 8
is "-t: status" "$status" 0
within "-t: seconds" \
    "$(awk -v a="$begin" -v b="$(now)" 'BEGIN { print b - a }')" 1.4 6
like "-t: the test is reported" "$(cat "$server_log")" \
    '^\[  1\].* 1000 Bytes .*/sec$'

# -P: so many streams, then the end.
start_server -f b -P 3
client -n 1000
client -n 2000 -P 2
wait_server 8
is "-P 3: status" "$status" 0
is "-P 3: three streams" "$(rows <"$server_log" | totals)" "1000 2000 2000 "

# -1: the second client waits, which is none of its test time.
start_server -f b -1
background -t 1.5
wait_until 5 has_lines "$server_log" ' connected with ' 1
client -n 20M
is "-1: status of the second" "$status" 0
wait "$background_pid"
is "-1: status of the first" "$?" 0
wait_until 5 has_lines "$server_log" '/sec$' 2
stop_server INT
is "-1: status of the server" "$status" 0
is "-1: the same bytes" "$(rows <"$server_log" | totals)" \
    "$( (cat "$tmp/background"; printf '%s\n' "$out") | rows |
    awk '{ $1 = NR; print }' | totals)"
within "-1: the second's clock begins with its data" \
    "$(rows <"$server_log" | awk 'END { print $3 }')" 0 1
is "-1: no sum" "$(grep -c '^\[SUM' "$server_log")" 0

# Two clients at once do not mix.
start_server -f b -i 0.25
background -t 2 -P 2
wait_until 5 has_lines "$server_log" '^\[SUM' 1
client -t 0.5
is "two clients: status of the second" "$status" 0
wait "$background_pid"
is "two clients: status of the first" "$?" 0
wait_until 5 has_lines "$server_log" '^\[SUM\] 0\.00-[12]' 1
stop_server INT
is "two clients: the sum is of the first" \
    "$(rows <"$server_log" | awk '/^SUM/ { sum = $4 } END { print sum }')" \
    "$(rows <"$tmp/background" | awk 'END { print $4 }')"
is "two clients: the same bytes" "$(rows <"$server_log" | totals)" \
    "$( (cat "$tmp/background"; printf '%s\n' "$out" |
    sed 's/^\[  1\]/[  9]/') | rows | totals)"

# Three groups one after the other, of one server: numbers go on, each has a
# sum of its own.
start_server -f b
for p in 2 3 2; do
	client -n 10000 -P "$p"
done
wait_until 5 has_lines "$server_log" '^\[SUM' 3
stop_server INT
is "three groups: sums" \
    "$(rows <"$server_log" | awk '/^SUM/ { print $4 }' | tr '\n' ' ')" \
    "20000 30000 20000 "
is "three groups: numbers" \
    "$(rows <"$server_log" | awk '!/^SUM/ { print $1 }' | tr '\n' ' ')" \
    "1 2 3 4 5 6 7 "
is "three groups: headers" "$(grep -c '^\[ ID\]' "$server_log")" 3

# -D: the parent ends when the port is bound; the report goes to the file, a
# path from where it was started. The daemon ends by itself, after two
# streams.
mkdir "$tmp/daemon"
echo "of an earlier daemon" >"$tmp/daemon/report.txt"
port=$(free_port)
# shellcheck disable=SC2016 # for the inner shell
run 5 sh -c 'cd "$0" && exec "$@"' "$tmp/daemon" \
    "$IPERF" -s -D -f b -P 2 -p "$port" -o report.txt
is "-D: status of the parent" "$status" 0
# It is nobody's child: to be stopped with the rest if the test goes wrong.
# find_daemon: the one on the latest port, as daemon_pid.
find_daemon()
{
	for process in /proc/[0-9]*; do
		if tr '\0' ' ' <"$process/cmdline" 2>/dev/null |
		    grep -q -e " -D .* -p $port "; then
			daemon_pid=${process#/proc/}
			tap_servers="$tap_servers $daemon_pid"
		fi
	done
}
find_daemon
client -n 1000
is "-D: serves at once" "$status $err" "0 "
wait_until 5 has_lines "$tmp/daemon/report.txt" ' 1000 Bytes ' 1
ok "-D: the report is in the file while it serves" \
    grep -q ' 1000 Bytes ' "$tmp/daemon/report.txt"
run 5 "$IPERF" -s -D -p "$port"
is "-D: port in use" "$status" 1
# shellcheck disable=SC2016 # for the inner shell
run 5 sh -c 'cd "$0" && exec "$@"' "$tmp/daemon" \
    "$IPERF" -s -D -p "$port" -o report.txt
is "-D: port in use, with the same file" "$status" 1
ok "-D: port in use, the file is left alone" \
    grep -q ' 1000 Bytes ' "$tmp/daemon/report.txt"
like "-D: port in use, says so" "$err" \
    '^iperf: bind failed: Address already in use'
run 5 "$IPERF" -s -D -p "$(free_port)" -o /no/dir/x
is "-D: no such directory" "$status" 1
client -n 2000
wait_until 5 has_lines "$tmp/daemon/report.txt" ' 2000 Bytes ' 1
# shellcheck disable=SC2317 # called by wait_until
port_is_free()
{
	! port_in_use "$port"
}
ok "-D: ends after two streams" wait_until 5 port_is_free
is "-D: the file is appended to" \
    "$(sed -n 1p "$tmp/daemon/report.txt")" "of an earlier daemon"
is "-D: both tests in the file" \
    "$(rows <"$tmp/daemon/report.txt" | totals)" "1000 2000 "

# Locks on memory are those of the process that serves.
if [ "$(id -u)" != 0 ] || grep -qaE '__(asan|tsan)_init' "$IPERF"; then
	skip "-D -z: locks its memory" "needs root, and no sanitizer"
else
	port=$(free_port)
	run 5 "$IPERF" -s -D -z -P 1 -p "$port" -o "$tmp/daemon/locked.txt"
	find_daemon
	if printf '%s\n' "$err" | grep -q 'cannot lock memory'; then
		skip "-D -z: locks its memory" "not permitted here"
	else
		ok "-D -z: locks its memory" grep -Eq '^VmLck:.*[1-9]' \
		    "/proc/$daemon_pid/status"
	fi
	client -n 1000
	ok "-D -z: ends" wait_until 5 port_is_free
fi
done_testing
