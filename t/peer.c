/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

/*
 * A TCP peer that misbehaves, for the tests in t/robust-*.sh. It shares no
 * code with the program under test. See usage() for what it plays; an alarm
 * bounds every run.
 */

#define CONNECTIONS_MAX 20000
#define HEADER_MAX 512

int64_t
peer_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

long long
peer_number(const char *text, long long low, long long high)
{
	const char *wrong;
	long long n;

	n = strtonum(text, low, high, &wrong);
	if (wrong != NULL)
		errx(2, "%s: %s", text, wrong);
	return n;
}

void
peer_put_u16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void
peer_put_u32(uint8_t *p, uint32_t v)
{
	peer_put_u16(p, v >> 16);
	peer_put_u16(p + 2, v & 0xffff);
}

static void
fill_random(uint8_t *buf, size_t n, unsigned short seed[3])
{
	for (size_t i = 0; i < n; i++)
		buf[i] = (uint8_t)(nrand48(seed) >> 12);
}

/*
 * Connections
 */

int
peer_connect(const struct run *r)
{
	int fd;

	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd == -1)
		err(1, "socket");
	if (connect(fd, (const struct sockaddr *)&r->to, sizeof(r->to)) == -1)
		err(1, "connect");
	return fd;
}

/* Returns false when the other end has gone. */
static bool
send_all(int fd, const uint8_t *buf, size_t n)
{
	ssize_t sent;

	while (n > 0) {
		sent = send(fd, buf, n, MSG_NOSIGNAL);
		if (sent == -1)
			return false;
		buf += sent;
		n -= (size_t)sent;
	}
	return true;
}

static bool
send_filler(int fd, size_t n)
{
	uint8_t buf[1000];
	size_t i, part;

	for (i = 0; i < sizeof(buf); i++)
		buf[i] = (uint8_t)('0' + i % 10);
	for (; n > 0; n -= part) {
		part = n < sizeof(buf) ? n : sizeof(buf);
		if (!send_all(fd, buf, part))
			return false;
	}
	return true;
}

/* Ends our side, waits for the end of theirs, and closes. */
static void
finish(int fd)
{
	uint8_t buf[1024];

	shutdown(fd, SHUT_WR);
	while (recv(fd, buf, sizeof(buf), 0) > 0)
		continue;
	close(fd);
}

