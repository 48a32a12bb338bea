/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "udp_wire.h"

/*
 * A UDP peer of a server on 127.0.0.1, for tests; it shares no code with the
 * program under test. See usage() for what it plays; an alarm bounds every
 * run.
 */

#define LIFE_S 60
#define DATAGRAM_MAX 65507
#define FLOWS_MAX 8000
#define TRIES 10
#define TRY_MS 250
#define QUIET_MS 150

#define FLAG_DUAL 0x80000000U
#define FLAG_EXTEND 0x40000000U
#define FLAG_UDP_TESTS 0x20000000U
#define FLAG_WIDE 0x08000000U
#define FLAG_REVERSIBLE 0x04000000U
#define FLAG_LENGTH 0x00010000U
#define FLAG_RUN_NOW 1U
#define UPPER_NO_UDP_FIN 0x0008U
#define UPPER_REVERSE 0x0400U
#define UPPER_FULL_DUPLEX 0x0800U

#define REPORT_BYTES 128

struct sender {
	int fd;
	struct sockaddr_in server;
	uint32_t flags;
	bool is_old; /* of 2.0.5: the header is at 12, and the report */
	size_t len;
	bool is_odd;	 /* all but finals differ in length */
	int64_t shift_s; /* of the time stamps */
	int64_t step_id; /* from this id on, they are shifted by */
	int64_t step_s;
	int64_t highest;
	uint64_t sent, sent_bytes;
	uint64_t answers, answered_bytes;
	uint8_t buf[DATAGRAM_MAX];
};

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: udp_peer PORT flow [wide|old] [odd] [len=N] [shift=S] "
	      "[step=ID:S] "
	      "IDS ...\n"
	      "           a flow of these ids, like 1-10 or 5; then the final\n"
	      "           datagram, until a report comes, which is printed;\n"
	      "           odd: id I has 20 + 37 * I % (N - 19) bytes\n"
	      "       udp_peer PORT garbage COUNT SEED\n"
	      "           what is no datagram of a test\n"
	      "       udp_peer PORT strays COUNT\n"
	      "           finals and reports that belong to no flow\n"
	      "       udp_peer PORT lures\n"
	      "           what asks for more traffic than it brings\n"
	      "       udp_peer PORT beg COUNT\n"
	      "           asks for a reverse test, so often, whatever comes\n"
	      "       udp_peer PORT open COUNT\n"
	      "           opens so many flows and leaves them\n"
	      "       udp_peer PORT late\n"
	      "           a flow that wants no report; when standard input "
	      "has\n"
	      "           ended, some of its datagrams again\n"
	      "       udp_peer PORT lines\n"
	      "           the datagrams of standard input, the last word of "
	      "each\n"
	      "           line in hex, each from another port\n"
	      "       udp_peer 0 hole\n"
	      "           prints its port and never answers\n",
	    stderr);
	exit(2);
}

static long long
number(const char *text, const char **end)
{
	char *p;
	long long n;

	errno = 0;
	n = strtoll(text, &p, 10);
	if (p == text || errno != 0)
		errx(2, "no number: %s", text);
	*end = p;
	return n;
}

/* A socket of its own port; connected unless the port is 0. */
static int
open_socket(const struct sockaddr_in *server)
{
	struct sockaddr_in self = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd == -1 ||
	    bind(fd, (struct sockaddr *)&self, sizeof(self)) == -1 ||
	    (server->sin_port != 0 &&
		connect(fd, (const struct sockaddr *)server, sizeof(*server)) ==
		    -1))
		err(1, "socket");
	return fd;
}

/* Refusals are news of earlier datagrams, and expected here. */
static void
send_bytes(struct sender *s, const uint8_t *buf, size_t len)
{
	while (send(s->fd, buf, len, 0) == -1) {
		if (errno != ECONNREFUSED)
			err(1, "send");
	}
	s->sent++;
	s->sent_bytes += len;
}

/* Waits for a datagram; 0 when none came. */
static size_t
await(struct sender *s, int ms)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, ms) != 1)
		return 0;
	n = recv(s->fd, s->buf, sizeof(s->buf), MSG_DONTWAIT);
	if (n <= 0)
		return 0;
	s->answers++;
	s->answered_bytes += (uint64_t)n;
	return (size_t)n;
}

static void
count_answers(struct sender *s)
{
	int64_t until_ms = udp_now_ms() + QUIET_MS;

	while (udp_now_ms() < until_ms) {
		if (await(s, 20) > 0)
			until_ms = udp_now_ms() + QUIET_MS;
	}
}

