#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The units for systemd are valid and confined, and what they start logs each
# line as it comes. No service is started.

. "${srcdir:-.}/t/tap.sh"

if [ ! -f "$builddir/systemd/iperf.service" ]; then
	skip_all "configured without units"
fi

# With the program of the build, which exists.
mkdir "$tmp/units"
for unit in iperf.service iperf@.service; do
	sed "s|^ExecStart=[^ ]*|ExecStart=$IPERF|" \
	    "$builddir/systemd/$unit" >"$tmp/units/$unit"
	unlike "$unit is complete" "$(cat "$builddir/systemd/$unit")" '@[A-Z]'
	like "$unit starts a server" "$(cat "$builddir/systemd/$unit")" \
	    '^ExecStart=/.*/[^/]*iperf[^/]* -s'
done
like "the template has a port" "$(cat "$tmp/units/iperf@.service")" \
    '^ExecStart=.* -s -p %i$'

# Whatever the journal shows has been flushed to it: a pipe.
mkfifo "$tmp/journal"
cat "$tmp/journal" >"$tmp/log" &
reader=$!
port=$(free_port)
start sh -c "exec '$IPERF' -s -p $port >'$tmp/journal' 2>&1"
ok "the banner is logged while the server runs" \
    wait_until 10 grep -q '^Server listening' "$tmp/log"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1000
ok "so is a test" wait_until 10 grep -q '/sec$' "$tmp/log"
stop_server TERM
is "a stop is no failure" "$status" 0
wait "$reader"

# What the unit starts, as who it does: nobody, without any privilege.
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
    --inh-caps=-all --bounding-set=-all"
if [ "$(id -u)" = 0 ] && $nobody test -x "$IPERF" 2>/dev/null; then
	port=$(free_port)
	# shellcheck disable=SC2046,SC2086 # words
	start $nobody $(sed -n 's/^ExecStart=//p' "$tmp/units/iperf.service") \
	    -p "$port"
else
	port=
fi
for direction in "" -R; do
	if [ -z "$port" ]; then
		skip "as nobody: serves $direction" "needs root and setpriv"
		continue
	fi
	wait_until 10 server_ready
	# shellcheck disable=SC2086 # nothing or a word
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1000 $direction
	is "as nobody: serves $direction" "$status $err" "0 "
done
if [ -n "$port" ]; then
	stop_server TERM
	is "as nobody: a stop is no failure" "$status" 0
fi

if ! command -v systemd-analyze >/dev/null; then
	skip "verified" "no systemd-analyze"
	done_testing
fi
cd "$tmp/units" || exit 1
for unit in iperf.service iperf@5002.service; do
	run 20 systemd-analyze verify --man=no "./$unit"
	case $err in
	*"unrecognized option"* | *"Failed to initialize manager"*)
		skip "$unit is valid" "$err"
		continue
		;;
	esac
	is "$unit is valid" "$status $err" "0 "
done
# The scale is from 0 to 10, here times 10.
run 20 systemd-analyze security --offline=true --no-pager --threshold=20 \
    ./iperf.service
case $err in
*"unrecognized option"*) skip "the unit is confined" "systemd is too old" ;;
*) is "the unit is confined" "$status" 0 ;;
esac
done_testing
