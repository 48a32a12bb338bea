#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What cannot be done ends with status 1 and one line on stderr that names
# the option, the value and the reason, before anything is printed.

. "${srcdir:-.}/t/tap.sh"

# refused PATTERN [ARG ...]: the command line fails, stdout is empty, and the
# only diagnostic matches.
refused()
{
	refused_like "$@"
	is "$refused_name: nothing on stdout" "$out" ""
}

# refused_like: the same for what fails after the banner has been printed.
refused_like()
{
	refused_pattern=$1
	shift
	refused_name="iperf $*"
	run 10 "$IPERF" "$@"
	refused_lines=$(printf '%s\n' "$err" | grep -c '^iperf: ')
	is "$refused_name: status, lines" "$status $refused_lines" "1 1"
	like "$refused_name: says why" "$err" "^iperf: $refused_pattern"
	unlike "$refused_name: measures nothing" "$out" '/sec|connected with'
}

start_server -f b || skip_all "the server does not start"
nobody=$(free_port)
chmod 000 "$(: >"$tmp/secret" && echo "$tmp/secret")"

# client PATTERN [ARG ...]: of a client that could do its work otherwise.
client()
{
	client_pattern=$1
	shift
	refused "$client_pattern" -c 127.0.0.1 -p "$port" -t 0.2 "$@"
}

client "bad value '70000' for -p: out of range" -p 70000
client "bad value '0' for -p: out of range" -p 0
client "bad value '10-9' for -p" -p 10-9
client "bad value 'abc' for -P: not a number" -P abc
client "bad value '0' for -P: out of range" -P 0
client "bad value '0' for -l: out of range" -l 0
client "bad value '0' for -n: out of range" -n 0
client "bad value '-5' for -n: negative" -n -5
client "bad value '10x' for -n: unknown suffix" -n 10x
client "bad value 'abc' for -t: not a number" -t abc
client "bad value '-1' for -i: negative" -i -1
client "bad value '100MB' for -b: unknown suffix" -b 100MB
client "bad value '' for -b: not a number" -b ''
client "bad value '999999999999g' for -b: too large" -b 999999999999g
client "bad value '256' for -T: out of range" -T 256
client "bad value 'bogus' for -S: unknown name" -S bogus
client "bad value '64' for --dscp: out of range" --dscp 64
client "bad value 'X' for -y: unknown style" -y X
client "bad value 'q' for -f: unknown letter" -f q
client "bad value 'Q' for -x: unknown letter" -x Q
client "a rate in packets per second needs -u" -b 1000pps
client "unknown option '--nonesuch'" --nonesuch
client "unknown option '-j'" -j
client "option '--tx' is ambiguous: could be --tx" --tx
client "option '--sum-only' takes no value" --sum-only=1
client "option '-w' needs a value" -w
client "-s and -c cannot be used together" -s
refused "-s and -c cannot be used together" -s -c 127.0.0.1
client "-4 cannot be used with -6" -4 -6
client "-C cannot be used with -e" -C -e
client "-D needs -s" -D
client "--incr-srcip needs -B" --incr-srcip
client "multicast group 224\.0\.0\.1 needs -u" -c 224.0.0.1
for direction in -R --full-duplex -d -r; do
	client "$direction cannot be used with a multicast group" \
	    -u -c 224.0.0.1 "$direction"
done
client "--bounceback is not supported by this implementation yet" --bounceback
client "-R cannot be used with -d" -R -d
client "--trip-times is not supported by this implementation with TCP yet" \
	--trip-times

client "no-such-host\.invalid: Unknown host" -c no-such-host.invalid
client "cannot use device 'nodevice': No such device" -c 127.0.0.1%nodevice
client "cannot use device 'nodevice': No such device" -c fe80::1%nodevice
client "cannot use device 'nodevice': No such device" -u -c fe80::1%nodevice
client "cannot use device 'nodevice': No such device" \
    -c ::1 -B fe80::1%nodevice
for protocol in "" -u; do
	# shellcheck disable=SC2086 # nothing or a word
	client "bad value 'fe80::1' for -c: a link-local address needs %" \
	    -c fe80::1 $protocol
done
client "congestion control 'nonesuch' is not available" -Z nonesuch
client "cannot read '/no/such': No such file" -F /no/such
client "cannot read '$tmp': Is a directory" -F "$tmp"
if [ "$(id -u)" = 0 ]; then
	skip "a file that may not be read" "root may read it"
