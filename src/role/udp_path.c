/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "role/server_impl.h"
#include "role/udp_path.h"
#include "role/udp_peer.h"
#include "wire/client_header.h"
#include "wire/datagram.h"
#include "wire/path_check.h"

/*
 * DESIGN
 *
 * Whoever writes a false address into a datagram sees nothing of what we send
 * there. So a client that repeats a random token of ours is real. Clients of
 * ours do that at once.
 *
 * Those of iperf 2 send one thing only that depends on ours: with -R they
 * repeat their request every 0 to 20 ms until the first datagram comes. Who
 * cannot see that does not know when to stop. So we let a random number of
 * requests pass, begin to send, and look whether they stop: nothing for
 * QUIET_NS, and nothing at all later than IN_FLIGHT_NS. The test has begun
 * meanwhile, within the bounds of an address that is not proven, so the
 * client's clock runs, and what was held back is sent right after. Who goes
 * on asking gets some more tries, as the datagram may have been lost, but
 * none of the bytes between. A guess is right once in REQUESTS_SPAN times or
 * so, and then a closed port ends the test at once; --no-reverse is for those
 * who cannot bear that.
 *
 * In tests of both directions the client sends as much as it gets, so the
 * bounds of an unproven address do not matter, unless its way to us is much
 * the slower one.
 */

/* What an unproven address gets for each byte that came from it. */
#define FACTOR 3

/* The counter of received bytes has 32 bits. */
#define UNIT_BYTES 16

#define OURS_UPPER UINT32_C(0x00020032) /* 2.50 */

#define CHALLENGE_GAP_NS (50 * NS_PER_MS)

#define REQUESTS_LEAST 3
#define REQUESTS_SPAN 32

#define QUIET_NS (60 * NS_PER_MS)
#define IN_FLIGHT_NS (100 * NS_PER_MS)
#define ROUNDS_MAX 3

/* No client pauses for so long between two requests. */
#define GONE_NS (2 * NS_PER_S)

/* Requests that were under way when the test had begun. */
#define DRAIN_NS (300 * NS_PER_MS)

#define LOOK_MS 20

static unsigned
random_requests(void)
{
	uint8_t byte = 0;

	if (getentropy(&byte, sizeof(byte)) == -1)
		return REQUESTS_LEAST + REQUESTS_SPAN;
	return REQUESTS_LEAST + byte % REQUESTS_SPAN;
}

static uint64_t
credit(const struct udp_path *p)
{
	uint64_t bytes = p->request_bytes;

	bytes +=
	    (uint64_t)atomic_load_explicit(&p->received, memory_order_relaxed) *
	    UNIT_BYTES;
	return bytes * FACTOR;
}

static bool
may_spend(const struct udp_path *p, uint64_t sent_bytes, uint64_t more)
{
	return sent_bytes + p->spent_bytes + more <= credit(p);
}

static void
challenge(struct udp_path *p, uint64_t sent_bytes)
{
	uint8_t buf[PATH_CHECK_BYTES];
	int64_t now_ns = clock_now_ns();

	if (!p->answers || now_ns < p->challenge_ns ||
	    !may_spend(p, sent_bytes, sizeof(buf)))
		return;
	p->challenge_ns = now_ns + CHALLENGE_GAP_NS;
	p->spent_bytes += sizeof(buf);
	path_check_encode(PATH_CHECK_CHALLENGE, p->token, buf, sizeof(buf));
	/* A lost one is sent again. */
	(void)send(p->fd, buf, sizeof(buf), MSG_DONTWAIT);
}

static void
begin_round(struct udp_path *p)
{
	p->stage = UDP_PATH_WAIT;
	p->awaited = random_requests();
}

void
udp_path_request(struct udp_path *p, const uint8_t *buf, size_t stored,
    size_t bytes)
{
	struct datagram d;
	uint64_t token;

	if (path_check_decode(buf, stored, &token) == PATH_CHECK_PROOF) {
		udp_path_prove(p, token);
		return;
	}
	p->heard_ns = clock_now_ns();
	p->request_bytes += bytes;
	if (datagram_decode(&d, buf, stored, false) == WIRE_OK)
		p->sent_stamp_ns = stamp_to_ns(d.sent);
	if (p->stage == UDP_PATH_PROBE) {
		if (p->heard_ns - p->probe_ns <= IN_FLIGHT_NS)
			return;
		p->rounds++;
		begin_round(p);
	}
	if (p->awaited > 0)
		p->awaited--;
	if (p->awaited == 0 && !p->answers) {
		p->stage = UDP_PATH_PROBE;
		p->probe_ns = p->heard_ns;
	}
}

void
udp_path_refused(struct udp_path *p)
{
	/* An iperf 2 that awaits several flows refuses between two of them. */
	if (p->peer == NULL && !atomic_load(&p->is_proven))
		return;
	atomic_store(&p->was_refused, true);
	atomic_store(&p->cancelled, true);
}

