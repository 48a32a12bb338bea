# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by tap.sh
#
# What the tests of figures share; source after tap.sh. Reports are read as
# -f b prints them, in exact bytes and bits/sec.

# rows: standard input's interval and total rows, one a line:
#	ID START END BYTES RATE
# ID is a number, SUM or SUM-4.
rows()
{
	sed -n 's/^\[ *\([^]]*\)\] *\([0-9.]*\)- *\([0-9.]*\) sec  *\([0-9.]*\)'\
' Bytes  *\([0-9.]*\) bits\/sec.*/\1 \2 \3 \4 \5/p'
}

# totals: of the rows on standard input, the bytes of the last row of each
# stream, smallest first.
totals()
{
	awk '$1 !~ /^SUM/ { last[$1] = $4 }
	    END { for (id in last) print last[id] + 0 }' OFMT=%.0f CONVFMT=%.0f |
	    sort -n | tr '\n' ' '
}

# repeat COUNT WORD: COUNT times the word, as totals prints them.
repeat()
{
	awk -v n="$1" -v word="$2" 'BEGIN { while (n-- > 0) printf "%s ", word }'
}

# mark: what the server prints from now on is what since_mark gives.
mark()
{
	rows_marked=$(wc -l <"$server_log")
}

since_mark()
{
	tail -n "+$((rows_marked + 1))" "$server_log"
}

# A server without -i has printed the totals of so many streams of a client.
server_told()
{
	[ "$(since_mark | rows | grep -vc '^SUM')" -ge "$1" ]
}

# same_totals NAME STREAMS [BYTES]: the latest run, and the server's lines
# since the mark, end with the same totals; of so many bytes each, if given.
same_totals()
{
	wait_until 5 server_told "$2"
	rows_ours=$(printf '%s\n' "$out" | rows | totals)
	rows_theirs=$(since_mark | rows | totals)
	rows_count=$(printf '%s' "$rows_ours" | wc -w)
	rows_wanted=$rows_theirs
	[ -z "${3:-}" ] || rows_wanted=$(repeat "$2" "$3")
	if [ "$status" -eq 0 ] && [ "$rows_count" -eq "$2" ] &&
	    [ "$rows_ours" = "$rows_wanted" ] &&
	    [ "$rows_theirs" = "$rows_wanted" ]; then
		pass "$1"
	else
		fail "$1"
		diag "status $status, $2 streams, ${3:-any} bytes"
		diag "client: $rows_ours"
		diag "server: $rows_theirs"
		diag "$err"
	fi
}

# ours_both DIRECTIONS STREAMS BYTES [ARG ...]: our client against our server,
# which end with the same totals, of each direction; BYTES may be "any". The
# server is on this $host; $rows_udp is "-u", or nothing.
host=127.0.0.1
rows_udp=
ours_both()
{
	rows_flows=$(($1 * $2))
	rows_streams=$2
	rows_bytes=$3
	shift 3
	rows_name=$*
	[ "$rows_bytes" != any ] || rows_bytes=
	mark
	# shellcheck disable=SC2086 # an option or nothing
	run 15 "$IPERF" $rows_udp -c "$host" -p "$port" -f b \
	    -P "$rows_streams" "$@"
	same_totals "$host -P $rows_streams $rows_name" "$rows_flows" \
	    "$rows_bytes"
}

# ours STREAMS BYTES [ARG ...]: the same in one direction.
ours()
{
	ours_both 1 "$@"
}

# intervals CLIENT: tests with intervals at both ends, each of its own length,
# against a server of ours that then ends; the totals are the same.
intervals()
{
	for rows_p in 1 4; do
		start_server -f b -i 0.25 -P "$rows_p"
		run 15 "$1" -c 127.0.0.1 -p "$port" -f b -t 1 -i 0.5 \
		    -P "$rows_p"
		wait_server 10
		is "-P $rows_p, intervals on both ends" \
		    "$status $(rows <"$server_log" | totals)" \
		    "0 $(printf '%s\n' "$out" | rows | totals)"
	done
}
