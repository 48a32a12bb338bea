#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What "make install" installs, and that "make uninstall" leaves nothing.

. "${srcdir:-.}/t/tap.sh"

[ -f "$builddir/Makefile" ] || skip_all "no Makefile"
need make
unset MAKEFLAGS MFLAGS MAKELEVEL

# build TARGET [VARIABLE=VALUE ...]: as if configured with these directories.
build()
{
	run 120 make -s -C "$builddir" DESTDIR="$tmp/root" prefix=/usr \
	    exec_prefix=/usr bindir=/usr/bin datarootdir=/usr/share \
	    datadir=/usr/share mandir=/usr/share/man \
	    systemdsystemunitdir=/usr/lib/systemd/system \
	    bashcompletiondir=/usr/share/bash-completion/completions \
	    zshcompletiondir=/usr/share/zsh/site-functions "$@"
}

installed()
{
	(cd "$tmp/root" && find . ! -type d | sed 's|^\.||' | sort)
}

# has_data VARIABLE: this build installs that kind of file.
has_data()
{
	grep -q "^$1_DATA = ." "$builddir/Makefile"
}

wanted()
{
	echo "/usr/bin/$1iperf"
	if has_data systemdsystemunit; then
		echo "/usr/lib/systemd/system/iperf.service"
		echo "/usr/lib/systemd/system/iperf@.service"
	fi
	if has_data bashcompletion; then
		echo "/usr/share/bash-completion/completions/iperf"
	fi
	echo "/usr/share/man/man1/$1iperf.1"
	if has_data zshcompletion; then
		echo "/usr/share/zsh/site-functions/_iperf"
	fi
}

build install program_transform_name='s,x,x,'
is "install: status" "$status" 0
is "install: these files" "$(installed)" "$(wanted "")"
run 5 "$tmp/root/usr/bin/iperf" -v
like "what is installed runs" "$out" '^iperf version 2\.'
if has_data systemdsystemunit; then
	like "the unit starts what is installed" \
	    "$(cat "$tmp/root/usr/lib/systemd/system/iperf.service")" \
	    '^ExecStart=/.*/bin/.*iperf -s$|^ExecStart=/.*iperf.* -s$'
fi
is "modes: nobody else writes" \
    "$(find "$tmp/root" ! -type l -perm /022)" ""
build uninstall program_transform_name='s,x,x,'
is "uninstall: status" "$status" 0
is "uninstall: nothing is left" "$(installed)" ""
done_testing