static void
print_counts(const struct sender *s)
{
	printf("sent %" PRIu64 " datagrams %" PRIu64 " bytes, answered %" PRIu64
	       " datagrams %" PRIu64 " bytes\n",
	    s->sent, s->sent_bytes, s->answers, s->answered_bytes);
}

/*
 * A flow
 */

static void
fill_header(struct sender *s)
{
	uint8_t *at = s->buf + (s->is_old ? 12 : 16);

	memset(s->buf, 0, sizeof(s->buf));
	udp_put_u32(at, s->flags);
	udp_put_u32(at + 4, 1); /* threads */
	udp_put_u32(at + 8, ntohs(s->server.sin_port));
	udp_put_u32(at + 12, (uint32_t)s->len);
	udp_put_u32(at + 20, (uint32_t)-1000); /* 10 s */
}

static void
send_id(struct sender *s, int64_t id)
{
	struct timespec now;
	int64_t shift_s = s->shift_s;
	size_t len = s->len;

	if (s->step_id != 0 && (id >= s->step_id || id < 0))
		shift_s += s->step_s;
	clock_gettime(CLOCK_REALTIME, &now);
	udp_put_u32(s->buf, (uint32_t)id);
	udp_put_u32(s->buf + 4, (uint32_t)(now.tv_sec + shift_s));
	udp_put_u32(s->buf + 8, (uint32_t)(now.tv_nsec / 1000));
	if (!s->is_old)
		udp_put_u32(s->buf + 12,
		    s->flags & FLAG_WIDE ? (uint32_t)((uint64_t)id >> 32) : 0);
	if (s->is_odd && id > 0)
		len = 20 + (size_t)(id * 37) % (s->len - 19);
	send_bytes(s, s->buf, len);
	if (id > s->highest)
		s->highest = id;
}

static void
send_ids(struct sender *s, const char *ids)
{
	const char *end;
	int64_t id = number(ids, &end), last = id;

	if (*end == '-')
		last = number(end + 1, &end);
	if (*end != '\0')
		errx(2, "no ids: %s", ids);
	for (; id <= last; id++)
		send_id(s, id);
}

static uint64_t
get_halves(const uint8_t *buf, int high, int low)
{
	return (uint64_t)udp_get_u32(buf + high) << 32 | udp_get_u32(buf + low);
}

static void
print_report(const uint8_t *buf, size_t len)
{
	if (len < REPORT_BYTES)
		errx(1, "a report of %zu bytes", len);
	printf("size %zu flags %08" PRIx32 " bytes %" PRIu64 " lost %" PRIu64
	       " outoforder %" PRIu64 " datagrams %" PRIu64
	       " jitter_us %" PRId64 " duration_us %" PRId64 " delays %" PRIu32
	       "\n",
	    len, udp_get_u32(buf + 16), get_halves(buf, 20, 24),
	    get_halves(buf, 116, 36), get_halves(buf, 120, 40),
	    get_halves(buf, 124, 44),
	    (int64_t)udp_get_u32(buf + 48) * 1000000 + udp_get_u32(buf + 52),
	    (int64_t)udp_get_u32(buf + 28) * 1000000 + udp_get_u32(buf + 32),
	    udp_get_u32(buf + 104));
}

static void
print_old_report(const uint8_t *buf, size_t len)
{
	if (len < 52)
		errx(1, "a report of %zu bytes", len);
	printf("size %zu flags %08" PRIx32 " bytes %" PRIu64 " lost %" PRIu32
	       " outoforder %" PRIu32 " datagrams %" PRIu32 "\n",
	    len, udp_get_u32(buf + 12), get_halves(buf, 16, 20),
	    udp_get_u32(buf + 32), udp_get_u32(buf + 36),
	    udp_get_u32(buf + 40));
}

/* Returns whether it was an option of a flow. */
static bool
parse_flow_option(struct sender *s, const char *arg)
{
	const char *end = "";

	if (strcmp(arg, "wide") == 0) {
		s->flags |= FLAG_WIDE;
	} else if (strcmp(arg, "old") == 0) {
		s->is_old = true;
	} else if (strcmp(arg, "odd") == 0) {
		s->is_odd = true;
	} else if (strncmp(arg, "len=", 4) == 0) {
		s->len = (size_t)number(arg + 4, &end);
	} else if (strncmp(arg, "shift=", 6) == 0) {
		s->shift_s = number(arg + 6, &end);
	} else if (strncmp(arg, "step=", 5) == 0) {
		s->step_id = number(arg + 5, &end);
		s->step_s = number(end + 1, &end);
	} else {
		return false;
	}
	if (*end != '\0' || s->len < 20 || s->len > DATAGRAM_MAX)
		errx(2, "what is %s?", arg);
	return true;
}

