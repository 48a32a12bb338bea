/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "stream/late_answer.h"

ssize_t
late_answer_skip(struct late_answer *a, int fd, bool *is_over)
{
	int want = ack_size(a->buf, a->got);
	ssize_t n;

	*is_over = false;
	n = recv(fd, a->buf + a->got, (size_t)want - a->got, 0);
	if (n <= 0)
		return n;
	a->got += (size_t)n;
	want = ack_size(a->buf, a->got);
	if (!ack_may_begin(a->buf, a->got) || want < 0) {
		*is_over = true;
		return (ssize_t)a->got;
	}
	*is_over = a->got == (size_t)want;
	errno = EAGAIN;
	return -1;
}
