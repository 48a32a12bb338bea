/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_UDP_INPUT_H
#define STREAM_UDP_INPUT_H

/*
 * What datagrams carry behind their 16 bytes when a file is sent (-F, -I). The
 * datagram that is made up next stays loaded until it has left, as a send may
 * fail for want of room. For the thread of one stream.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct udp_input {
	int fd;	       /* the owner's; -1: no file, but the pattern */
	size_t loaded; /* bytes of the next datagram */
	bool has_ended;
	int error; /* errno of a failed read, which ends it; 0: none */
};

/*
 * Reads on into the next datagram's `size` bytes, without waiting. Returns 1
 * when it is full or the file has ended, 0 when more is to come, or -1 with
 * errno.
 */
int udp_input_load(struct udp_input *, uint8_t *buf, size_t size);

/* Waits until there is something to read, for 20 ms at most. */
void udp_input_await(const struct udp_input *);

#endif
