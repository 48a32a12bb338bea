# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # for the tests; set by tap.sh
#
# What the tests of UDP share; source after tap.sh. Reports are read as -f b
# prints them, in exact bytes.

relay_program=$builddir/t/relay
udp_peer=$builddir/t/udp_peer
udp_client=  # not ours
peer_counts= # not empty: the server is not ours
relay_port=
relay_pid=
relay_log=

relay_says_port()
{
	relay_port=$(sed -n 's/^port //p' "$relay_log")
	[ -n "$relay_port" ] || ! alive "$relay_pid"
}

# start_relay [RULE ...]: in front of the latest server; see relay_rules.h.
start_relay()
{
	relay_log=$(mktemp "$tmp/relay.XXXXXX")
	"$relay_program" "$port" "$@" >"$relay_log" 2>&1 </dev/null &
	relay_pid=$!
	tap_servers="$tap_servers $relay_pid"
	wait_until 5 relay_says_port && [ -n "$relay_port" ]
}

# stop_relay: from then on $relay_log has the truth.
stop_relay()
{
	kill -TERM "$relay_pid" 2>/dev/null
	wait "$relay_pid" 2>/dev/null
}

# truth FLOW KEY: what the relay says of its nth flow.
truth()
{
	awk -v flow="$1" -v key="$2" '$1 == "flow" && ++n == flow {
		for (i = 2; i < NF; i++)
			if ($i == key)
				print $(i + 1)
	}' "$relay_log"
}

# truth_counts FLOW [peer]: as counts prints them, of a server of ours or of
# an iperf 2, which takes duplicates for late datagrams that fill gaps.
truth_counts()
{
	awk -v flow="$1" -v peer="${2:-}" '$1 == "flow" && ++n == flow {
		for (i = 2; i < NF; i++)
			v[$i] = $(i + 1)
		if (peer != "")
			v["lost"] -= v["duplicates"]
		if (v["lost"] < 0)
			v["lost"] = 0
		printf "%.0f bytes %.0f/%.0f out-of-order %.0f\n",
		    v["bytes"], v["lost"], v["total"],
		    v["late"] + v["duplicates"]
	}' "$relay_log"
}

# udp_lines: standard input's rows of receivers, one a line:
#	row ID START END BYTES LOST TOTAL JITTER
# and the remarks that follow them:
#	late ID N, or: dup ID N
# and the connections: port ID N, twice, for either end.
udp_lines()
{
	sed -n \
	    -e 's/^\[ *\([^]]*\)\] local [^ ]* port \([0-9]*\) connected '\
'with [^ ]* port \([0-9]*\).*/port \1 \2\
port \1 \3/p' \
	    -e 's/^\[ *\([^]]*\)\] *\([0-9.]*\)- *\([0-9.]*\) sec  *'\
'\([0-9.]*\) Bytes  *[0-9.]* bits\/sec  *\([0-9.]*\) ms  *'\
'\([0-9]*\)\/ *\([0-9]*\) (.*/row \1 \2 \3 \4 \6 \7 \5/p' \
	    -e 's/^\[\(SUM\)[^]]*\] *\([0-9.]*\)- *\([0-9.]*\) sec  *'\
'\([0-9.]*\) Bytes  *[0-9.]* bits\/sec  *'\
'\([0-9]*\)\/ *\([0-9]*\) (.*/row \1 \2 \3 \4 \5 \6 0/p' \
	    -e 's/^\[ *\([^]]*\)\].* sec  *\([0-9]*\) datagrams received '\
'out-of-order$/late \1 \2/p' \
	    -e 's/^\[ *\([^]]*\)\].* sec  *\([0-9]*\) duplicate datagrams '\
'received$/dup \1 \2/p'
}

# counts PORT: the last row of the stream that has this port at one end, with
# what was remarked on it.
counts()
{
	udp_lines | awk -v port="$1" '
	    $1 == "port" && $3 == port { id = $2 }
	    $1 == "row" && $2 == id { bytes = $5; lost = $6 "/" $7; late = 0 }
	    $1 == "late" && $2 == id { late = $3 }
	    END { print bytes, "bytes", lost, "out-of-order", late }'
}

# duplicates PORT: likewise.
duplicates()
{
	udp_lines | awk -v port="$1" '
	    $1 == "port" && $3 == port { id = $2 }
	    $1 == "row" && $2 == id { dup = 0 }
	    $1 == "dup" && $2 == id { dup = $3 }
	    END { print dup + 0 }'
}

# csv_counts PORT: the same of the last CSV row from this port.
csv_counts()
{
	awk -F, -v port="$1" '$3 == port && NF == 14 { row = $0 }
	    END {
		split(row, f, ",")
		print f[8], "bytes", f[11] "/" f[12], "out-of-order", f[14]
	    }'
}

