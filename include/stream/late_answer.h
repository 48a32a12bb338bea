/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef STREAM_LATE_ANSWER_H
#define STREAM_LATE_ANSWER_H

/*
 * An answer to the test header that did not come in time: it, or the rest of
 * it, may still come before the payload, of which it is none. The receiving
 * thread only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/ack.h"

struct late_answer {
	uint8_t buf[ACK_MAX_BYTES];
	size_t got; /* bytes that came in time, or were read here */
};

/*
 * Reads some of it, once. Returns as recv(): -1 with EAGAIN also when all of
 * that was of the answer, and 0, too, when it will never be whole. More than 0:
 * so many bytes of payload were read, for there is no answer. *is_over: the
 * next byte is payload.
 */
ssize_t late_answer_skip(struct late_answer *, int fd, bool *is_over);

#endif
