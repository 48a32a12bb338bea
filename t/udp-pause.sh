#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Without a limit, a receiver of ours whose queue fills asks a sender of ours to
# pause, in each direction. Nobody else is asked, and who keeps a rate does not
# pause.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

remark=' paused [0-9.]*% of the time, as the receiver asked$'

# client ARG ...: a small receive buffer is half full in no time.
client()
{
	mark
	run 20 "$IPERF" -u -c 127.0.0.1 -p "$port" -f b -w 64k -t 0.5 "$@"
	is "$*: status, stderr" "$status $err" "0 "
}

# pauses: how many remarks the client made.
pauses()
{
	printf '%s\n' "$out" | grep -c "$remark"
}

# shellcheck disable=SC2317 # called by wait_until
server_paused()
{
	since_mark | grep -q "$remark"
}

start_server -u -f b -w 64k || skip_all "the server does not start"
client -b 0
like "the client pauses" "$out" "^\[  1\] .*$remark"
client -b 0 -P 2
is "-P 2: each stream and the sum" "$(pauses)" 3
for way in -R -d -r; do
	client -b 0 "$way"
	ok "$way: the server pauses" wait_until 5 server_paused
	[ "$way" = -R ] || is "$way: the client, too" "$(pauses)" 1
done
client -b 20g
is "a rate is kept" "$(pauses)" 0
client -b 0 -C
is "without a header nobody is asked" "$(pauses)" 0
client -b 0 --json
like "JSON" "$out" '"direction":"send".*"paused_seconds":0\.[0-9]*[1-9]'

if command -v "$PEER" >/dev/null; then
	run 20 "$PEER" -u -c 127.0.0.1 -p "$port" -b 20g -t 0.5
	is "iperf 2: status" "$status" 0
	like "iperf 2 gets its report" "$out" ' ms +[0-9]+/ *[1-9][0-9]* \('
else
	skip "iperf 2 gets its report" "no iperf 2"
fi
stop_server INT
is "the server ends well" "$status" 0
done_testing
