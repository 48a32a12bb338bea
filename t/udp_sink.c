/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * udp_sink FILE FIRST: keeps what datagrams carry, for tests. Binds to a port
 * of 127.0.0.1, prints it, and stores the bytes behind the first 16 of every
 * datagram from id FIRST on. Ends with the final datagram, and prints how many
 * datagrams and bytes came; fails when an id is missing.
 */

#include "config.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SINK_LIFE_SECONDS = 30,
	SINK_HEADER_BYTES = 16,
	SINK_BUFFER_BYTES = 4194304,
};

static int
sink_bind(void)
{
	struct sockaddr_in self = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(self);
	int fd, room = SINK_BUFFER_BYTES;

	if ((fd = socket(AF_INET, SOCK_DGRAM, 0)) == -1)
		err(1, "socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, (struct sockaddr *)&self, sizeof(self)) == -1 ||
	    getsockname(fd, (struct sockaddr *)&self, &size) == -1)
		err(1, "bind");
	printf("%u\n", ntohs(self.sin_port));
	if (fflush(stdout) == EOF)
		err(1, "stdout");
	return fd;
}

/* The id of a datagram that has one. */
static int32_t
id_of(const char *datagram, ssize_t n)
{
	uint32_t id;

	if (n < SINK_HEADER_BYTES)
		errx(1, "a datagram of %zd bytes", n);
	memcpy(&id, datagram, sizeof(id));
	return (int32_t)ntohl(id);
}

int
main(int argc, char **argv)
{
	static char buf[UINT16_MAX];
	int32_t id = 1, first, last = 0;
	long long bytes = 0;
	size_t size;
	ssize_t n;
	FILE *store;
	int fd;

	if (argc != 3)
		errx(1, "usage: udp_sink FILE FIRST");
	(void)alarm(SINK_LIFE_SECONDS);
	first = (int32_t)atoi(argv[2]);
	if ((store = fopen(argv[1], "w")) == NULL)
		err(1, "%s", argv[1]);
	fd = sink_bind();
	while (id > 0) {
		if ((n = recv(fd, buf, sizeof(buf), 0)) == -1)
			err(1, "recv");
		id = id_of(buf, n);
		if (abs(id) != ++last)
			errx(1, "id %d instead of %d", (int)id, (int)last);
		bytes += n;
		size = (size_t)n - SINK_HEADER_BYTES;
		if (last >= first &&
		    fwrite(buf + SINK_HEADER_BYTES, 1, size, store) != size)
			err(1, "%s", argv[1]);
	}
	if (fclose(store) == EOF)
		err(1, "%s", argv[1]);
	(void)close(fd);
	printf("%d datagrams %lld bytes\n", (int)last, bytes);
	return 0;
}
