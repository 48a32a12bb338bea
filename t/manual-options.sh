#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual page and the program know the same options.

LC_ALL=C
export LC_ALL

iperf=${IPERF:-src/iperf}
manual=${srcdir:-.}/man/iperf.1

dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

# From "  -F, --file_input, --fileinput FILE    text", "-F" and so on. Help
# texts are at least two blanks behind.
known_to_program()
{
	"$iperf" --help |
	    grep -E '^  (-|    --)' |
	    sed -e 's/^ *//' -e 's/  .*//' |
	    tr ', =[]' '\n' |
	    grep '^-' |
	    sort
}

# From ".It Fl F , Fl -file_input , Fl -fileinput Ar file" likewise.
known_to_manual()
{
	sed -n 's/^\.It \(Fl .*\)/\1/p' "$manual" |
	    awk '{ for (i = 1; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' |
	    sort
}

# Prints a TAP line for a list of options that must be empty.
expect_none()
{
	count=$((count + 1))
	if [ -s "$2" ]; then
		echo "not ok $count - $1"
		sed 's/^/# /' "$2"
	else
		echo "ok $count - $1"
	fi
}

known_to_program >"$dir/program"
known_to_manual >"$dir/manual"
sort -u "$dir/program" >"$dir/program.unique"
sort -u "$dir/manual" >"$dir/manual.unique"

count=0
echo 1..5
count=$((count + 1))
if [ "$(wc -l <"$dir/program")" -ge 100 ]; then
	echo "ok $count - the help text lists options"
else
	echo "not ok $count - the help text lists options"
fi
comm -23 "$dir/program.unique" "$dir/manual.unique" >"$dir/missing"
expect_none "every option is in the manual" "$dir/missing"
comm -13 "$dir/program.unique" "$dir/manual.unique" >"$dir/surplus"
expect_none "no other option is in the manual" "$dir/surplus"
uniq -d "$dir/program" >"$dir/twice"
expect_none "no option is twice in the help text" "$dir/twice"
uniq -d "$dir/manual" >"$dir/twice"
expect_none "no option is twice in the manual" "$dir/twice"
