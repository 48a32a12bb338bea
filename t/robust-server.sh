#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bad clients while a good one runs: the server goes on serving, says what
# happened in one line each, and the good client's figures stay right.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/hostile.sh"

# A row of a stream that has brought nothing.
EMPTY=',[0-9]+,0\.0-0\.[0-9],0,0$'

# said COUNT ERE: the server has written so many lines that match.
said()
{
	[ "$(grep -Ec -e "$2" "$server_log")" -eq "$1" ]
}

# expect COUNT ERE NAME: waits for them.
expect()
{
	if wait_until 5 said "$1" "$2"; then
		pass "$3"
	else
		fail "$3"
		diag "wanted $1 lines with: $2"
		diag "$(tail -n 20 "$server_log")"
	fi
}

start_server -y C --test-exchange-timeout 1 ||
    skip_all "the server does not start"
start_exact -t 60 -P 2 -b 50m

bad close 20
expect 20 "$EMPTY" 'port scans are rows without data'
bad reset 20
expect 40 "$EMPTY" 'resets too'
unlike 'they are no group' "$(cat "$server_log")" ',-1,'
unlike 'their addresses are known' "$(cat "$server_log")" ',unknown,|\? port'
bad hold 3 5000
like 'silent connections are closed' "$bad_out" '^closed 3 of 3 '
expect 3 'no test header came in time' 'and one line each says so'

bad drip 3 50
like 'single bytes are taken' "$bad_out" '^sent 3 of 3'
expect 1 ',3,[0-9]+$' 'and counted'
bad garbage 100000 5
expect 1 ',100000,[0-9]+$' 'garbage is counted to the byte'

for greeting in http ssh tls; do
	bad greet "$greeting"
done
expect 1 ',35,[0-9]+$' 'an HTTP request is data'
expect 1 ',21,[0-9]+$' 'an SSH banner is data'
for cookie in iperf3-a iperf3-p iperf3-3; do
	bad greet "$cookie"
done
expect 3 'this is an iperf 3 client' 'iperf 3 clients are recognised'

bad header plain 1000 5000
like 'a client of 2.1 is answered' "$bad_out" '^answer of 28 bytes'
bad header old-extend 1000 5000
like '2.0.13 with an extension is answered at once' "$bad_out" \
    '^answer of 28 bytes'
expect 2 ',1060,[0-9]+$' 'headers count as data'
for form in none old-zero old-filler; do
	bad header "$form" 1000 100
	is "2.0 client, $form: no answer" "$bad_out" 'no answer'
done
expect 1 ',1000,[0-9]+$' 'data without a header is counted'
expect 2 ',1024,[0-9]+$' 'data behind an old header is counted'

for form in bounceback key; do
	bad header "$form" 1000 5000
	is "$form is refused by closing" "$bad_out" closed
done
expect 1 'asks for bounceback' 'for bounceback'
expect 1 'presents a permit key' 'for keys'

# A lie may open a test of any announced size, so wait for the rows.
bad lie
like 'headers that lie' "$bad_out" '^told 2272 lies'
bad confetti 200 3
bad close 1

ok 'the good client still runs' alive "$client_pid"
stop_client INT
is 'the good client succeeds' "$status" 0
ok 'its bytes are those of the server' wait_until 5 same_bytes

# remarked_twice: the numbers under which the server has told more than once
# of a connection. A number may be had by several, one after the other, as a
# client may ask for one; their ports are in remarks and rows.
remarked_twice()
{
	awk -F, -v port="$port" '
	    function had(id, by) {
		if (!((id, by) in seen))
			connections[id]++
		seen[id, by] = 1
	    }
	    /^iperf: \[ *[0-9]+\] / {
		id = $0
		sub(/^[^0-9]*/, "", id)
		sub(/\].*/, "", id)
		remarks[id + 0]++
		if (match($0, /\] [^ ]* port [0-9]+: /)) {
			by = substr($0, RSTART, RLENGTH)
			gsub(/.* port |[^0-9]*$/, "", by)
			if (told[id + 0, by]++)
				print id, by
			had(id + 0, by)
		}
		next
	    }
	    NF >= 9 && $6 > 0 { had($6 + 0, $3 == port ? $5 : $3) }
	    END {
		for (id in remarks)
			if (remarks[id] > 1 && remarks[id] > connections[id])
				print id, remarks[id], connections[id] + 0
	    }' "$server_log"
}
is 'no connection has two remarks' "$(remarked_twice)" ''

start_exact -t 0.5
stop_client
is 'another client is served' "$status" 0
ok 'with equal bytes' wait_until 5 same_bytes
stop_server
is 'the server ends well' "$status" 0

# Mininet waits for this row.
start_server
bad close 1
expect 1 '^\[  1\] 0\.00-0\.0[0-9] sec  0\.000 Bytes  0\.000 bits/sec$' \
    'a scan has an ordinary row'
stop_server
is 'status after a scan' "$status" 0

done_testing