/* Takes what has come from a client whose datagrams nobody else reads. */
static void
read_all(struct udp_path *p)
{
	struct udp_handed *h;
	uint64_t dropped, token;
	uint8_t buf[128];
	ssize_t n;

	while (p->peer != NULL && atomic_load(&p->peer->queued) > 0) {
		udp_peers_take(&p->server->peers, p->peer, clock_now_ns(), &h,
		    &dropped);
		if (h == NULL)
			break;
		udp_path_request(p, h->in.data, h->in.stored, h->in.bytes);
		free(h);
	}
	while ((n = recv(p->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_TRUNC)) >=
	       0) {
		size_t bytes = (size_t)n, stored = bytes;

		if (stored > sizeof(buf))
			stored = sizeof(buf);
		if (p->peer != NULL)
			udp_path_request(p, buf, stored, bytes);
		else if (path_check_decode(buf, stored, &token) ==
			 PATH_CHECK_PROOF)
			udp_path_prove(p, token);
	}
	if (errno == ECONNREFUSED)
		udp_path_refused(p);
}

/* Whether silence has proven the path by now. */
static void
judge_silence(struct udp_path *p)
{
	int64_t since_ns =
	    p->heard_ns > p->probe_ns ? p->heard_ns : p->probe_ns;

	if (p->peer != NULL && p->stage == UDP_PATH_PROBE && !p->answers &&
	    clock_now_ns() - since_ns > QUIET_NS)
		atomic_store(&p->is_proven, true);
}

static int
allows(void *arg, uint64_t sent_bytes, unsigned n, size_t bytes)
{
	struct udp_path *p = arg;

	if (atomic_load_explicit(&p->cancelled, memory_order_relaxed))
		return -1;
	if (atomic_load_explicit(&p->is_proven, memory_order_relaxed))
		return (int)n;
	if (p->reads_fd)
		read_all(p);
	judge_silence(p);
	if (p->rounds > ROUNDS_MAX)
		return -1;
	challenge(p, sent_bytes);
	if (p->peer != NULL && p->stage != UDP_PATH_PROBE)
		return 0;
	while (n > 0 && !may_spend(p, sent_bytes, (uint64_t)n * bytes))
		n--;
	return (int)n;
}

/* Why the sender may not end its stream as usual. */
static const char *
why(void *arg)
{
	const struct udp_path *p = arg;

	if (atomic_load(&p->was_refused))
		return "nobody is at the client's port any more";
	if (atomic_load(&p->cancelled))
		return NULL;
	if (p->rounds > ROUNDS_MAX)
		return "the client goes on asking, so it sees nothing of it";
	return "it is not proven that the client is there, and it sent too "
	       "little";
}

int
udp_path_init(struct udp_path *p, const struct client_header *h)
{
	p->answers = h->version.upper >= OURS_UPPER;
	p->gate = (struct udp_gate){.allows = allows, .why = why, .arg = p};
	p->heard_ns = clock_now_ns();
	begin_round(p);
	return getentropy(&p->token, sizeof(p->token));
}

void
udp_path_credit(struct udp_path *p, uint64_t bytes)
{
	uint64_t units = bytes / UNIT_BYTES;

	atomic_store_explicit(&p->received,
	    units < UINT32_MAX ? (unsigned)units : UINT32_MAX,
	    memory_order_relaxed);
}

bool
udp_path_prove(struct udp_path *p, uint64_t token)
{
	if (!p->answers || token != p->token)
		return false;
	atomic_store(&p->is_proven, true);
	return true;
}

static void
await_input(const struct udp_path *p)
{
	struct pollfd fd = {.fd = p->fd, .events = POLLIN};

	poll(&fd, 1, LOOK_MS);
}

enum udp_path_outcome
udp_path_await(struct udp_path *p)
{
	for (;;) {
		read_all(p);
		if (atomic_load(&p->server->stop))
			return UDP_PATH_STOPPED;
		if (atomic_load(&p->cancelled))
			return UDP_PATH_GONE;
		if (atomic_load(&p->is_proven) || p->stage == UDP_PATH_PROBE)
			return UDP_PATH_READY;
		if (clock_now_ns() - p->heard_ns > GONE_NS)
			return UDP_PATH_GONE;
		challenge(p, 0);
		await_input(p);
	}
}

/* When it is quiet enough; who asks on in vain shall not begin anew. */
static int64_t
drain_until_ns(const struct udp_path *p, int64_t began_ns)
{
	return p->rounds > ROUNDS_MAX ? p->heard_ns + GONE_NS
				      : began_ns + DRAIN_NS;
}

void
udp_path_drain(struct udp_path *p)
{
	int64_t began_ns = clock_now_ns();

	while (clock_now_ns() < drain_until_ns(p, began_ns) &&
	       !atomic_load(&p->server->stop)) {
		read_all(p);
		await_input(p);
	}
}