static int
play_flow(struct sender *s, char **args)
{
	size_t n;
	int i;

	s->len = 100;
	while (*args != NULL && parse_flow_option(s, *args))
		args++;
	fill_header(s);
	for (; *args != NULL; args++)
		send_ids(s, *args);
	for (i = 0; i < TRIES; i++) {
		fill_header(s);
		send_id(s, -(s->highest + 1));
		n = await(s, TRY_MS);
		if (n > 0) {
			if (s->is_old)
				print_old_report(s->buf, n);
			else
				print_report(s->buf, n);
			return 0;
		}
	}
	warnx("no report");
	return 1;
}

/*
 * What should have no consequence
 */

static const char *const texts[] = {
    "",
    "x",
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "0123456789012345678901234567890123456789",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\n\r\n",
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
};

static void
send_random(struct sender *s, uint16_t seed[3])
{
	size_t i, len = (size_t)nrand48(seed) % 1471;

	for (i = 0; i < len; i++)
		s->buf[i] = (uint8_t)(nrand48(seed) >> 12);
	/* No microseconds: chance must not make a datagram of a test. */
	if (len > 8)
		s->buf[8] |= 0x80;
	send_bytes(s, s->buf, len);
}

static int
play_garbage(struct sender *s, const char *count, const char *seed_text)
{
	const char *end;
	uint16_t seed[3] = {(uint16_t)number(seed_text, &end)};
	long long i, n = number(count, &end);
	size_t j;

	for (j = 0; j < sizeof(texts) / sizeof(*texts); j++)
		send_bytes(s, (const uint8_t *)texts[j], strlen(texts[j]));
	memset(s->buf, 0, 1470);
	for (j = 0; j <= 128; j++)
		send_bytes(s, s->buf, j);
	for (i = 0; i < n; i++)
		send_random(s, seed);
	count_answers(s);
	print_counts(s);
	return 0;
}

static int
play_strays(struct sender *s, const char *count)
{
	const char *end;
	long long i, n = number(count, &end);

	s->len = 1470;
	for (i = 1; i <= n; i++) {
		s->flags = i % 2 ? FLAG_WIDE : 0;
		fill_header(s);
		send_id(s, -i);
	}
	/* Reports have an id of zero, and no time. */
	memset(s->buf, 0, REPORT_BYTES);
	udp_put_u32(s->buf + 16, FLAG_DUAL | FLAG_WIDE);
	for (i = 0; i < n; i++)
		send_bytes(s, s->buf, REPORT_BYTES);
	count_answers(s);
	print_counts(s);
	return 0;
}

/* The least that opens a flow and ends it, and what asks to be sent to. */
static int
play_lures(struct sender *s)
{
	static const uint32_t flags[][2] = {
	    {FLAG_EXTEND | FLAG_UDP_TESTS | FLAG_WIDE | FLAG_LENGTH |
		    FLAG_REVERSIBLE,
		UPPER_REVERSE},
	    {FLAG_EXTEND | FLAG_UDP_TESTS | FLAG_WIDE | FLAG_LENGTH |
		    FLAG_REVERSIBLE,
		UPPER_FULL_DUPLEX},
	    {FLAG_DUAL | FLAG_RUN_NOW, 0},
	    {FLAG_DUAL | FLAG_EXTEND | FLAG_WIDE | FLAG_LENGTH, 0},
	};
	static const size_t lengths[] = {20, 76, 128, 200, 1470};
	uint64_t sent, answered;
	int amplified = 0;
	size_t i, j;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (j = 0; j <= sizeof(flags) / sizeof(*flags); j++) {
			close(s->fd);
			s->fd = open_socket(&s->server);
			s->len = lengths[i];
			s->flags = j == 4 ? FLAG_WIDE : flags[j][0];
			fill_header(s);
			if (j < 4)
				udp_put_u32(s->buf + 48, flags[j][1] << 16);
			s->highest = 0;
			sent = s->sent_bytes;
			answered = s->answered_bytes;
			send_id(s, 1);
			send_id(s, -2);
			count_answers(s);
			amplified +=
			    s->answered_bytes - answered > s->sent_bytes - sent;
		}
	}
	printf("amplified %d\n", amplified);
	print_counts(s);
	return 0;
}

/*
 * Sends requests as one who sees no answer, then counts what came: what the
 * owner of a false address would get.
 */
