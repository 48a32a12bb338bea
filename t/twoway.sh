# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by tap.sh, lab.sh, rows.sh and the tests
#
# What the tests of both directions with an installed iperf 2 share; source
# after tap.sh, rows.sh and lab.sh. They are on two hosts: on one, version
# 2.1.8 cannot listen for a connection back, and its server calls itself.
#
# The tests set
#	udp	"-u", or nothing
#	hung	exit statuses of a client of the peer that hung or crashed
#	who	which end is ours, for the names of the results

# serve PROGRAM: on the second host.
serve()
{
	server_program=$1
	tap_host=$lab_b
	# shellcheck disable=SC2086 # an option or nothing
	start_program "$server_program" $udp -f b
	tap_result=$?
	tap_host=
	return "$tap_result"
}

# end_service: ends it in order.
end_service()
{
	tap_host=$lab_b
	stop_server INT
	# shellcheck disable=SC2034 # tap.sh reads it
	tap_host=
}

# is_mute FLOWS: the server is the peer's, and has not told of so many flows.
is_mute()
{
	[ "$server_program" = "$PEER" ] && ! server_told "$1"
}

# failed FLOWS: the peer crashed, hung or fell silent, as version 2.1.8 does now
# and then when a group of short streams ends; there is a new server to try
# again.
failures=0
failed()
{
	case " $hung " in
	*" $status "*) ;;
	*) ! alive "$server_pid" || is_mute "$1" || return 1 ;;
	esac
	failures=$((failures + 1))
	diag "the peer failed ($failures), client status $status"
	[ "$failures" -le 6 ] || return 1
	if alive "$server_pid"; then
		end_service
	fi
	serve "$server_program"
}

# shellcheck disable=SC2317 # called by wait_until
server_told_or_died()
{
	server_told "$1" || ! alive "$server_pid"
}

# both_run PROGRAM DIRECTIONS STREAMS [ARG ...]: one test of a client on the
# first host; sets flows to what the server is to tell of.
both_run()
{
	program=$1
	flows=$(($2 * $3))
	streams=$3
	shift 3
	while :; do
		mark
		# shellcheck disable=SC2086 # an option or nothing
		run_on "$lab_a" 15 "$program" $udp -c 192.0.2.2 -p "$port" \
		    -f b -P "$streams" "$@"
		wait_until 5 server_told_or_died "$flows"
		failed "$flows" || break
	done
}

# both PROGRAM DIRECTIONS STREAMS BYTES [ARG ...]: the same, and both ends have
# the same totals; BYTES may be "any".
both()
{
	both_program=$1
	both_directions=$2
	both_streams=$3
	both_bytes=$4
	shift 4
	[ "$both_bytes" != any ] || both_bytes=
	both_run "$both_program" "$both_directions" "$both_streams" "$@"
	same_totals "$who -P $both_streams $*" "$flows" "$both_bytes"
}