# interval_faults: what is wrong with the sums on standard input, where
# streams report with -i: intervals make the total, streams make [SUM], and so
# in each interval.
interval_faults()
{
	udp_lines | awk '
	    $1 == "row" {
		id = $2
		n[id]++
		was_bytes[id] = bytes[id]
		was_lost[id] = lost[id]
		was_total[id] = total[id]
		bytes[id] += $5
		lost[id] += $6
		total[id] += $7
		last_bytes[id] = $5
		last_lost[id] = $6
		last_total[id] = $7
		if ($3 == 0 && n[id] > 1) # the total
			next
		if (id != "SUM") {
			part_bytes += $5
			part_lost += $6
			part_total += $7
			next
		}
		if (part_bytes != $5 || part_lost != $6 || part_total != $7)
			print "SUM from", $3, $5, $6, $7, "streams",
			    part_bytes, part_lost, part_total
		part_bytes = part_lost = part_total = 0
	    }
	    $1 == "late" || $1 == "dup" {
		key = $1 " " $2
		was[key] = seen[key]
		seen[key] += $3
		last[key] = $3
	    }
	    END {
		for (id in n) {
			if (n[id] < 2)
				print id, "has no intervals"
			if (was_bytes[id] != last_bytes[id])
				print id, "bytes", was_bytes[id],
				    last_bytes[id]
			if (was_lost[id] != last_lost[id])
				print id, "lost", was_lost[id], last_lost[id]
			if (was_total[id] != last_total[id])
				print id, "total", was_total[id],
				    last_total[id]
			if (id == "SUM")
				continue
			streams++
			sum_bytes += last_bytes[id]
			sum_lost += last_lost[id]
			sum_total += last_total[id]
		}
		for (key in last)
			if (was[key] != last[key])
				print key, was[key], last[key]
		if (streams == 0)
			print "no streams"
		if (n["SUM"] > 0 && (sum_bytes != last_bytes["SUM"] ||
		    sum_lost != last_lost["SUM"] ||
		    sum_total != last_total["SUM"]))
			print "SUM", last_bytes["SUM"], last_lost["SUM"],
			    last_total["SUM"], "streams", sum_bytes, sum_lost,
			    sum_total
	    }'
}

need_relay()
{
	[ -x "$relay_program" ] || skip_all "t/relay is not built"
	[ -x "$udp_peer" ] || skip_all "t/udp_peer is not built"
}

# through NAME RULES [ARG ...]: one test of the client in udp_client, or ours,
# through a relay, whose rules are words; ends with the relay's truth.
through()
{
	name=$1
	rules=$2
	shift 2
	# shellcheck disable=SC2086 # words on purpose
	start_relay $rules || diag "no relay: $(cat "$relay_log")"
	run 15 "${udp_client:-$IPERF}" -c 127.0.0.1 -p "$relay_port" -u -f b \
	    "$@"
	stop_relay
}

# shellcheck disable=SC2317 # called by wait_until
server_agrees()
{
	[ "$("$1" "$(truth "$2" server)" <"$server_log")" = "$3" ]
}

# agree READ STREAMS: server and client have counted in the latest test what
# is true. READ is counts or csv_counts.
agree()
{
	reasons=
	[ "$status" -eq 0 ] || reasons="status $status"
	[ "$(grep -c '^flow' "$relay_log")" -eq "$2" ] ||
	    reasons="$reasons; not $2 flows"
	flow=0
	while [ "$((flow += 1))" -le "$2" ]; do
		wanted=$(truth_counts "$flow" "${peer_counts:-}")
		wait_until 3 server_agrees "$1" "$flow" "$wanted" ||
		    reasons="$reasons; server: $("$1" \
		    "$(truth "$flow" server)" <"$server_log")"
		told=$("$1" "$(truth "$flow" client)" <"$tmp/out")
		[ "$told" = "$wanted" ] ||
		    reasons="$reasons; client: $told"
		[ "$1" = csv_counts ] || agree_ours "$flow"
	done
	if [ -z "$reasons" ]; then
		pass "$name"
	else
		fail "$name"
		diag "$rules: $reasons"
		diag "$(cat "$relay_log")"
		diag "$err"
	fi
}

# What only we print, or print rightly.
agree_ours()
{
	told=$(duplicates "$(truth "$1" server)" <"$server_log")
	[ -n "${peer_counts:-}" ] ||
	    [ "$told" -eq "$(truth "$1" duplicates)" ] ||
	    reasons="$reasons; server: $told duplicates"
	told=$(grep -c "Sent $(($(truth "$1" data) + 1)) datagrams" "$tmp/out")
	[ -n "${udp_client:-}" ] || [ "$told" -gt 0 ] ||
	    reasons="$reasons; Sent is wrong"
}

