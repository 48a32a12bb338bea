/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * sink FILE: a plain TCP sink for tests. Listens on 127.0.0.1, prints the
 * port, stores what its first client sends in FILE, and ends with the client.
 */

#include "config.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SINK_LIFE_SECONDS = 30,
	SINK_BLOCK_BYTES = 65536,
};

/* Listens on a port of the kernel's choice and prints it. */
static int
sink_listen(void)
{
	struct sockaddr_in self = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(self);
	int fd;

	if ((fd = socket(AF_INET, SOCK_STREAM, 0)) == -1)
		err(1, "socket");
	if (bind(fd, (struct sockaddr *)&self, sizeof(self)) == -1 ||
	    listen(fd, 1) == -1 ||
	    getsockname(fd, (struct sockaddr *)&self, &size) == -1)
		err(1, "listen");
	printf("%u\n", ntohs(self.sin_port));
	if (fflush(stdout) == EOF)
		err(1, "stdout");
	return fd;
}

int
main(int argc, char **argv)
{
	static char block[SINK_BLOCK_BYTES];
	ssize_t n;
	FILE *store;
	int client, listener;

	if (argc != 2)
		errx(1, "usage: sink FILE");
	(void)alarm(SINK_LIFE_SECONDS);
	if ((store = fopen(argv[1], "w")) == NULL)
		err(1, "%s", argv[1]);
	listener = sink_listen();
	if ((client = accept(listener, NULL, NULL)) == -1)
		err(1, "accept");
	while ((n = read(client, block, sizeof(block))) > 0)
		if (fwrite(block, 1, (size_t)n, store) != (size_t)n)
			err(1, "%s", argv[1]);
	if (n == -1)
		err(1, "read");
	(void)close(client);
	(void)close(listener);
	if (fclose(store) == EOF)
		err(1, "%s", argv[1]);
	return 0;
}
