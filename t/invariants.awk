# SPDX-License-Identifier: BSD-2-Clause
#
# Checks a report, given as rows of rows.sh, of one test: each stream's
# intervals meet and add up to its total; [SUM] rows are the sums of the
# streams' rows before them, from the earliest start to the latest end; each
# rate is bytes by time, as far as the printed times tell. Prints what is
# wrong. Variables: streams; intervals, 1 with -i; step, of the printed times;
# slack, seconds that the streams' clocks may be apart: a stream's times count
# from its own first data, those of [SUM] from the first stream's; grouped, 1
# if the streams are known to belong together.

function wrong(text)
{
	printf "line %d: %s: %s\n", NR, $0, text
}

# The rate that is bits by a span known to within one step.
function check_rate(bits, span, rate,	low, high)
{
	low = bits / (span + step)
	high = span > step ? bits / (span - step) : rate
	if (rate < low - 1 || rate > high + 1)
		wrong(sprintf("rate is not within %.0f and %.0f", low, high))
}

function new_group()
{
	group_bytes = 0
	group_rows = 0
	group_start = 1e9
	group_end = 0
}

BEGIN { new_group() }

{
	start = $2 + 0
	end = $3 + 0
	bytes = $4 + 0
	if (end < start)
		wrong("ends before it starts")
	check_rate(bytes * 8, end - start, $5 + 0)
}

$1 ~ /^SUM/ {
	sum_rows++
	if (group_rows < 1 || group_rows > streams)
		wrong("sum of " group_rows " rows")
	if (grouped && bytes != group_bytes)
		wrong(sprintf("rows add up to %.0f", group_bytes))
	if (start < group_start - step / 2 || start > group_start + slack + step / 2 ||
	    end < group_end - step / 2 || end > group_end + slack + step / 2)
		wrong("rows span " group_start "-" group_end)
	last_sum = NR
	new_group()
	next
}

{
	group_bytes += bytes
	group_rows++
	if (start < group_start)
		group_start = start
	if (end > group_end)
		group_end = end
	# A row from 0 after others of the stream is its total.
	if (($1 in rows) && start == 0 && rows[$1] > 0) {
		if ($1 in total)
			wrong("a second total")
		total[$1] = bytes
		if (bytes != added[$1])
			wrong(sprintf("intervals add up to %.0f", added[$1]))
		# What is left after the last row may be time without bytes.
		if (end < until[$1] - step / 2)
			wrong("intervals end at " until[$1])
	} else {
		if (($1 in rows) && $2 != until[$1])
			wrong("the row before ends at " until[$1])
		rows[$1]++
		added[$1] += bytes
		until[$1] = $3
	}
}

END {
	for (id in rows) {
		count++
		if (intervals && rows[id] > 1 && !(id in total))
			print "stream " id ": no total"
		if (!intervals && rows[id] != 1)
			print "stream " id ": " rows[id] " rows without -i"
	}
	if (count != streams)
		printf "%d streams, not %d\n", count, streams
	if (streams > 1 && grouped && last_sum != NR)
		print "the last row is no [SUM]"
	if (streams == 1 && sum_rows)
		print "[SUM] of one stream"
}
