#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Whatever the options: intervals add up to totals, totals to [SUM], and the
# two ends agree. INVARIANTS_SEED repeats a run, INVARIANTS_SETS makes it
# longer.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

seed=${INVARIANTS_SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
sets=${INVARIANTS_SETS:-12}
diag "INVARIANTS_SEED=$seed"

# Prints a line "STREAMS|CLIENT INTERVAL|SERVER INTERVAL|ARGUMENTS" for each
# set; an interval of 0 is none.
option_sets()
{
	awk -v seed="$seed" -v sets="$sets" '
	function pick(text,	part, n)
	{
		n = split(text, part, ",")
		return part[1 + int(rand() * n)]
	}
	BEGIN {
		srand(seed)
		times = "-t 0.3,-t 0.51,-t 0.75,-t 1,-n 1,-n 131073,-n 3M,-n 50M"
		lengths = ",,-l 200,-l 1000,-l 128K,-l 1M"
		others = ",,,-N,-w 64K,-b 400m,-C,--no-connect-sync,-V"
		while (sets-- > 0)
			printf "%s|%s|%s|%s %s %s\n", pick("1,1,2,3,8"),
			    pick("0,0.05,0.1,0.3,0.5"),
			    pick("0,0.05,0.1,0.25,2"), pick(times),
			    pick(lengths), pick(others)
	}'
}

# The option for an interval.
interval_args()
{
	[ "$1" = 0 ] || echo "-i $1"
}

# What is wrong with the report on standard input. Arguments: streams,
# interval, how far apart the streams may have started, and 1 if they are known
# to belong together.
faults()
{
	rows | awk -v streams="$1" -v intervals="$([ "$2" = 0 ] || echo 1)" \
	    -v step="$(awk -v i="$2" 'BEGIN {
		print((i > 0 && i < 0.1) ? 0.0001 : 0.01) }')" \
	    -v slack="$3" -v grouped="$4" \
	    -f "$srcdir/t/invariants.awk"
}

# check_set STREAMS CLIENT_INTERVAL SERVER_INTERVAL ARG ...
check_set()
{
	streams=$1
	ci=$2
	si=$3
	shift 3
	name="-P $streams $* -i $ci, server -i $si"
	host=127.0.0.1
	case " $* " in
	*" -V "*) host=::1 ;;
	esac
	# Streams start together unless asked not to. Without a header, for
	# which -n 1 leaves no room, a server cannot tell how many belong
	# together.
	slack=0
	grouped=1
	case " $* " in
	*" --no-connect-sync "*) slack=0.5 ;;
	*" -C "*) slack=0.5 grouped=0 ;;
	esac
	case " $* " in
	*" -n 1 "*) grouped=0 ;;
	esac
	# shellcheck disable=SC2046 # words on purpose
	start_server -f b -P "$streams" $(interval_args "$si") || return
	# shellcheck disable=SC2046
	run 10 "$IPERF" -c "$host" -p "$port" -f b -P "$streams" \
	    $(interval_args "$ci") "$@"
	client_status=$status
	wait_server 10
	is "$name: both end well" "$client_status $status $err" "0 0 "
	found=$(printf '%s\n' "$out" | faults "$streams" "$ci" "$slack" 1)
	is "$name: client adds up" "$found" ""
	found=$(faults "$streams" "$si" 0.5 "$grouped" <"$server_log")
	is "$name: server adds up" "$found" ""
	is "$name: both ends agree" "$(rows <"$server_log" | totals)" \
	    "$(printf '%s\n' "$out" | rows | totals)"
}

option_sets >"$tmp/sets"
while IFS='|' read -r streams ci si args <&3; do
	# shellcheck disable=SC2086 # words on purpose
	check_set "$streams" "$ci" "$si" $args
done 3<"$tmp/sets"
done_testing
