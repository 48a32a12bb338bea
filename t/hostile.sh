# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # shared with the tests and tap.sh.
#
# Bad peers and what a process uses, for t/robust-*.sh. Source after tap.sh.
# IPERF_LONG=1 in the environment asks for the long forms of the tests.

bad_peer=$builddir/t/peer
bad_port=
client_pid=
client_log=

[ -x "$bad_peer" ] || skip_all "t/peer has not been built"

# is_sanitized: the program is slower and keeps freed memory.
is_sanitized()
{
	grep -qaE '__(asan|tsan)_init' "$IPERF"
}

# bad COMMAND [ARG ...]: a bad client of the latest server, to its end.
bad()
{
	timeout -k 2 70 "$bad_peer" 127.0.0.1 "$port" "$@" >"$tmp/bad" 2>&1
	bad_status=$?
	bad_out=$(cat "$tmp/bad")
	[ "$bad_status" -eq 0 ] || diag "peer $*: $bad_out"
}

# keep COMMAND [ARG ...]: what start_server has set is kept.
keep()
{
	keep_pid=$server_pid
	keep_log=$server_log
	"$@"
	server_pid=$keep_pid
	server_log=$keep_log
}

launch_bad()
{
	start "$bad_peer" 127.0.0.1 0 "$@"
	bad_pid=$server_pid
	wait_until 5 grep -q '^port' "$server_log"
	bad_port=$(sed -n 's/^port //p' "$server_log")
}

end_bad()
{
	server_pid=$bad_pid
	stop_server KILL
}

# start_bad END BYTES MS: a bad server; sets bad_port.
start_bad()
{
	keep launch_bad serve "$@"
}

# start_answering FIRST LENGTH BYTES: one that answers late; likewise.
start_answering()
{
	keep launch_bad answer "$@"
}

stop_bad()
{
	keep end_bad
}

launch_client()
{
	start "$IPERF" "$@"
	client_pid=$server_pid
	client_log=$server_log
}

end_client()
{
	server_pid=$client_pid
	[ $# -eq 0 ] || kill "-$1" "$client_pid"
	wait_server 20
	[ "$status" -eq 0 ] || diag "client: $(grep '^iperf' "$client_log")"
}

# start_client ARG ...: a client in the background; sets client_pid and
# client_log.
start_client()
{
	keep launch_client "$@"
}

# start_exact [ARG ...]: a client of the latest server with exact figures;
# returns when it has moved data.
start_exact()
{
	start_client -c 127.0.0.1 -p "$port" -y C -i 0.5 "$@"
	wait_until 10 [ -s "$client_log" ] || diag "the client is silent"
}

# stop_client [SIGNAL]: ends it, or without a signal waits for its end; sets
# status.
stop_client()
{
	keep end_client "$@"
}

# streams FILE: "port bytes" of the last row of each stream with data, by the
# port of the client; -y C.
streams()
{
	awk -F, -v port="$port" 'NF >= 9 && $6 > 0 && $8 > 0 {
		key = $3 == port ? $5 : $3
		bytes[key] = $8
		first[key] = $7
	}
	END { for (key in bytes) print key, bytes[key] }' "$1" | sort
}

# same_bytes: what the client has sent on each stream, the server has read.
same_bytes()
{
	streams "$client_log" >"$tmp/sent"
	[ -s "$tmp/sent" ] || return 1
	streams "$server_log" >"$tmp/read"
	while read -r bad_line; do
		grep -qx "$bad_line" "$tmp/read" || return 1
	done <"$tmp/sent"
}

open_files()
{
	find "/proc/$1/fd" -type l 2>/dev/null | wc -l
}

threads()
{
	sed -n 's/^Threads:[[:space:]]*//p' "/proc/$1/status"
}

memory_kb()
{
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

# Ticks of 10 ms, of all threads.
cpu_ticks()
{
	sed 's/^.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

switches()
{
	cat "/proc/$1/task/"*/status |
	    awk '/ctxt_switches/ { n += $2 } END { print n }'
}

is_steady()
{
	steady_before="$(open_files "$server_pid") $(threads "$server_pid")"
	sleep 0.1
	[ "$(open_files "$server_pid") $(threads "$server_pid")" = \
	    "$steady_before" ]
}

# learn_idle: notes what the server has at rest; it has served once by then,
# so all of it has been started.
learn_idle()
{
	bad header none 10 0
	wait_until 10 is_steady
	idle_files=$(open_files "$server_pid")
	idle_threads=$(threads "$server_pid")
}

# is_idle: the server has no more than that.
is_idle()
{
	[ "$(open_files "$server_pid")" -le "$idle_files" ] &&
	    [ "$(threads "$server_pid")" -le "$idle_threads" ]
}

now_ms()
{
	echo $(($(date +%s%N) / 1000000))
}