void
peer_reset(int fd)
{
	struct linger at_once = {.l_onoff = 1, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

/*
 * Clients without a word
 */

static void
play_close(const struct run *r)
{
	long long n = peer_number(r->args[0], 1, 1000000);

	while (n-- > 0)
		close(peer_connect(r));
}

static void
play_reset(const struct run *r)
{
	long long n = peer_number(r->args[0], 1, 1000000);

	while (n-- > 0)
		peer_reset(peer_connect(r));
}

/* Looks at held connections; returns how many the other end has closed. */
static int
count_closed(struct pollfd *p, int n)
{
	uint8_t buf[256];
	int closed = 0;

	if (poll(p, (nfds_t)n, 20) == -1)
		err(1, "poll");
	for (int i = 0; i < n; i++) {
		if (p[i].fd == -1 || p[i].revents == 0 ||
		    recv(p[i].fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			continue;
		close(p[i].fd);
		p[i].fd = -1;
		closed++;
	}
	return closed;
}

static void
play_hold(const struct run *r)
{
	int n = (int)peer_number(r->args[0], 1, CONNECTIONS_MAX);
	int64_t end_ms, start_ms;
	struct pollfd *p;
	int closed = 0;

	p = calloc((size_t)n, sizeof(*p));
	if (p == NULL)
		err(1, NULL);
	for (int i = 0; i < n; i++) {
		p[i].fd = peer_connect(r);
		p[i].events = POLLIN;
	}
	printf("connected %d\n", n);
	fflush(stdout);
	start_ms = peer_now_ms();
	end_ms = start_ms + peer_number(r->args[1], 0, RUN_MAX_S * 1000);
	while (closed < n && peer_now_ms() < end_ms)
		closed += count_closed(p, n);
	printf("closed %d of %d after %lld ms\n", closed, n,
	    (long long)(peer_now_ms() - start_ms));
	free(p);
}

/*
 * Clients that talk
 */

static void
play_drip(const struct run *r)
{
	int n = (int)peer_number(r->args[0], 1, 100000);
	int64_t gap_ms = peer_number(r->args[1], 1, 10000);
	int fd = peer_connect(r), sent = 0;

	while (sent < n && send_filler(fd, 1)) {
		sent++;
		poll(NULL, 0, (int)gap_ms);
	}
	printf("sent %d of %d\n", sent, n);
	finish(fd);
}

static void
play_garbage(const struct run *r)
{
	long long n = peer_number(r->args[0], 1, 100000000);
	unsigned short seed[3] = {0};
	int fd = peer_connect(r);
	uint8_t buf[4096];
	size_t part;

	seed[0] = (unsigned short)peer_number(r->args[1], 0, 65535);
	for (; n > 0; n -= (long long)part) {
		part = (size_t)(n < (long long)sizeof(buf)
				    ? n
				    : (long long)sizeof(buf));
		fill_random(buf, part, seed);
		if (!send_all(fd, buf, part))
			break;
	}
	finish(fd);
}

static void
play_confetti(const struct run *r)
{
	long long n = peer_number(r->args[0], 1, 1000000);
	unsigned short seed[3] = {0};
	uint8_t buf[256];
	size_t len;
	int fd;

	seed[0] = (unsigned short)peer_number(r->args[1], 0, 65535);
	while (n-- > 0) {
		len = (size_t)nrand48(seed) % sizeof(buf) + 1;
		fill_random(buf, len, seed);
		fd = peer_connect(r);
		send_all(fd, buf, len);
		close(fd);
	}
}

/* Waits for an answer, says how many bytes came and when. */
static void
await_answer(int fd, int64_t wait_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t start_ms = peer_now_ms();
	uint8_t buf[1024];
	ssize_t n;

	if (poll(&p, 1, (int)wait_ms) <= 0) {
		printf("no answer\n");
		return;
	}
	n = recv(fd, buf, sizeof(buf), 0);
	if (n <= 0)
		printf("closed\n");
	else
		printf("answer of %zd bytes after %lld ms\n", n,
		    (long long)(peer_now_ms() - start_ms));
}

/* Other protocols that may knock at the port by mistake. */
static void
play_greet(const struct run *r)
{
	static const struct {
		const char *name;
		const char *text;
		size_t len;
	} table[] = {
#define GREETING(name, text) {name, text, sizeof(text) - 1}
	    GREETING("http", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	    GREETING("ssh", "SSH-2.0-OpenSSH_9.2\r\n"),
	    GREETING("tls",
		"\x16\x03\x01\x00\x31\x01\x00\x00\x2d\x03\x03"
		"abcdefghijklmnopqrstuvwxyz012345\0\0\x04\x13\x01\0\xff"
		"\x01\0"),
	    GREETING("iperf3-a", "abcdefghijklmnopqrstuvwxyz234567abcd\0"),
	    GREETING("iperf3-p", "pbcdefghijklmnopqrstuvwxyz234567abcd\0"),
	    GREETING("iperf3-3", "3bcdefghijklmnopqrstuvwxyz234567abcd\0"),
#undef GREETING
	};
	int fd;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, r->args[0]) != 0)
			continue;
		fd = peer_connect(r);
		send_all(fd, (const uint8_t *)table[i].text, table[i].len);
		await_answer(fd, 300);
		finish(fd);
		return;
	}
	errx(2, "%s: unknown greeting", r->args[0]);
}

/* The headers of clients, old and new, and what they ask for. */
struct header_form {
	const char *name;
	uint32_t flags;
	size_t size;   /* on the wire */
	uint32_t type; /* first words of the extension */
	uint32_t length;
	uint16_t uppers;
};

static const struct header_form header_forms[] = {
    {"none", 0, 0, 0, 0, 0},
    {"plain", 0x40010000 | 60 << 1, 60, 0, 0, 0},
    {"old-zero", 0, 24, 0, 0, 0},
    {"old-filler", 0x08000000, 24, 0, 0, 0},
    {"old-extend", 0x40000000, 60, 1, 28, 0},
    {"reverse", 0x44010000 | 60 << 1, 60, 0, 0, 0x0400},
    {"full-duplex", 0x44010000 | 60 << 1, 60, 0, 0, 0x0800},
    {"bounceback", 0x00800000, 64, 0, 0, 0},
    {"key", 0x50010000 | 62 << 1, 62 + 8, 0, 0, 0},
};

static void
make_header(const struct header_form *form, uint8_t *buf)
{
	memset(buf, 0, HEADER_MAX);
	peer_put_u32(buf, form->flags);
	peer_put_u32(buf + 4, 1);
	peer_put_u32(buf + 8, 5001);
	peer_put_u32(buf + 20, (uint32_t)-100);
	peer_put_u32(buf + 24, form->type);
	peer_put_u32(buf + 28, form->length);
	peer_put_u16(buf + 32, form->uppers);
	peer_put_u32(buf + 36, form->type == 1 ? 0x00020000 : 0x00020001);
	peer_put_u32(buf + 40, 0x00080003);
	peer_put_u16(buf + 60, 8);
	memcpy(buf + 62, "password", 8);
}

static void
play_header(const struct run *r)
{
	size_t payload = (size_t)peer_number(r->args[1], 0, 100000000);
	const struct header_form *form = header_forms;
	const struct header_form *end =
	    form + sizeof(header_forms) / sizeof(header_forms[0]);
	uint8_t buf[HEADER_MAX];
	int fd;

	while (form < end && strcmp(form->name, r->args[0]) != 0)
		form++;
	if (form == end)
		errx(2, "%s: unknown header", r->args[0]);
	make_header(form, buf);
	fd = peer_connect(r);
	send_all(fd, buf, form->size);
	await_answer(fd, peer_number(r->args[2], 0, RUN_MAX_S * 1000));
	send_filler(fd, payload);
	finish(fd);
}

/*
 * One connection for every lie: a header with all its blocks, a congestion
 * control name and a permit key, of which one field is replaced.
 */
static void
tell_lie(const struct run *r, uint32_t flags, size_t at, size_t width,
    uint32_t value)
{
	const struct header_form all = {"", flags, 128, 0, 0, 0x0210};
	uint8_t buf[HEADER_MAX];
	int fd;

	make_header(&all, buf);
	peer_put_u16(buf + 34, 0xc000);
	peer_put_u16(buf + 112, 4);
	memcpy(buf + 114, "reno", 4);
	peer_put_u16(buf + 118, 8);
	memcpy(buf + 120, "password", 8);
	if (width == 2)
		peer_put_u16(buf + at, value & 0xffff);
	else if (width == 4)
		peer_put_u32(buf + at, value);
	fd = peer_connect(r);
	send_all(fd, buf, all.size);
	send_filler(fd, 200);
	finish(fd);
}

static void
play_lie(const struct run *r)
{
	static const uint32_t flags[] = {0x40010000, 0x50010000, 0x46010000,
	    0x40000000, 0x50000000, 0xc0010000, 0x80010000};
	static const uint32_t values[] = {0, 1, 3, 4, 5, 31, 32, 33, 127, 128,
	    129, 254, 255, 256, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
	    0xffffffff};
	static const size_t words[] = {0, 4, 8, 12, 16, 20, 24, 28, 48, 52, 56,
	    60, 64, 68, 72, 76, 80, 84};
	static const size_t halves[] = {32, 34, 44, 46, 112, 118};
	const uint32_t true_flags = 0x50010000 | 120 << 1;
	size_t i, j;
	int told = 0;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		for (j = 0; j < 256; j++, told++)
			tell_lie(r, flags[i] | (uint32_t)j << 1, 0, 0, 0);
	}
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (j = 0; j < sizeof(words) / sizeof(words[0]); j++, told++)
			tell_lie(r, true_flags, words[j], 4, values[i]);
		for (j = 0; j < sizeof(halves) / sizeof(halves[0]); j++, told++)
			tell_lie(r, true_flags, halves[j], 2, values[i]);
	}
	printf("told %d lies\n", told);
}

