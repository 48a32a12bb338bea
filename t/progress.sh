#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The progress line: only on stderr, only on a terminal, gone before anything
# else is printed, and without effect on what is.

. "${srcdir:-.}/t/tap.sh"

need script
script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
    skip_all "this script cannot run a command on a terminal"
unset NO_COLOR
TERM=xterm
export TERM

erase=$(printf '\r\033[K')
line='\[[#-]*\]  [0-9.]+ of [0-9.]+ s +[0-9.]+ [KMG]?bits/sec'

# at_terminal COMMAND: with stderr on a terminal of its own, and stdout in
# $tmp/out; sets status, and shown to what the terminal got.
at_terminal()
{
	run 20 script -qec "$1 >$tmp/stdout" /dev/null </dev/null
	shown=$out
	out=$(cat "$tmp/stdout")
}

# What differs from run to run: figures, and the columns they take.
layout()
{
	sed -e 's/[0-9][0-9.]*/N/g' -e 's/ [KMG]\{0,1\}\(bits\|Bytes*\)/ \1/g' \
	    -e 's/  */ /g'
}

loop="$IPERF --loopback -P 2"
at_terminal "$loop -t 1.2"
is "a test at a terminal: status" "$status" 0
like "there is a line" "$shown" "$line"
is "it is erased in the end" "${shown%"$erase"}$erase" "$shown"
unlike "stdout has nothing of it" "$out" "$(printf '[\033#\r]')"
is "what was shown is one line of the terminal" \
    "$(printf '%s' "$shown" | wc -l)" 0
at_layout=$(printf '%s\n' "$out" | layout)
run 10 "$IPERF" --loopback -P 2 -t 1.2
is "without a terminal: nothing on stderr" "$status $err" "0 "
is "stdout is the same without" "$(printf '%s\n' "$out" | layout)" \
    "$at_layout"

# not_shown NAME COMMAND: a test at a terminal that prints nothing there.
not_shown()
{
	at_terminal "$2"
	is "$1: nothing shown" "$status $shown" "0 "
	like "$1: figures" "$out" '^\[SUM\].*/sec$'
}

not_shown "--no-progress" "$loop -t 1.2 --no-progress"
not_shown "NO_COLOR" "env NO_COLOR=1 $loop -t 1.2"
not_shown "TERM=dumb" "env TERM=dumb $loop -t 1.2"
not_shown "no TERM" "env -u TERM $loop -t 1.2"
not_shown "-i" "$loop -t 1.2 -i 1"
not_shown "a short test" "$loop -t 1"

# An amount, at a rate that makes it take a moment.
at_terminal "$loop -n 800K -b 4M"
like "-n: bytes of all streams" "$shown" \
    '[0-9.]+ .Bytes of +1\.56 MBytes +[0-9.]+ [KM]bits/sec'
like "-n: exact all the same" "$out" '^\[SUM\].* 1\.56 MBytes '

# The figures are those of a test without: every byte is in the total.
start_server -y C || skip_all "the server does not start"
at_terminal "$IPERF -c 127.0.0.1 -p $port -n 500000 -b 3M -y C"
like "a line with CSV, too" "$shown" ' of .*bits/sec'
like "the total is exact" "$out" ',0\.0-[0-9.]*,500000,[0-9]*$'
is "no intervals" "$(printf '%s\n' "$out" | wc -l)" 1
if "$IPERF" --json -c 127.0.0.1 -F /no/such/file 2>&1 |
    grep -q 'built without JSON'; then
	skip "a line with JSON" "built without JSON"
else
	at_terminal "$IPERF -c 127.0.0.1 -p $port -n 500000 -b 3M --json"
	like "a line with JSON, too" "$shown" ' of .*bits/sec'
	is "the document begins and ends" "$(printf '%s\n' "$out" |
	    sed -n -e '1s/^\(.\).*/\1/p' -e '$s/.*\(.\)$/\1/p' |
	    tr -d '\n')" '{}'
	unlike "and has nothing of the line" "$out" "$(printf '[\033\r]')"
fi
stop_server

# In a terminal that a person has.
if ! command -v tmux >/dev/null; then
	skip "at a screen" "no tmux"
	done_testing
fi
LC_ALL=C.UTF-8
export LC_ALL
socket=$tmp/tmux

screen()
{
	tmux -S "$socket" capture-pane -p -t 0
}

# on_screen ERE: some line of it matches.
on_screen()
{
	screen | grep -Eq -e "$1"
}

# open_screen COLUMNS COMMAND: a screen with that, then a line "ended STATUS".
open_screen()
{
	tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y 30 \
	    "$2; echo ended \$?; cat >/dev/null"
	# Stopped by its process id with all else, if the test is cut short.
	tap_servers="$tap_servers $(tmux -S "$socket" display-message -p \
	    '#{pid}')"
}

close_screen()
{
	tmux -S "$socket" kill-server
	wait_until 5 closed
}

closed()
{
	! tmux -S "$socket" list-sessions >/dev/null 2>&1
}

open_screen 80 "$IPERF --loopback -t 2"
ok "screen: the line is there" wait_until 10 on_screen "^$line"
ok "screen: the test ends" wait_until 10 on_screen '^ended 0$'
unlike "screen: the line is gone" "$(screen)" '\[[#-]+\]|of 2\.0'
like "screen: the report is there" "$(screen)" \
    '^\[  1\] 0\.00-2\.[0-9]+ sec .*/sec$'
close_screen

open_screen 34 "$IPERF --loopback -t 0"
ok "narrow: no end and no bar, and one row" \
    wait_until 10 on_screen '^[0-9.]+ s +[0-9.]+ [KMG]?bits/sec'
tmux -S "$socket" send-keys -t 0 C-c
ok "interrupted: ends well" wait_until 10 on_screen '^ended 0$'
unlike "interrupted: the line is gone" "$(screen)" '^[0-9.]+ s '
close_screen

# A diagnostic in the middle of it takes a line of its own.
start_server || skip_all "the server does not start"
open_screen 80 "$IPERF -c 127.0.0.1 -p $port -t 30"
ok "a server that goes: the line is there" wait_until 10 on_screen "^$line"
kill -KILL "$server_pid"
ok "a server that goes: the test ends" wait_until 15 on_screen '^ended 1$'
like "a server that goes: said at the begin of a line" "$(screen)" '^iperf: '
unlike "a server that goes: no remains" "$(screen)" '\[[#-]+\]|of 30\.0'
close_screen
done_testing
