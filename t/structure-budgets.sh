#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sizes: a source file has at most 600 lines, the header of a module 250, a
# function 100 from its first line to its brace; tests and benchmarks too. In
# the program 3 #if per 1000 lines, guards of headers not counted, and none
# inside a function.

. "${srcdir:-.}/t/tap.sh"

file_max=600
header_max=250
function_max=100
conditionals_max=3

# Runs awk over the sources below some directories: $1, names and blanks.
over()
{
	# shellcheck disable=SC2086 # each is a word of its own
	files=$(cd "$srcdir" && find $1 -name '*.[ch]' | sort)
	shift
	# shellcheck disable=SC2086 # our file names have no blanks
	(cd "$srcdir" && awk "$@" $files)
}

over_all()
{
	over "src include t bench" "$@"
}

over_program()
{
	over "src include" "$@"
}

long_files()
{
	over_all -v c="$file_max" -v h="$header_max" '
	{ lines[FILENAME]++ }
	END {
		for (file in lines)
			if (lines[file] > (file ~ /^include/ ? h : c))
				print file ": " lines[file] " lines"
	}' | sort
}

# Follows functions as KNF writes them: "{" and "}" alone in column one. A
# declaration that begins in column one and has not ended is the head of the
# next function. Prints "file: function: lines", or with the variable inside
# set, the conditionals within functions.
# shellcheck disable=SC2016 # $0 is awk's
functions='
FNR == 1 { head = body = 0 }
!body && /^(#|}|[ \t]*\*|\/\*|$)/ { head = 0; next }
!body && /^[A-Za-z_]/ && !head { head = FNR }
!body && /^START_TEST\(/ { name = $0; gsub(/.*\(|\)/, "", name) }
!body && /^[a-z_][a-z0-9_]*\(/ { name = $0; sub(/\(.*/, "", name) }
!body && /^[^{].*;$/ { head = 0; next }
!body && /^\{/ && head { body = 1; next }
body && /^}/ {
	if (!inside)
		print FILENAME ": " name ": " FNR - head + 1
	head = body = 0
	next
}
body && inside && /^[ \t]*#[ \t]*(if|el|end)/ {
	print FILENAME ":" FNR ": " $0
}'

long_functions()
{
	over_all -v inside=0 "$functions" |
	    awk -v max="$function_max" '$NF > max'
}

function_count()
{
	over_all -v inside=0 "$functions" | wc -l
}

conditionals_inside()
{
	over_program -v inside=1 "$functions"
}

# Prints how many conditionals there are per 1000 lines.
conditionals()
{
	over_program '
	FNR == 1 { guard = FILENAME ~ /\.h$/ }
	/^[ \t]*#[ \t]*ifndef[ \t]+[A-Z0-9_]+_H$/ && guard { guard = 0; next }
	/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)/ { n++ }
	END { printf "%.2f\n", 1000 * n / NR }'
}

is "functions are recognised" \
    "$([ "$(function_count)" -gt 10 ] && echo yes)" yes
is "files are short" "$(long_files)" ""
is "functions are short" "$(long_functions)" ""
within "few conditionals per 1000 lines" \
    "$(conditionals)" 0 "$conditionals_max"
is "no conditionals inside functions" "$(conditionals_inside)" ""
done_testing
