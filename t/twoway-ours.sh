#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# -R, --full-duplex, -d and -r over TCP, both ends ours: both count the same
# bytes in each direction, and exactly those asked for.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

# sums: the bytes of the [SUM] rows of the latest run, with their direction.
sums()
{
	printf '%s\n' "$out" |
	    sed -n 's/^\[SUM[^]]*\].* sec  *\([0-9]*\) Bytes.*sec *\(.*\)$/\1 \2/p'
}

start_server -f b || skip_all "the server does not start"
for streams in 1 4; do
	ours_both 1 "$streams" 1 -R -n 1
	ours_both 1 "$streams" 10485760 -R -n 10M
	ours_both 1 "$streams" 3001 -R -n 3001 -l 16
	ours_both 1 "$streams" any -R -t 0.3
	ours_both 2 "$streams" 10485760 --full-duplex -n 10M
	ours_both 2 "$streams" 131073 --full-duplex -n 131073 -l 1000
	ours_both 2 "$streams" any --full-duplex -t 0.3
	ours_both 2 "$streams" 10485760 -d -n 10M
	ours_both 2 "$streams" any -d -t 0.3
	ours_both 2 "$streams" 10485760 -r -n 10M
	ours_both 2 "$streams" any -r -t 0.2
	ours_both 2 "$streams" any -r -t 0.3 -i 0.1
done
ours_both 1 40 any -R -t 0.3
ours_both 2 16 any --full-duplex -t 0.3

ours_both 2 4 1048576 --full-duplex -n 1M
is 'sums of both directions' "$(sums)" '4194304 (sent)
4194304 (received)
8388608 (both directions)'
ours_both 2 4 1048576 -d -n 1M
is 'sums of -d' "$(sums)" '4194304 (sent)
4194304 (received)
8388608 (both directions)'
ours_both 2 1 1048576 -d -n 1M
is 'one of -d with one stream' "$(sums)" '2097152 (both directions)'
ours_both 2 4 1048576 -r -n 1M
is 'one for each test of -r' "$(sums)" '4194304 
4194304 '
ours_both 2 1 1048576 --full-duplex -n 1M
is 'none of one stream' "$(sums)" ''
ours_both 1 4 1048576 -R -n 1M
is 'one of -R' "$(sums)" '4194304 '
like 'the star of who receives in place of the server' "$out" '^\[ \*1\] 0\.00'
like 'the nature of the connection' "$out" \
    '^\[  1\] local .* port [0-9]+ \(reverse\)'

mark
run 15 "$IPERF" -c 127.0.0.1 -p "$port" -f b --full-duplex -n 1M -e
wait_until 5 server_told 2
like 'a row of both directions with -e' "$out" \
    '^\[FD1\] 0\.00-.* 2097152 Bytes'

# The server went back to its duty.
ours_both 1 1 1048576 -n 1M
done_testing
