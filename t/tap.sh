# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2034 # out, err and status are for the tests.
#
# What the TAP tests in shell share. A test begins with
#
#	. "${srcdir:-.}/t/tap.sh"
#
# prints its results with ok, is, like and their kin, and ends with
# done_testing. It may use, and these functions set:
#
#	IPERF	the program under test; src/iperf of the build by default
#	PEER	an installed iperf 2, see need_peer
#	srcdir, builddir, tmp	absolute; tmp disappears at the end
#	port	the port of the latest start_server
#	server_pid, server_log	likewise; stdout and stderr of the server
#	out, err, status	of the latest run
#
# All that a test started is stopped, by its process id, when it ends.

set -u

LC_ALL=C
TZ=UTC
export LC_ALL TZ

builddir=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/iperf-test.XXXXXX") || exit 1

IPERF=${IPERF:-$builddir/src/iperf}
PEER=${PEER:-/usr/bin/iperf}

tap_count=0
tap_servers=
tap_host=
port=
server_pid=
server_log=
out=
err=
status=

# Stops what is left; lab.sh adds its hosts to this.
tap_cleanup()
{
	for tap_pid in $tap_servers; do
		kill -KILL "$tap_pid" 2>/dev/null
		wait "$tap_pid" 2>/dev/null
	done
	if [ -n "${lab_names:-}" ]; then
		lab_down
	fi
	rm -rf "$tmp"
}

trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# diag TEXT: comment lines.
diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# pass NAME, fail NAME: one result.
pass()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

fail()
{
	tap_count=$((tap_count + 1))
	echo "not ok $tap_count - $1"
}

# skip NAME WHY: a result that could not be had here.
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# plan COUNT: optional, before the first result.
plan()
{
	tap_plan=$1
	echo "1..$1"
}

# skip_all WHY: the whole test; before the first result.
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# done_testing: the end of every test. Failed results have been printed, so
# the exit status speaks of the test itself only.
done_testing()
{
	if [ -z "${tap_plan:-}" ]; then
		echo "1..$tap_count"
	fi
	exit 0
}

# ok NAME COMMAND [ARG ...]: the command succeeds.
ok()
{
	tap_name=$1
	shift
	if "$@"; then
		pass "$tap_name"
	else
		fail "$tap_name"
		diag "status $? of: $*"
	fi
}

# not_ok NAME COMMAND [ARG ...]: the command fails.
not_ok()
{
	tap_name=$1
	shift
	if "$@"; then
		fail "$tap_name"
		diag "should have failed: $*"
	else
		pass "$tap_name"
	fi
}

# is NAME GOT WANTED: equal texts.
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1"
		diag "got:    $2"
		diag "wanted: $3"
	fi
}

# like NAME TEXT ERE: some line matches.
like()
{
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		pass "$1"
	else
		fail "$1"
		diag "no line matches: $3"
		diag "$2"
	fi
}

# unlike NAME TEXT ERE: no line matches.
unlike()
{
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		fail "$1"
		diag "a line matches: $3"
		diag "$2"
	else
		pass "$1"
	fi
}

# within NAME GOT LOW HIGH: LOW <= GOT <= HIGH, decimal fractions allowed.
within()
{
	if awk -v x="$2" -v lo="$3" -v hi="$4" 'BEGIN {
		exit !(x ~ /^-?[0-9.]+$/ && x + 0 >= lo + 0 && x + 0 <= hi + 0)
	    }'; then
		pass "$1"
	else
		fail "$1"
		diag "got $2, wanted $3 to $4"
	fi
}

# need_peer: skips the test unless an iperf 2 of others is installed.
need_peer()
{
	case $("$PEER" --version 2>&1) in
	"iperf version 2."[012].*) ;;
	*) skip_all "no iperf 2 at $PEER" ;;
	esac
}

# need COMMAND ...: skips the test unless all are installed.
need()
{
	for tap_command; do
		command -v "$tap_command" >/dev/null ||
		    skip_all "no $tap_command"
	done
}

