#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# No mutable variable with static storage in the program, but two: the sink
# of the log, and one flag that a signal sets.

. "${srcdir:-.}/t/tap.sh"

need nm

library=$builddir/libiperf.a
[ -f "$library" ] || skip_all "no $library"

# The objects of the program; their names depend on automake's prefixes.
objects()
{
	find "$builddir/src" -maxdepth 1 -name '*main.o'
	echo "$library"
}

# shellcheck disable=SC2046 # one word each
symbols()
{
	nm -A --format=sysv $(objects)
}

instrumented()
{
	symbols | grep -Eq '__(asan|tsan|ubsan|gcov|sanitizer)_'
}

# Prints object and name of what lies in a writable section; what only the
# loader writes, when it relocates pointers, is constant for us.
mutable()
{
	symbols | awk -F '|' '
	{
		gsub(/[ \t]/, "")
		split($0, field, "|")
		section = field[7]
	}
	section ~ /^\.data\.rel\.ro/ { next }
	section ~ /^\.(s?data|s?bss|tdata|tbss)/ || section ~ /COM/ {
		object = field[1]
		name = field[1]
		sub(/:[^:]*$/, "", object)
		sub(/.*\//, "", object)
		sub(/.*:/, "", name)
		sub(/\.[0-9]+$/, "", name)
		print object, name
	}' | sort
}

instrumented && skip_all "instrumented builds have variables of their own"

# libiperf.a:log.o or log.o, whichever way nm writes it
sink=' log_sink_current$'
flag='signals?\.o signals?_[a-z_]*$'

like "the log sink is seen" "$(mutable)" "$sink"
is "no other mutable variable" \
    "$(mutable | grep -Ev "$sink|$flag")" ""
is "at most one signal flag" \
    "$([ "$(mutable | grep -Ec "$flag")" -le 1 ] && echo yes)" yes
done_testing