else
	client "cannot read '$tmp/secret': Permission denied" -F "$tmp/secret"
fi
client "cannot write '/no/dir/x': No such file" -o /no/dir/x
refused_like "tcp connect failed: Connection refused.*port $nobody" \
    -c 127.0.0.1 -p "$nobody" -t 0.2
for protocol in "" -u; do
	# shellcheck disable=SC2086 # nothing or a word
	client "bind failed: Cannot assign requested address.*203\.0\.113\.9" \
	    -B 203.0.113.9 $protocol
done
client "bind failed: Address already in use.*port $port" -B "0.0.0.0:$port"

refused "bind failed: Address already in use.*port $port" -s -p "$port"
refused "bind failed: Address already in use.*port $port" -s -D -p "$port"
refused "bind failed: Cannot assign requested address.*203\.0\.113\.9" \
    -s -p "$nobody" -B 203.0.113.9
refused "cannot use device 'nodevice': No such device" \
    -s -p "$nobody" -B 0.0.0.0%nodevice
refused "cannot use device 'nodevice': No such device" \
    -s -p "$nobody" -B fe80::1%nodevice
refused "bad value 'fe80::1' for -B: a link-local address needs %" \
    -s -p "$nobody" -B fe80::1
refused "cannot write '/no/dir/x': No such file" \
    -s -p "$nobody" -o /no/dir/x
refused "cannot write '/no/dir/x': No such file" \
    -s -D -p "$nobody" -o /no/dir/x
refused "bad value '10-9' for -p" -s -p 10-9

run 5 "$IPERF"
is "no arguments: status, nothing on stdout" "$status $out" "1 "
like "no arguments: usage" "$err" '^usage: iperf -s '
like "no arguments: where there is more" "$err" 'iperf --help'

# warned PATTERN [ARG ...]: one line on stderr, and the test runs.
warned()
{
	warned_pattern=$1
	shift
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -n 1000 "$@"
	is "$*: status, lines" "$status $(printf '%s\n' "$err" | wc -l)" "0 1"
	like "$*: warning" "$err" "^iperf: $warned_pattern"
	like "$*: figures" "$out" '/sec$'
}

warned "ignoring argument 'stray'" stray
warned "interval raised to 0\.005 s" -i 0.001
warned "a window of 1000 bytes is very small" -w 1000

# Only some of the streams come through.
if port_in_use $((port + 1)); then
	skip "a port of two refused" "somebody uses it"
else
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -P 2 --incr-dstport -t 0.2
	is "a port of two refused: status" "$status" 1
	like "a port of two refused: says which" "$err" \
	    "connect failed: Connection refused.*port $((port + 1))"
	like "a port of two refused: the other is used" "$out" '/sec$'
fi

# Reports that cannot be written.
on_host timeout 10 "$IPERF" -c 127.0.0.1 -p "$port" -t 0.2 \
    >/dev/full 2>"$tmp/err" &
wait "$!"
is "full disk: status, lines" "$? $(wc -l <"$tmp/err")" "1 1"
like "full disk: says why" "$(cat "$tmp/err")" '^iperf: .*No space left'
on_host timeout 10 "$IPERF" --loopback -t 0.2 >/dev/full 2>"$tmp/err" &
wait "$!"
is "full disk with --loopback: status, lines" "$? $(wc -l <"$tmp/err")" "1 1"
run 10 "$IPERF" -c 127.0.0.1 -p "$port" -t 0.2 -o /dev/full
is "full disk with -o: status" "$status" 1
like "full disk with -o: says why" "$err" '^iperf: .*No space left'
{
	(on_host timeout 10 "$IPERF" -c 127.0.0.1 -p "$port" -t 8 -i 0.1 \
	    2>"$tmp/err")
	echo "$?" >"$tmp/status"
} | head -n 1 >/dev/null
ok "closed pipe: the client ends" wait_until 5 test -s "$tmp/status"
is "closed pipe: status, lines" \
    "$(cat "$tmp/status") $(wc -l <"$tmp/err")" "1 1"
like "closed pipe: says why" "$(cat "$tmp/err")" '^iperf: .*Broken pipe'
stop_server INT
is "the server ends well" "$status" 0
done_testing