static int
play_beg(struct sender *s, const char *count)
{
	const struct timespec gap = {.tv_nsec = 10000000};
	const char *end;
	long long i, n = number(count, &end);

	s->len = 80;
	s->flags = FLAG_EXTEND | FLAG_UDP_TESTS | FLAG_WIDE | FLAG_LENGTH |
		   FLAG_REVERSIBLE;
	fill_header(s);
	udp_put_u32(s->buf + 28, 80);
	udp_put_u32(s->buf + 48, UPPER_REVERSE << 16);
	udp_put_u32(s->buf + 64, 100000000); /* bits/s */
	for (i = 0; i < n; i++) {
		send_id(s, 1);
		nanosleep(&gap, NULL);
	}
	count_answers(s);
	printf("within %d\n", s->answered_bytes <= s->sent_bytes);
	print_counts(s);
	return 0;
}

static int
play_open(struct sender *s, const char *count)
{
	struct rlimit files = {FLOWS_MAX + 16, FLOWS_MAX + 16};
	const char *end;
	long long i, n = number(count, &end);

	(void)setrlimit(RLIMIT_NOFILE, &files);
	s->len = 100;
	for (i = 0; i < n; i++) {
		if (i > 0)
			s->fd = open_socket(&s->server);
		fill_header(s);
		send_id(s, 1);
	}
	print_counts(s);
	return 0;
}

/* Data and final again, as they were sent, with every copy late. */
static int
play_late(struct sender *s)
{
	uint8_t copy[2][100];

	s->len = sizeof(copy[0]);
	s->flags = FLAG_EXTEND | FLAG_UDP_TESTS | FLAG_WIDE | FLAG_LENGTH;
	fill_header(s);
	udp_put_u32(s->buf + 48, UPPER_NO_UDP_FIN << 16);
	send_id(s, 1);
	send_id(s, 2);
	memcpy(copy[0], s->buf, s->len);
	send_id(s, -3);
	memcpy(copy[1], s->buf, s->len);
	while (getchar() != EOF)
		continue;
	send_bytes(s, copy[0], s->len);
	send_bytes(s, copy[1], s->len);
	send_bytes(s, copy[0], s->len);
	print_counts(s);
	return 0;
}

static int
play_lines(struct sender *s)
{
	char line[4096], *hex;
	unsigned byte;
	size_t n;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		hex = strrchr(line, ' ');
		if (line[0] == '#' || hex == NULL)
			continue;
		for (n = 0; sscanf(hex + 1 + 2 * n, "%2x", &byte) == 1; n++)
			s->buf[n] = (uint8_t)byte;
		send_bytes(s, s->buf, n);
		/* The old one stays open, so that no port comes twice. */
		s->fd = open_socket(&s->server);
	}
	print_counts(s);
	return 0;
}

static int
play_hole(const struct sender *s)
{
	struct sockaddr_in self;
	socklen_t size = sizeof(self);

	if (getsockname(s->fd, (struct sockaddr *)&self, &size) == -1)
		err(1, "getsockname");
	printf("port %u\n", ntohs(self.sin_port));
	(void)fflush(stdout);
	for (;;)
		(void)pause();
}

static int
play(struct sender *s, int argc, char **argv)
{
	if (strcmp(argv[2], "flow") == 0)
		return play_flow(s, argv + 3);
	if (strcmp(argv[2], "garbage") == 0 && argc == 5)
		return play_garbage(s, argv[3], argv[4]);
	if (strcmp(argv[2], "strays") == 0 && argc == 4)
		return play_strays(s, argv[3]);
	if (strcmp(argv[2], "beg") == 0 && argc == 4)
		return play_beg(s, argv[3]);
	if (strcmp(argv[2], "lures") == 0)
		return play_lures(s);
	if (strcmp(argv[2], "open") == 0 && argc == 4)
		return play_open(s, argv[3]);
	if (strcmp(argv[2], "late") == 0)
		return play_late(s);
	if (strcmp(argv[2], "lines") == 0)
		return play_lines(s);
	if (strcmp(argv[2], "hole") == 0)
		return play_hole(s);
	usage();
}

int
main(int argc, char **argv)
{
	struct sender *s = calloc(1, sizeof(*s));
	const char *end;
	int rc;

	if (argc < 3 || s == NULL)
		usage();
	(void)alarm(LIFE_S);
	s->server.sin_family = AF_INET;
	s->server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->server.sin_port = htons((uint16_t)number(argv[1], &end));
	s->fd = open_socket(&s->server);
	rc = play(s, argc, argv);
	free(s);
	return rc;
}
