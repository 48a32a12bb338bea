#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each header compiles alone, and twice, and has no variables.

. "${srcdir:-.}/t/tap.sh"

CC=${CC:-cc}
# CC may carry options.
need "${CC%% *}"

headers()
{
	(cd "$srcdir/include" && find . -name '*.h' | sed 's|^\./||' | sort)
}

# compiles HEADER: prints what the compiler says.
compiles()
{
	printf '#include "%s"\n#include "%s"\nextern int unused;\n' \
	    "$1" "$1" >"$tmp/header.c"
	# shellcheck disable=SC2086 # both are lists of words
	$CC ${CPPFLAGS:-} -std=gnu11 -Wall -Wextra -Wpedantic \
	    -Wstrict-prototypes -Werror -fsyntax-only -D_GNU_SOURCE \
	    -I"$srcdir/include" "$tmp/header.c" 2>&1
}

is "there are headers" "$([ "$(headers | wc -l)" -gt 5 ] && echo yes)" yes
for header in $(headers); do
	is "$header" "$(compiles "$header")" ""
done
is "headers declare no variables" \
    "$(cd "$srcdir/include" && grep -rn '^extern' . )" ""
is "headers do not include config.h" \
    "$(cd "$srcdir/include" && grep -rn 'include "config.h"' .)" ""
done_testing
