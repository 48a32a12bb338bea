/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <sys/socket.h>

#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

/*
 * Clients that ask their server to send, and then do not behave.
 */

#define HEADER_BYTES 112
#define PART_BYTES 16384

/* When "later" is, from now. */
#define LATER_S 600

/* When "late" is: by then half a second has passed. */
#define LATE_REFUSALS 10

/* What is asked for: flags, and the first word of those of the extension. */
static const struct {
	const char *name;
	uint32_t flags;
	unsigned uppers;
} requests[] = {
    {"plain", 0x40010000, 0},
    {"reverse", 0x44010000, 0x0400},
    {"full-duplex", 0x44010000, 0x0800},
    {"both", 0x44010000, 0x0c00},
    {"isochronous", 0x44010000, 0x0401},
    {"burst", 0x44010000, 0x2400},
    {"later", 0x44010000, 0x1400},
    {"trip-times", 0x44010000, 0x0410},
    {"dual", 0xc0010001, 0},
    {"tradeoff", 0xc0010000, 0},
    {"all", 0xc4010001, 0x0c00},
};

static void
make_request(const struct run *r, uint8_t *buf, unsigned port)
{
	size_t i, n = sizeof(requests) / sizeof(requests[0]);

	for (i = 0; i < n && strcmp(requests[i].name, r->args[0]) != 0; i++)
		continue;
	if (i == n)
		errx(2, "%s: unknown request", r->args[0]);
	memset(buf, 0, HEADER_BYTES);
	peer_put_u32(buf, requests[i].flags | HEADER_BYTES << 1);
	peer_put_u32(buf + 4, (uint32_t)peer_number(r->args[2], 0, UINT32_MAX));
	peer_put_u32(buf + 8, port);
	peer_put_u32(buf + 20,
	    (uint32_t)peer_number(r->args[3], INT32_MIN, INT32_MAX));
	peer_put_u16(buf + 32, requests[i].uppers);
	peer_put_u32(buf + 36, 0x00020001);
	peer_put_u32(buf + 40, 0x00080003);
	peer_put_u32(buf + 60, (uint32_t)time(NULL) + LATER_S);
}

/* A socket of a port that refuses until it listens. */
static int
take_port(unsigned *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd;

	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd == -1 || bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) == -1)
		err(1, "bind");
	*port = ntohs(a.sin_port);
	return fd;
}

/* How many times this host has refused or reset something. */
static uint64_t
count_resets(void)
{
	char names[1024], values[1024], *name, *value, *at_name, *at_value;
	FILE *f = fopen("/proc/net/snmp", "r");
	uint64_t n = 0;

	if (f == NULL)
		err(1, "/proc/net/snmp");
	while (fgets(names, sizeof(names), f) != NULL &&
	       fgets(values, sizeof(values), f) != NULL) {
		if (strncmp(names, "Tcp:", 4) != 0)
			continue;
		name = strtok_r(names, " \n", &at_name);
		value = strtok_r(values, " \n", &at_value);
		while (name != NULL && value != NULL) {
			if (strcmp(name, "OutRsts") == 0)
				n = strtoull(value, NULL, 10);
			name = strtok_r(NULL, " \n", &at_name);
			value = strtok_r(NULL, " \n", &at_value);
		}
	}
	fclose(f);
	return n;
}

static uint64_t
read_until(int fd, int64_t end_ms, bool *has_ended)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t buf[PART_BYTES];
	uint64_t bytes = 0;
	ssize_t n = 1;

	while (n > 0 && peer_now_ms() < end_ms) {
		if (poll(&p, 1, 10) != 1)
			continue;
		n = recv(fd, buf, sizeof(buf), 0);
		bytes += n > 0 ? (uint64_t)n : 0;
	}
	*has_ended = n <= 0;
	return bytes;
}

static uint64_t
send_until(int fd, int64_t end_ms, bool *has_ended)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	static const uint8_t buf[PART_BYTES];
	uint64_t bytes = 0;
	ssize_t n = 1;

	while (n > 0 && peer_now_ms() < end_ms) {
		if (poll(&p, 1, 10) != 1)
			continue;
		n = send(fd, buf, sizeof(buf), MSG_NOSIGNAL | MSG_DONTWAIT);
		bytes += n > 0 ? (uint64_t)n : 0;
		if (n == -1 && errno == EAGAIN)
			n = 1;
	}
	*has_ended = n <= 0;
	return bytes;
}

/*
 * Ends its stream, and listens when so many connections back have been refused
 * by a host that has refused no others. Reads the one that comes.
 */
static uint64_t
read_late(int fd, int port_fd, uint64_t refusals, int64_t end_ms,
    bool *has_ended)
{
	struct pollfd p = {.fd = port_fd, .events = POLLIN};
	int64_t left_ms;

	if (shutdown(fd, SHUT_WR) == -1)
		err(1, "shutdown");
	while (count_resets() < refusals && peer_now_ms() < end_ms)
		poll(NULL, 0, 5);
	if (listen(port_fd, 1) == -1)
		err(1, "listen");
	left_ms = end_ms - peer_now_ms();
	if (left_ms <= 0 || poll(&p, 1, (int)left_ms) != 1)
		return 0;
	fd = accept(port_fd, NULL, NULL);
	return fd == -1 ? 0 : read_until(fd, end_ms, has_ended);
}

void
peer_ask(const struct run *r)
{
	unsigned port = (unsigned)peer_number(r->args[1], -1, 65535);
	int64_t start_ms = peer_now_ms();
	int64_t end_ms =
	    start_ms + peer_number(r->args[5], 0, RUN_MAX_S * 1000);
	const char *then = r->args[4];
	bool is_late = strcmp(then, "late") == 0;
	uint64_t resets = is_late ? count_resets() : 0;
	uint8_t header[HEADER_BYTES];
	bool has_ended = false;
	uint64_t bytes = 0;
	int fd, port_fd = -1;

	if (port == UINT32_MAX)
		port_fd = take_port(&port);
	if (port_fd != -1 && !is_late && listen(port_fd, 100) == -1)
		err(1, "listen");
	make_request(r, header, port);
	fd = peer_connect(r);
	if (send(fd, header, sizeof(header), MSG_NOSIGNAL) == -1)
		err(1, "send");
	if (strcmp(then, "end") == 0 && shutdown(fd, SHUT_WR) == -1)
		err(1, "shutdown");
	if (strcmp(then, "read") == 0 || strcmp(then, "end") == 0)
		bytes = read_until(fd, end_ms, &has_ended);
	else if (is_late)
		bytes = read_late(fd, port_fd, resets + LATE_REFUSALS, end_ms,
		    &has_ended);
	else if (strcmp(then, "send") == 0)
		bytes = send_until(fd, end_ms, &has_ended);
	else if (strcmp(then, "mute") == 0)
		poll(NULL, 0, (int)(end_ms - start_ms));
	else if (strcmp(then, "reset") == 0)
		peer_reset(fd);
	else if (strcmp(then, "close") != 0)
		errx(2, "%s: then what?", then);
	printf("%llu bytes, %s\n", (unsigned long long)bytes,
	    has_ended ? "closed" : "open");
}
