#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The floors of doc/DESIGN.md: a file includes headers of its own floor or of
# lower ones, always as "floor/name.h", and "config.h" first in every .c.

. "${srcdir:-.}/t/tap.sh"

# Lowest first. src/main.c stands on top of all.
floors="base net wire measure pace report stream role cli main"

sources()
{
	(cd "$srcdir" && find src include -name '*.[ch]' | sort)
}

# Prints what breaks the order, or a file that belongs to no floor.
offenders()
{
	# shellcheck disable=SC2046 # our file names have no blanks
	(cd "$srcdir" && awk -v floors="$floors" '
	BEGIN {
		n = split(floors, name)
		for (i = 1; i <= n; i++)
			level[name[i]] = i
	}
	FNR == 1 {
		split(FILENAME, part, "/")
		own = FILENAME == "src/main.c" ? "main" : part[2]
		if (!(own in level))
			print FILENAME ": on no floor"
		first = FILENAME ~ /\.c$/
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		header = quoted[2]
		if (FILENAME ~ /\.c$/ && first != (header == "config.h"))
			print FILENAME ": config.h is not the first include"
		first = 0
		if (header == "config.h" && FILENAME ~ /\.c$/)
			next
		split(header, part, "/")
		if (part[2] == "" || !(part[1] in level))
			print FILENAME ": \"" header "\" names no floor"
		else if (level[part[1]] > level[own])
			print FILENAME ": " header " is above " own
	}
	/^[ \t]*#[ \t]*include[ \t]*</ && first {
		print FILENAME ": config.h is not the first include"
		first = 0
	}' $(sources))
}

# Prints included project headers that do not exist.
missing()
{
	(cd "$srcdir" && sources | xargs sed -n \
	    's|^#include "\([a-z0-9_]*/[^"]*\.h\)".*|\1|p' | sort -u |
	    while read -r header; do
		    [ -f "include/$header" ] || echo "$header"
	    done)
}

is "there are sources" "$([ "$(sources | wc -l)" -gt 10 ] && echo yes)" yes
is "includes go downwards" "$(offenders)" ""
is "headers are in include/" "$(missing)" ""
done_testing
