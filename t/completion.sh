#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What bash and zsh complete after "iperf".

. "${srcdir:-.}/t/tap.sh"

run 5 "$IPERF" --completion=tcsh
is "another shell: status, nothing printed" "$status $out" "1 "
like "another shell: says why" "$err" "^iperf: bad value 'tcsh' for --compl"
for shell in bash zsh; do
	run 5 "$IPERF" "--completion=$shell"
	is "$shell: status, nothing on stderr" "$status $err" "0 "
	cp "$tmp/out" "$tmp/$shell"
	like "$shell: knows options" "$out" '--parallel'
	unlike "$shell: offers none that is refused" "$out" '--tap-dev'
done

command -v bash >/dev/null || skip_all "no bash"
ok "bash: valid" bash -n "$tmp/bash"

# offers WORD ...: what bash offers for the last word, in one line.
# shellcheck disable=SC2016 # for bash
offers()
{
	run 10 bash --norc -c '
		compopt() { :; }
		. "$0"
		COMP_WORDS=(iperf "$@")
		COMP_CWORD=$#
		_iperf
		echo "${COMPREPLY[*]}"' "$tmp/bash" "$@"
	[ "$status $err" = "0 " ] || out="status $status $err"
}

while IFS='|' read -r words wanted; do
	# shellcheck disable=SC2086 # words
	offers $words
	is "bash: $words" "$out" "$wanted"
done <<END
--paral|--parallel
--incr-dst|--incr-dstip --incr-dstport
-s --full|--full-duplex
--nonesuch|
-f m|m
--format = M|M
--completion = |bash zsh
--completion b|bash
-t 1|
--time = 1|
--help = paral|parallel
--help paral|
-Z nonesuch|
END
offers -
like "bash: letters and names" "$out" '^-s --server .*-P --parallel '
: >"$tmp/some-file"
offers -F "$tmp/some-f"
is "bash: files" "$out" "$tmp/some-file"
offers --output = "$tmp/some-f"
is "bash: files behind =" "$out" "$tmp/some-file"

# Every option that --help lists as supported, but what is only accepted.
"$IPERF" --help | sed '/^Not supported/,$d' | grep -E '^  (-|    --)' |
    sed -e 's/^ *//' -e 's/  .*//' | tr ', =[]' '\n' | grep '^-' |
    sort >"$tmp/help"
offers ""
printf '%s\n' "$out" | tr ' ' '\n' | sort >"$tmp/offered"
is "bash: the options of --help" "$(comm -3 "$tmp/help" "$tmp/offered" |
    grep -Ev -- '--(NUM_REPORT_STRUCTS|awdl|suggest_win_size)|-[AW]$')" ""

# At a prompt.
if ! command -v tmux >/dev/null; then
	skip "at a prompt" "no tmux"
	done_testing
fi
socket=$tmp/tmux
mkdir "$tmp/bin" "$tmp/functions"
cp "$tmp/zsh" "$tmp/functions/_iperf"
ln -s "$IPERF" "$tmp/bin/iperf"
PATH=$tmp/bin:$PATH
TERM=xterm
export PATH TERM
echo ". $tmp/bash; PS1='ready> '" >"$tmp/bashrc"
cat >"$tmp/.zshrc" <<END
fpath=($tmp/functions \$fpath)
autoload -Uz compinit
compinit -u -D
PS1='ready> '
END

on_screen()
{
	tmux -S "$socket" capture-pane -p -t 0 | grep -Eq -e "$1"
}

closed()
{
	! tmux -S "$socket" list-sessions >/dev/null 2>&1
}

# prompt SHELL COMMAND: types a beginning and a tab.
prompt()
{
	if ! command -v "$1" >/dev/null; then
		skip "$1 at a prompt" "no $1"
		return
	fi
	tmux -S "$socket" -f /dev/null new-session -d -x 200 -y 20 "$2"
	tap_servers="$tap_servers $(tmux -S "$socket" display-message -p \
	    '#{pid}')"
	ok "$1 at a prompt: is ready" wait_until 10 on_screen '^ready>'
	tmux -S "$socket" send-keys -t 0 -l 'iperf --paral'
	tmux -S "$socket" send-keys -t 0 Tab
	ok "$1 at a prompt: an option" \
	    wait_until 10 on_screen '^ready> iperf --parallel'
	tmux -S "$socket" send-keys -t 0 C-u
	tmux -S "$socket" send-keys -t 0 -l "iperf -o $tmp/some-f"
	tmux -S "$socket" send-keys -t 0 Tab
	ok "$1 at a prompt: a file" \
	    wait_until 10 on_screen "^ready> iperf -o $tmp/some-file"
	tmux -S "$socket" kill-server
	wait_until 5 closed
}

prompt bash "bash --noprofile --rcfile $tmp/bashrc -i"
prompt zsh "env ZDOTDIR=$tmp zsh -d -i"
done_testing