static const struct command {
	const char *name;
	const char *args;
	int n_args;
	void (*play)(const struct run *);
} commands[] = {
    {"close", "COUNT: connects, closes", 1, play_close},
    {"reset", "COUNT: connects, resets", 1, play_reset},
    {"hold", "COUNT MS: silent connections, closed at the end", 2, play_hold},
    {"drip", "COUNT GAP_MS: single bytes", 2, play_drip},
    {"garbage", "BYTES SEED: one connection", 2, play_garbage},
    {"confetti", "COUNT SEED: connections of 1 to 256 random bytes", 2,
	play_confetti},
    {"greet", "http|ssh|tls|iperf3-a|iperf3-p|iperf3-3", 1, play_greet},
    {"header", "NAME PAYLOAD_BYTES WAIT_MS: waits for the answer", 3,
	play_header},
    {"ask",
	"plain|reverse|full-duplex|both|isochronous|burst|later|trip-times|"
	"dual|tradeoff|all PORT|-1 STREAMS AMOUNT "
	"close|end|reset|mute|read|send|late MS: "
	"a client that is to be sent to; -1: port of its own",
	6, peer_ask},
    {"lie", ": headers with a wrong field each", 0, play_lie},
    {"answer",
	"FIRST LENGTH BYTES: a server that answers its one client with FIRST "
	"of LENGTH bytes, after SIGUSR1 with the rest and so much payload",
	3, peer_answer},
    {"serve", "stall|close|reset BYTES MS: a server; -1 no limit", 3,
	peer_serve},
};

static void
usage(void)
{
	const struct command *c = commands;

	fprintf(stderr, "usage: peer ADDRESS PORT COMMAND [ARG ...]\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++, c++)
		fprintf(stderr, "\t%s %s\n", c->name, c->args);
	exit(2);
}

int
main(int argc, char **argv)
{
	struct run r = {.to.sin_family = AF_INET};
	struct rlimit files;

	if (argc < 4 || inet_pton(AF_INET, argv[1], &r.to.sin_addr) != 1)
		usage();
	r.to.sin_port = htons((uint16_t)peer_number(argv[2], 0, 65535));
	r.args = argv + 4;
	signal(SIGPIPE, SIG_IGN);
	alarm(RUN_MAX_S);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, argv[3]) != 0 ||
		    commands[i].n_args != argc - 4)
			continue;
		commands[i].play(&r);
		return 0;
	}
	usage();
}
