#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the documents show is what the program prints, but for the figures,
# and the index of doc/ is complete.

. "${srcdir:-.}/t/tap.sh"

# The block of README behind the command.
shown()
{
	awk '/^    \$ .*--loopback -P 4$/ { on = 1; next }
	on && /^[^ ]/ { exit }
	on && NF { print }' "$srcdir/README"
}

# Figures, and blanks around them, differ from run to run; streams are in the
# order of their ports.
masked()
{
	sed -e 's/[0-9][0-9.]*/N/g' -e 's/  */ /g' \
	    -e 's/ [KMGT]\{0,1\}\(Byte\|bits\)/ \1/g'
}

run 20 sh "$srcdir/doc/first-run" "$IPERF" -t 0.5
is "the first run of README: status" "$status" 0
is "the first run of README: layout" "$(printf '%s\n' "$out" | masked)" \
    "$(shown | masked)"
like "the first run of README: is there" "$(shown)" '^    \[SUM\].*/sec$'

# Every command line of README and of the manual page is one that is
# understood: with -h behind it, it prints the help.
examples()
{
	sed -n 's/^    \(iperf -[^ ].*\)/\1/p' "$srcdir/README" |
	    sed -e 's/   .*//' -e 's/ |.*//'
	sed -n 's/^\.Dl \$ \(iperf .*\)/\1/p' "$srcdir/man/iperf.1"
}

examples >"$tmp/examples"
is "there are examples" \
    "$([ "$(grep -c . "$tmp/examples")" -gt 15 ] && echo yes)" yes
while read -r program words; do
	[ "$program" = iperf ] || continue
	# shellcheck disable=SC2086 # words
	run 5 "$IPERF" $words -h
	is "understood: iperf $words" "$status $err" "0 "
done <"$tmp/examples"

for file in "$srcdir"/doc/*.md; do
	name=${file##*/}
	[ "$name" = README.md ] ||
	    like "the index has $name" "$(cat "$srcdir/doc/README.md")" \
		"\\($name\\)"
done
sed -n 's/^| \[[^]]*\](\([^)]*\)).*/\1/p' "$srcdir/doc/README.md" >"$tmp/index"
while read -r name; do
	ok "the index names a file: $name" test -f "$srcdir/doc/$name"
done <"$tmp/index"

# Tests that a document names exist, and are run.
sed -n '/^|/s/[^a-z0-9_.-]/\n/gp' "$srcdir/doc/CASES.md" |
    grep -E '^[a-z0-9_-]+\.(sh|c)$' | sort -u >"$tmp/named"
is "CASES.md names tests" \
    "$([ "$(grep -c . "$tmp/named")" -gt 50 ] && echo yes)" yes
while read -r name; do
	ok "CASES.md names a test: $name" test -f "$srcdir/t/$name"
	case $name in
	*.sh) program=t/$name ;;
	*) program=t/${name%.c} ;;
	esac
	ok "and it is run: $name" grep -qE "^[[:space:]]+$program( |\$)" \
	    "$srcdir/Makefile.am"
done <"$tmp/named"
done_testing
