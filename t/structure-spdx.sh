#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sources, scripts, build files and manual pages begin with their licence.

. "${srcdir:-.}/t/tap.sh"

licence='SPDX-License-Identifier: BSD-2-Clause'

files()
{
	(cd "$srcdir" && find configure.ac Makefile.am bootstrap .ci src \
	    include compat t bench man -type f \( -name '*.[ch1]' -o \
	    -name '*.sh' -o -name '*.py' -o -name '*.a[cm]' -o \
	    ! -name '*.*' -perm -u+x \) ! -path 't/data/*' 2>/dev/null | sort)
}

# Programs of a build in the source tree have no suffix either.
is_program()
{
	[ "$(dd if="$1" bs=1 skip=1 count=3 2>/dev/null)" = ELF ]
}

without()
{
	for file in $(files); do
		head -n 3 "$srcdir/$file" | grep -q "$licence" ||
		    is_program "$srcdir/$file" || echo "$file"
	done
}

is "there are files" "$([ "$(files | wc -l)" -gt 20 ] && echo yes)" yes
is "all name their licence" "$(without)" ""
done_testing
