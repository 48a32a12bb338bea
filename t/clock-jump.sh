#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The wall clock jumps by an hour, either way, in the middle of a test: times
# and intervals are as if it had not, at both ends, in both directions.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/rows.sh"

cat >"$tmp/jump.c" <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Half a second after the first look at it, the clock jumps by $JUMP. */
int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static struct timespec first;
	const char *jump = getenv("JUMP");
	long rc = syscall(SYS_clock_gettime, id, ts);

	if (rc != 0 || id != CLOCK_REALTIME || jump == NULL)
		return (int)rc;
	if (first.tv_sec == 0)
		first = *ts;
	if ((ts->tv_sec - first.tv_sec) * 1000 +
	    (ts->tv_nsec - first.tv_nsec) / 1000000 > 500)
		ts->tv_sec += atol(jump);
	return 0;
}
END
# shellcheck disable=SC2086 # a compiler and its options
${CC:-cc} -shared -fPIC -o "$tmp/jump.so" "$tmp/jump.c" 2>/dev/null ||
    skip_all "no shared library can be made"
run 5 env LD_PRELOAD="$tmp/jump.so" "$IPERF" -v
[ "$status $err" = "0 " ] || skip_all "this program cannot be preloaded"

for jump in 3600 -3600; do
	run 20 env LD_PRELOAD="$tmp/jump.so" JUMP="$jump" TZ=UTC \
	    "$IPERF" --loopback -t 1.2 -i 0.4 -y C
	is "$jump s: status" "$status $err" "0 "
	is "$jump s: three intervals and a total" \
	    "$(printf '%s\n' "$out" | wc -l)" 4
	seconds=$(printf '%s\n' "$out" | awk -F '[,-]' 'END { print $8 }')
	within "$jump s: the length of the test" "$seconds" 1.1 3
	is "$jump s: the clock did jump" "$(printf '%s\n' "$out" |
	    awk -F , '{ print substr($1, 1, 10) }' | sort -u | wc -l)" 2
done

# wrong_times: of the rows on standard input, those that begin or end when
# nothing can have happened; "no rows" without.
wrong_times()
{
	rows | awk '{ n++ }
	    $2 < 0 || $3 < $2 || $3 > 3 { print }
	    END { if (n < 2) print "no rows" }'
}

# shellcheck disable=SC2317 # called by wait_until
total_told()
{
	rows <"$server_log" | awk '$2 == 0 && $3 > 1 { found = 1 }
	    END { exit !found }'
}

for mode in "3600 -R" "-3600 --full-duplex" "3600 -u" "-3600 -u" \
    "3600 -u -R" "-3600 -u --full-duplex"; do
	jump=${mode%% *}
	mode=${mode#* }
	udp=
	case $mode in -u*) udp=-u ;; esac
	cat >"$tmp/jumping" <<-END
		#!/bin/sh
		exec env LD_PRELOAD="$tmp/jump.so" JUMP="$jump" "$IPERF" "\$@"
	END
	chmod +x "$tmp/jumping"
	start_program "$tmp/jumping" -f b -i 0.4 $udp || break
	# shellcheck disable=SC2086 # words on purpose
	run 20 "$tmp/jumping" -c 127.0.0.1 -p "$port" -f b -i 0.4 -t 1.2 $mode
	is "$jump s, $mode: status" "$status $err" "0 "
	is "$jump s, $mode: times" "$(printf '%s\n' "$out" | wrong_times)" ""
	ok "$jump s, $mode: the server's total" wait_until 5 total_told
	stop_server INT
	is "$jump s, $mode: the server's times" \
	    "$(wrong_times <"$server_log")" ""
done
done_testing