# report PORT: of the stream that has this port at one end, the last row of a
# receiver: bytes, lost, total, late, jitter, seconds, and if it has delays,
# their mean, least, most and deviation.
report()
{
	tee "$tmp/report" | udp_lines >"$tmp/lines"
	awk -v port="$1" '
	    NR == FNR {
		if ($1 == "port" && $3 == port)
			id = $2
		else if ($1 == "row" && $2 == id) {
			row = $5 " " $6 " " $7
			end = $8 " " $4 - $3
			late = 0
		} else if ($1 == "late" && $2 == id)
			late = $3
		next
	    }
	    $0 ~ "^\\[ *" id "\\] .*%\\) [-0-9.]*/[-0-9.]*/[-0-9.]*/[0-9.]* ms" {
		sub(/.*%\) /, "")
		sub(/ ms.*/, "")
		gsub("/", " ")
		delays = $0
	    }
	    END { print row, late, end, delays }
	' "$tmp/lines" "$tmp/report"
}

client_ports()
{
	sed -n 's/^\[ *[0-9]*\] local [^ ]* port \([0-9]*\) connected.*/\1/p' \
	    "$tmp/out"
}

# differences A B: of two reports, where both have the field. Counts are exact;
# times are rounded by either end, and printed with two decimals or four.
differences()
{
	printf '%s\n%s\n' "$1" "$2" | awk '
	    NR == 1 { n = NF; for (i = 1; i <= NF; i++) v[i] = $i }
	    NR == 2 {
		if (NF < n)
			n = NF
		if (n < 6)
			print "only", n, "fields"
		for (i = 1; i <= n; i++) {
			slack = i < 5 ? 0 : i == 6 ? 0.0101 : 0.0011
			if ($i - v[i] > slack || v[i] - $i > slack)
				print "field", i, v[i], $i
		}
	    }'
}

# shellcheck disable=SC2317 # called by wait_until
ends_agree()
{
	told=$(report "$1" <"$tmp/out")
	counted=$(report "$1" <"$server_log")
	[ -z "$(differences "$told" "$counted")" ]
}

# judge NAME STREAMS LOST BYTES: both ends of the latest test agree; no loss,
# or at most half if LOST is start, which is what a server of 2.1.8 makes of
# streams that start together: it gives datagrams to the wrong one of them, and
# to none, until each has a socket. And so many bytes of each stream unless
# BYTES is any.
judge()
{
	reasons=
	[ "$status" -eq 0 ] || reasons="status $status"
	ports=$(client_ports)
	[ "$(echo "$ports" | wc -w)" -eq "$2" ] ||
	    reasons="$reasons; streams: $ports"
	for p in $ports; do
		if ! wait_until 3 ends_agree "$p"; then
			reasons="$reasons; $told and $counted:
			    $(differences "$told" "$counted")"
			continue
		fi
		# shellcheck disable=SC2086 # words on purpose
		set -- "$1" "$2" "$3" "$4" $told
		[ "$6" = 0 ] || { [ "$3" = start ] &&
		    [ "$(($6 * 2))" -le "$7" ]; } ||
		    reasons="$reasons; lost $6 of $7"
		[ "$4" = any ] || [ "$5" = "$4" ] ||
		    reasons="$reasons; bytes $5, not $4"
	done
	if [ -z "$reasons" ]; then
		pass "$1"
	else
		fail "$1"
		diag "$reasons"
		diag "$out"
		diag "$err"
		diag "$(cat "$server_log")"
	fi
}

# interop FUNCTION LOST: what an installed iperf 2 does in either role; LOST
# of streams that start together, as for judge.
interop()
{
	"$1" 1 0 any -t 0.3 -b 5m
	for l in 16 17 18 40 64 100; do
		"$1" 1 0 any -l "$l" -t 0.2 -b 500pps
	done
	"$1" 1 0 any -l 1470 -t 0.2 -b 1000pps
	"$1" 1 0 any -l 9000 -t 0.2 -b 20m
	"$1" 1 0 any -l 65507 -t 0.2 -b 50m
	"$1" 1 0 any -e -t 0.2 -b 5m
	"$1" 1 0 any --trip-times -t 0.2 -b 5m
	"$1" 1 0 any --trip-times -l 64 -t 0.2 -b 500pps
	"$1" 4 "$2" any -t 0.3 -b 5m
	"$1" 4 "$2" any -l 40 -t 0.3 -b 200pps
}

# connections: lines of streams in the server's log that begin with a connection.
connections()
{
	grep -c ' connected with ' "$server_log"
}

# has_connections COUNT
# shellcheck disable=SC2317 # called by wait_until
has_connections()
{
	[ "$(connections)" -ge "$1" ]
}

# has_udp_rows FILE COUNT: the file has so many rows of receivers.
# shellcheck disable=SC2317 # called by wait_until
has_udp_rows()
{
	[ "$(udp_lines <"$1" | grep -c '^row')" -ge "$2" ]
}

# serves NAME: the latest server has a test that must go well.
serves()
{
	run 10 "$IPERF" -c 127.0.0.1 -p "$port" -u -f b -n 20000 -b 10m
	like "$1" "$out" ' 20000 Bytes .* ms 0/14 \(0%\)$'
}
