#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A link slower than -b: how much was not sent is told, and why. On a busy
# machine other reasons may follow the one that is looked for.

. "${srcdir:-.}/t/tap.sh"
. "${srcdir:-.}/t/lab.sh"
. "${srcdir:-.}/t/udp.sh"

need_lab
lab_up slow rate=10mbit || skip_all "no pair of hosts with a slow link"
start_server_on "$lab_b" -u -f b || skip_all "the server does not start"

# client ARG ...: one test. The socket is full before the queue of the link.
client()
{
	run_on "$lab_a" 15 "$IPERF" -c 192.0.2.2 -p "$port" -u -w 20k -t 1 "$@"
	is "$*: status, stderr" "$status $err" "0 "
}

# missing: percent not sent in each remark, in a line.
missing()
{
	printf '%s\n' "$out" |
	    sed -n 's/^.* \([0-9.]*\)% of the target rate not sent: .*/\1/p' |
	    tr '\n' ' '
}

client -b 50m
like "-b 50m: the socket was full" "$out" \
    '^\[  1\] .* target rate not sent: socket full [0-9]*% of the time'
within "-b 50m: so much is missing" "$(missing | cut -d ' ' -f 1)" 60 95
like "-b 50m: but nothing is lost" "$out" ' ms 0/[1-9][0-9]* \(0%\)$'

client -b 50m -P 2
is "-P 2: each stream and the sum" "$(missing | wc -w)" 3
like "-P 2: the sum" "$out" '^\[SUM\] .* not sent: socket full [0-9]*% of'
unlike "-P 2: buffers are not to blame" "$out" 'buffer space'

client -b 50m --economy
like "--economy: the socket was full" "$out" ' not sent: socket full [0-9]*% of'

client -b 2m
unlike "-b 2m: the socket was not full" "$out" 'socket full'
client -b 0
is "-b 0: nothing was asked for" "$(missing)" ""

client -b 50m -y C
is "CSV has no remarks" "$(printf '%s\n' "$out" | grep -vc '^[-+0-9.,:]*$')" 0
tap_host=$lab_b
stop_server INT
tap_host=
is "the server ends well" "$status" 0

# A system that is out of buffers, again and again: what it refuses is not
# sent, and so is neither counted nor lost, whichever end sends.
cat >"$tmp/refuse.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

static int
refuses(void)
{
	static unsigned calls;

	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 3 != 0)
		return 0;
	errno = ENOBUFS;
	return 1;
}

ssize_t
send(int fd, const void *buf, size_t n, int flags)
{
	ssize_t (*real)(int, const void *, size_t, int) =
	    dlsym(RTLD_NEXT, "send");

	return refuses() ? -1 : real(fd, buf, n, flags);
}

ssize_t
sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) =
	    dlsym(RTLD_NEXT, "sendmsg");

	return refuses() ? -1 : real(fd, m, flags);
}

int
sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	int (*real)(int, struct mmsghdr *, unsigned, int) =
	    dlsym(RTLD_NEXT, "sendmmsg");

	return refuses() ? -1 : real(fd, m, n, flags);
}
END
cat >"$tmp/refused" <<END
#!/bin/sh
exec env LD_PRELOAD="$tmp/refuse.so" "$IPERF" "\$@"
END
chmod +x "$tmp/refused"
# shellcheck disable=SC2086 # a compiler and its options
if ${CC:-cc} -shared -fPIC -o "$tmp/refuse.so" "$tmp/refuse.c" -ldl \
    2>/dev/null && run 5 "$tmp/refused" -v && [ "$status $err" = "0 " ]; then
	start_program "$tmp/refused" -u -f b
	run 10 "$tmp/refused" -c 127.0.0.1 -p "$port" -u -f b -l 1000 \
	    -n 400000 -b 50m --no-udp-fin
	like "no buffers, --no-udp-fin: sent" "$status $out" 'Sent 400 datag'
	wait_until 3 grep -q ' 400000 Bytes' "$server_log"
	like "no buffers, --no-udp-fin: arrived" "$(cat "$server_log")" \
	    ' 400000 Bytes .* ms 0/400 '
	for way in "" -R; do
		for rate in 8m 0 2000pps; do
			# shellcheck disable=SC2086 # nothing or a word
			run 10 "$tmp/refused" -c 127.0.0.1 -p "$port" -u -f b \
			    -l 1000 -n 500000 -b "$rate" $way
			is "no buffers, -b $rate $way: status, stderr" \
			    "$status $err" "0 "
			is "no buffers, -b $rate $way: all arrives" \
			    "$(printf '%s\n' "$out" | udp_lines | awk '
				$1 == "row" { print $5, $6 "/" $7 }')" \
			    "500000 0/500"
		done
	done
	stop_server INT
	is "no buffers: each is counted by its sender" \
	    "$(grep -c 'Sent 500 datagrams' "$server_log")" 3
else
	skip "no buffers" "no library can be preloaded here"
fi
done_testing
