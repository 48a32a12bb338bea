#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Options that change what is printed, and when.

. "${srcdir:-.}/t/tap.sh"

client()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1M "$@"
}

# Something has come, and there is no total yet.
# shellcheck disable=SC2317 # called by wait_until
interval_in()
{
	grep -q '^\[  1\] 0\.00-0\.[2-4]' "$1"
}

run 5 "$IPERF" -v
is "-v: status, nothing on stderr" "$status $err" "0 "
like "-v: first line" "$(printf '%s\n' "$out" | head -n 1)" \
    '^iperf version 2\.50\.0 .*independent implementation'
run 5 "$IPERF" --version
is "--version: status" "$status" 0
for option in -h --help; do
	run 5 "$IPERF" "$option"
	is "$option: status, nothing on stderr" "$status $err" "0 "
	like "$option: options" "$out" '--enhanced'
done

start_server || skip_all "the server does not start"

# -f: the transfer is always in bytes.
while read -r letter transfer rate; do
	client -f "$letter"
	like "-f $letter" "$(printf '%s\n' "$out" | tail -n 1)" \
	    " $transfer +[0-9.]+ $rate\$"
done <<END
b [0-9.]+.Bytes bits/sec
k [0-9.]+.KBytes Kbits/sec
m [0-9.]+.MBytes Mbits/sec
g [0-9.]+.GBytes Gbits/sec
a [0-9.]+.[KM]Bytes [KMG]bits/sec
B [0-9.]+.Bytes Bytes/sec
K [0-9.]+.KBytes KBytes/sec
M [0-9.]+.MBytes MBytes/sec
G [0-9.]+.GBytes GBytes/sec
A [0-9.]+.[KM]Bytes [KMG]?Bytes/sec
END

client -x C
unlike "-x C: no connection lines" "$out" ' connected with '
like "-x C: figures" "$out" '/sec$'
client -x S
unlike "-x S: no banner" "$out" 'Client connecting'
like "-x S: figures" "$out" '/sec$'
client -x d -P 2
unlike "-x d: no line of a stream" "$out" '^\[  [12]\] 0\.00'
like "-x d: the sum" "$out" '^\[SUM\].*/sec$'
client -x CSD
is "-x CSD: nothing of one stream" "$status $(printf '%s\n' "$out" |
    grep -c /sec)" "0 0"

client --hide-ips
like "--hide-ips: the host" "$out" \
    '^Client connecting to \(\*\*hidden\*\*\), '
like "--hide-ips: the addresses" "$out" \
    'local \*\.\*\.\*\.1 port [0-9]+ connected with \*\.\*\.\*\.1 port'
unlike "--hide-ips: nowhere else" "$out" '127\.0\.0'

client --utc -e
like "--utc" "$out" ' on 20[0-9]{2}-[0-9-]+ [0-9:.]+ \(GMT\)$'

echo old >"$tmp/report"
client -o "$tmp/report"
is "-o: status, nothing on stderr" "$status $err" "0 "
is "-o: one line on stdout" "$(printf '%s\n' "$out" | wc -l)" 1
like "-o: which names the file" "$out" "^Results go to file $tmp/report$"
like "-o: the report" "$(cat "$tmp/report")" '^\[  1\].*/sec$'
unlike "-o: nothing of an older one" "$(cat "$tmp/report")" old

# Rows come through a pipe or to a file while the test runs.
on_host timeout --foreground 20 \
    "$IPERF" -c 127.0.0.1 -p "$port" -t 15 -i 0.25 >"$tmp/rows" 2>&1 &
client_pid=$!
ok "an interval comes before the end" wait_until 8 interval_in "$tmp/rows"
ok "the client runs on" alive "$client_pid"
kill -INT "$client_pid"
wait "$client_pid"
is "and ends by a signal" "$?" 0

# The first line of figures, of each style, is there before the test ends.
# shellcheck disable=SC2317 # called by wait_until
figures_in()
{
	grep -Eq '^\[  1\] 0\.00-0\.[23]|,0\.0-0\.[23],|"end_seconds":0\.[23]' \
	    "$1"
}
mkfifo "$tmp/pipe"
for style in "" -e "-y C" --json --json-stream; do
	case $style in
	--json*)
		"$IPERF" "$style" -c 127.0.0.1 -F /no/such/file 2>&1 |
		    grep -q 'built without JSON' && continue
		;;
	esac
	: >"$tmp/piped" # or the rows of the style before are found there
	cat "$tmp/pipe" >"$tmp/piped" &
	pipe_pid=$!
	# shellcheck disable=SC2086 # words
	on_host timeout --foreground 30 "$IPERF" -c 127.0.0.1 -p "$port" \
	    -t 20 -i 0.25 -b 1m $style >"$tmp/pipe" 2>"$tmp/err" &
	client_pid=$!
	ok "a row comes through a pipe, $style" wait_until 10 \
	    figures_in "$tmp/piped"
	ok "before the end, $style" alive "$client_pid"
	kill -INT "$client_pid"
	wait "$client_pid"
	is "and then the end, $style" "$?" 0
	wait "$pipe_pid"
done
stop_server INT
is "the server ends well" "$status" 0

if start_server --hide-ips; then
	client
	client
	stop_server INT
	is "--hide-ips on a server: it ends well" "$status" 0
	unlike "--hide-ips on a server: no address" "$(cat "$server_log")" \
	    '127\.0\.0'
	is "--hide-ips on a server: both tests" \
	    "$(grep -c '/sec$' "$server_log")" 2
fi
done_testing
