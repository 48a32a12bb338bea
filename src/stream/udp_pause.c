/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/datagrams.h"
#include "stream/udp_pause.h"
#include "wire/aside.h"

/*
 * DESIGN
 *
 * The receiver goes on asking while its queue is half full, so a pause need
 * not be exact: it ends when the queue has become shorter, and the sender is
 * at work again long before the queue is empty: half of 32 MB lasts 2 ms at 60
 * Gbit/s.
 */
#define PAUSE_NS (200 * NS_PER_US)

/* Whoever forges requests cannot stop a test. */
#define PAUSE_MOST_NS (10 * NS_PER_MS)

/* A call each batch would cost several percent. */
#define LOOK_NS (50 * NS_PER_US)

static void
add(struct udp_pause *p, const uint8_t *buf, size_t bytes, int64_t now_ns)
{
	uint64_t ns;

	if (aside_decode(buf, bytes, &ns) != ASIDE_PAUSE)
		return;
	if (ns > PAUSE_MOST_NS)
		ns = PAUSE_MOST_NS;
	if (now_ns + (int64_t)ns > p->until_ns)
		p->until_ns = now_ns + (int64_t)ns;
}

int
udp_pause_heed(struct udp_pause *p, int fd, int64_t now_ns)
{
	uint8_t buf[ASIDE_BYTES + 1];
	ssize_t n;

	if (now_ns - p->looked_ns < LOOK_NS)
		return 0;
	p->looked_ns = now_ns;
	while ((n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) >= 0)
		add(p, buf, (size_t)n, now_ns);
	if (errno != EAGAIN && errno != EINTR)
		return -1;
	return p->until_ns > now_ns;
}

void
udp_pause_ask(struct udp_pause_asker *a, int fd, const struct datagrams_in *in)
{
	uint8_t buf[ASIDE_BYTES];
	int64_t now_ns;

	if (!a->may_ask || !datagrams_in_fills(in))
		return;
	now_ns = clock_now_ns();
	if (now_ns < a->next_ns)
		return;
	a->next_ns = now_ns + PAUSE_NS;
	aside_encode(ASIDE_PAUSE, PAUSE_NS, buf, sizeof(buf));
	/* A lost one is followed by another. */
	(void)send(fd, buf, sizeof(buf), MSG_DONTWAIT);
}