# on_host COMMAND [ARG ...]: on the host of the lab that tap_host names, or
# here. Signals are set back to their defaults: a shell without job control
# starts its background processes with SIGINT ignored. Replaces the shell.
on_host()
{
	if [ -n "$tap_host" ]; then
		exec ip netns exec "$tap_host" \
		    env --default-signal=INT,QUIT "$@"
	fi
	exec env --default-signal=INT,QUIT "$@"
}

# port_in_use PORT: some TCP or UDP socket is bound to it.
port_in_use()
{
	tap_hex=$(printf ':%04X' "$1")
	(on_host cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp \
	    /proc/net/udp6 2>/dev/null) |
	    awk -v hex="$tap_hex" '
		substr($2, length($2) - 4) == hex { found = 1 }
		END { exit !found }'
}

# free_port: prints a port nobody is bound to, below the range from which the
# kernel takes the ports of clients.
free_port()
{
	while :; do
		tap_random=$(od -An -N2 -tu2 /dev/urandom)
		tap_port=$((10000 + tap_random % 22000))
		port_in_use "$tap_port" || break
	done
	echo "$tap_port"
}

# alive PID: runs and is no zombie.
alive()
{
	grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}

# wait_until SECONDS COMMAND [ARG ...]: polls until the command succeeds.
wait_until()
{
	tap_tries=$(($1 * 50))
	shift
	until "$@"; do
		tap_tries=$((tap_tries - 1))
		[ "$tap_tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

# run SECONDS COMMAND [ARG ...]: runs it to its end, at most so long; sets
# out, err (also in $tmp/out, $tmp/err) and status (124: time was up).
run()
{
	tap_seconds=$1
	shift
	(on_host timeout -k 2 "$tap_seconds" "$@") >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
}

# run_on HOST SECONDS COMMAND [ARG ...]: the same on a host of the lab.
run_on()
{
	tap_host=$1
	shift
	run "$@"
	tap_host=
}

# start COMMAND [ARG ...]: in the background, in a session of its own; sets
# server_pid and server_log.
start()
{
	server_log=$(mktemp "$tmp/server.XXXXXX")
	on_host setsid "$@" >"$server_log" 2>&1 </dev/null &
	server_pid=$!
	tap_servers="$tap_servers $server_pid"
}

server_ready()
{
	alive "$server_pid" || return 0
	grep -q '^Server listening' "$server_log" || port_in_use "$port"
}

# start_program PROGRAM [ARG ...]: starts "PROGRAM -s" on a free port, sets
# port, and returns when it listens; false if it does not within 10 s. With
# -D in the arguments the process that is waited for is the parent only.
start_program()
{
	tap_program=$1
	shift
	for tap_try in 1 2 3; do
		port=$(free_port)
		start "$tap_program" -s -p "$port" "$@"
		wait_until 10 server_ready && alive "$server_pid" && return 0
		# Someone may have been faster with the port.
		grep -qi 'in use' "$server_log" || break
	done
	diag "no server after $tap_try tries: $tap_program -s -p $port $*"
	diag "$(cat "$server_log")"
	return 1
}

# start_server [ARG ...]: the program under test as a server.
start_server()
{
	start_program "$IPERF" "$@"
}

# start_server_on HOST [ARG ...]: the same on a host of the lab.
start_server_on()
{
	tap_host=$1
	shift
	start_program "$IPERF" "$@"
	tap_result=$?
	tap_host=
	return "$tap_result"
}

# start_peer [ARG ...]: the installed iperf 2 as a server.
start_peer()
{
	start_program "$PEER" "$@"
}

ended()
{
	! alive "$1"
}

# wait_server SECONDS: waits for the end of the latest server and sets status
# to its exit status; kills it and sets 124 if that takes longer.
wait_server()
{
	if wait_until "$1" ended "$server_pid"; then
		wait "$server_pid"
		status=$?
	else
		kill -KILL "$server_pid"
		wait "$server_pid" 2>/dev/null
		status=124
	fi
	tap_left=
	for tap_pid in $tap_servers; do
		[ "$tap_pid" = "$server_pid" ] ||
		    tap_left="$tap_left $tap_pid"
	done
	tap_servers=$tap_left
}

# stop_server [SIGNAL]: sends SIGINT, or another, then as wait_server.
stop_server()
{
	kill "-${1:-INT}" "$server_pid" 2>/dev/null
	wait_server 10
}
