/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "pace/backlog.h"

/* Long enough for an average, short enough to follow a path. */
#define WINDOW_NS (BACKLOG_NS / 2)

/* A fast path proves itself by emptying the backlog so many times at once. */
#define FAST_TURNS 4
#define FAST_GROWTH 8

static int64_t
clamp(int64_t bytes)
{
	if (bytes < BACKLOG_MIN_BYTES)
		return BACKLOG_MIN_BYTES;
	return bytes > BACKLOG_MAX_BYTES ? BACKLOG_MAX_BYTES : bytes;
}

static void
restart(struct backlog *b, int64_t now_ns)
{
	b->since_ns = now_ns;
	b->bytes = 0;
}

void
backlog_init(struct backlog *b, int64_t now_ns)
{
	b->limit_bytes = BACKLOG_START_BYTES;
	restart(b, now_ns);
}

int64_t
backlog_note(struct backlog *b, size_t bytes, int64_t now_ns)
{
	int64_t elapsed_ns = now_ns - b->since_ns, want;

	b->bytes += (int64_t)bytes;
	if (b->bytes >= FAST_TURNS * b->limit_bytes && elapsed_ns < WINDOW_NS)
		want = clamp(FAST_GROWTH * b->limit_bytes);
	else if (elapsed_ns >= WINDOW_NS)
		want = clamp((int64_t)((double)b->bytes / (double)elapsed_ns *
				       BACKLOG_NS));
	else
		return 0;
	restart(b, now_ns);
	/* Within a factor of two a change is not worth a system call. */
	if (want < 2 * b->limit_bytes && want > b->limit_bytes / 2)
		return 0;
	if (want == b->limit_bytes)
		return 0;
	b->limit_bytes = want;
	return want;
}
