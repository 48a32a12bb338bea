/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/address.h"
#include "role/penalty.h"
#include "role/server_impl.h"
#include "role/udp_path.h"
#include "role/udp_peer.h"
#include "wire/aside.h"
#include "wire/client_header.h"
#include "wire/datagram.h"

/*
 * DESIGN
 *
 * Whoever writes a false address into a datagram sees nothing of what we send
 * there. So a client that repeats a random token of ours is real. Clients of
 * ours do that at once.
 *
 * Those of iperf 2 send one thing only that depends on ours: with -R they
 * repeat their request every 0 to 20 ms until the first datagram comes, a
 * hundred times or so. Who cannot see that does not know when to stop. So we
 * begin to send when a request comes after a random time within PROBE_SPAN_NS,
 * and look whether they stop: no request later than IN_FLIGHT_NS after the
 * first datagram, and then none for PAUSE_NS, which is longer than any pause
 * of theirs. The test has begun meanwhile, within the bounds of an address that
 * is not proven, so the client's clock runs, and what was held back is sent
 * right after. A pause of PAUSE_NS before is a failure, else a forger could
 * pause again and again; so is to go on asking. There is one try only, as a
 * second would have to fit into the same second of the client.
 *
 * We look often, but not when others have the processor. So a pause counts from
 * the latest request to the last look that found nothing.
 *
 * Who stops at a time of his choice, his last request being at s, passes if the
 * first request after the random time is one of those between s - IN_FLIGHT_NS
 * and s. The request before these came up to PAUSE_NS earlier, if he pauses as
 * long as he may. So his odds are (IN_FLIGHT_NS + PAUSE_NS) to PROBE_SPAN_NS, 1
 * in 5, and 1 in 7.3 with requests every 10 ms, as iperf 2 sends them. What
 * failures cost is up to role/penalty. A closed port ends the test at once,
 * which is no failure: so ends each client that is interrupted. --no-reverse is
 * for those who cannot bear that.
 *
 * In tests of both directions the client sends as much as it gets, so the
 * bounds of an unproven address do not matter, unless its way to us is much
 * the slower one, or loses much. Such a sender begins a little later than the
 * client, so that each of its datagrams is paid for when it is due. When all of
 * the client's have come, what they have not paid for is not sent.
 *
 * Clients of ours are asked for the proof with the first bytes that they send:
 * neither data nor a report may use those, however little else there is.
 */

/* The counter of received bytes has 32 bits. */
#define UNIT_BYTES 16

#define CHALLENGE_GAP_NS (50 * NS_PER_MS)

/* What is for challenges only: one that gets lost does not end the test. */
#define CHALLENGES_BYTES (2 * ASIDE_BYTES)

/* How long a client of ours that has ended may take for its proof. */
#define PROOF_NS NS_PER_S

#define PAUSE_NS (60 * NS_PER_MS)

/* When to begin: not with a few requests, and the client asks for a second. */
#define PROBE_LEAST_NS (60 * NS_PER_MS)
#define PROBE_SPAN_NS (800 * NS_PER_MS)

/* The longest round trip, and what a busy machine adds. */
#define IN_FLIGHT_NS (100 * NS_PER_MS)

/* A first datagram that could not leave for so long proves nothing. */
#define DUE_NS (500 * NS_PER_MS)

/* For datagrams of the client that are late, and for the next one. */
#define LEAD_NS (5 * NS_PER_MS)
#define LEAD_GAPS 2
#define LEAD_MAX_NS (100 * NS_PER_MS)

/* No client pauses for so long between two requests. */
#define GONE_NS (2 * NS_PER_S)

/* Requests that were under way when the test had begun. */
#define DRAIN_NS (300 * NS_PER_MS)

#define LOOK_MS 10

/* How many of so many bytes are for challenges. */
static uint64_t
for_challenges(const struct udp_path *p, uint64_t bytes)
{
	if (!p->answers)
		return 0;
	return bytes < CHALLENGES_BYTES ? bytes : CHALLENGES_BYTES;
}

/* And how many for the report. */
static uint64_t
for_report(const struct udp_path *p, uint64_t bytes)
{
	uint64_t left = bytes - for_challenges(p, bytes);

	return left < p->report_bytes ? left : p->report_bytes;
}

uint64_t
udp_path_report_credit(const struct udp_path *p, uint64_t bytes)
{
	return udp_path_is_proven(p) ? bytes : for_report(p, bytes);
}

/* What may be sent as data and challenges. */
static uint64_t
credit(const struct udp_path *p)
{
	uint64_t bytes = p->request_bytes;

	bytes +=
	    (uint64_t)atomic_load_explicit(&p->received, memory_order_relaxed) *
	    UNIT_BYTES;
	return bytes - for_report(p, bytes);
}

/* Whether so many bytes of data may be sent, besides sent_bytes. */
static bool
may_spend(const struct udp_path *p, uint64_t sent_bytes, uint64_t more)
{
	uint64_t spent_bytes = p->spent_bytes;

	if (p->answers && spent_bytes < CHALLENGES_BYTES)
		spent_bytes = CHALLENGES_BYTES;
	return sent_bytes + spent_bytes + more <= credit(p);
}

static void
challenge(struct udp_path *p, uint64_t sent_bytes)
{
	uint8_t buf[ASIDE_BYTES];
	int64_t now_ns = clock_now_ns();

	if (!p->answers || now_ns < p->challenge_ns ||
	    sent_bytes + p->spent_bytes + sizeof(buf) > credit(p))
		return;
	p->challenge_ns = now_ns + CHALLENGE_GAP_NS;
	p->spent_bytes += sizeof(buf);
	aside_encode(ASIDE_CHALLENGE, p->token, buf, sizeof(buf));
	/* A lost one is sent again. */
	(void)send(p->fd, buf, sizeof(buf), MSG_DONTWAIT);
}

/* Nothing proves the path any more. */
static void
fail(struct udp_path *p)
{
	if (p->stage == UDP_PATH_FAILED)
		return;
	p->stage = UDP_PATH_FAILED;
	penalties_add(&p->server->penalties, &p->peer->address, clock_now_ns());
}

/* How long no request has come, as far as we know. */
static int64_t
pause_ns(const struct udp_path *p)
{
	return p->looked_ns - p->heard_ns;
}

/* Nothing more may be sent than now, however long one waits. */
static bool
is_exhausted(struct udp_path *p)
{
	int64_t now_ns = clock_now_ns();

	if (!atomic_load(&p->is_complete))
		return false;
	if (p->complete_ns == 0)
		p->complete_ns = now_ns;
	return !p->answers || now_ns - p->complete_ns > PROOF_NS;
}

/* Where silence has come to: its proof, or its failure. */
static void
judge_silence(struct udp_path *p)
{
	if (p->peer == NULL || p->answers || udp_path_is_proven(p))
		return;
	if (penalties_bar(&p->server->penalties, &p->peer->address,
		clock_now_ns()))
		p->stage = UDP_PATH_FAILED;
	switch (p->stage) {
	case UDP_PATH_DUE:
		if (p->looked_ns - p->probe_ns > DUE_NS)
			fail(p);
		/* FALLTHROUGH */
	case UDP_PATH_WAIT:
		if (pause_ns(p) > PAUSE_NS)
			fail(p);
		break;
	case UDP_PATH_PROBE:
		if (p->looked_ns - p->probe_ns > PAUSE_NS &&
		    pause_ns(p) > PAUSE_NS)
			atomic_store(&p->is_proven, true);
		break;
	case UDP_PATH_FAILED:
		break;
	}
}

/* What a request says that has just come. */
static void
judge_request(struct udp_path *p)
{
	int64_t now_ns = clock_now_ns();

	if (p->answers || udp_path_is_proven(p)) {
		p->heard_ns = now_ns;
		return;
	}
	/* It came after the last look. */
	if (pause_ns(p) > PAUSE_NS)
		fail(p);
	if (p->stage == UDP_PATH_PROBE &&
	    p->looked_ns - p->probe_ns > IN_FLIGHT_NS)
		fail(p);
	p->heard_ns = now_ns;
	if (p->stage == UDP_PATH_WAIT && now_ns >= p->probe_ns &&
	    may_spend(p, 0, p->length)) {
		p->stage = UDP_PATH_DUE;
		p->probe_ns = now_ns;
	}
}

void
udp_path_answer(int fd, const struct sockaddr_storage *to, uint64_t token)
{
	uint8_t buf[ASIDE_BYTES];

	aside_encode(ASIDE_PROOF, token, buf, sizeof(buf));
	(void)sendto(fd, buf, sizeof(buf), MSG_DONTWAIT,
	    (const struct sockaddr *)to, to == NULL ? 0 : address_length(to));
}

void
udp_path_request(struct udp_path *p, const uint8_t *buf, size_t stored,
    size_t bytes)
{
	struct datagram d;
	uint64_t token;

	if (aside_decode(buf, stored, &token) == ASIDE_PROOF) {
		udp_path_prove(p, token);
		return;
	}
	p->request_bytes += bytes;
	if (datagram_decode(&d, buf, stored, false) == WIRE_OK)
		p->sent_stamp_ns = stamp_to_ns(d.sent);
	judge_request(p);
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
		else if (aside_decode(buf, stored, &token) == ASIDE_PROOF)
			udp_path_prove(p, token);
	}
	if (errno == ECONNREFUSED)
		udp_path_refused(p);
	p->looked_ns = clock_now_ns();
}

static int
allows(void *arg, uint64_t sent_bytes, unsigned n, size_t bytes)
{
	struct udp_path *p = arg;
	bool no_more;

	if (atomic_load_explicit(&p->cancelled, memory_order_relaxed))
		return -1;
	if (udp_path_is_proven(p))
		return (int)n;
	if (p->reads_fd || atomic_load(&p->is_complete))
		read_all(p);
	if (udp_path_is_proven(p))
		return (int)n;
	judge_silence(p);
	if (p->stage == UDP_PATH_FAILED)
		return -1;
	challenge(p, sent_bytes);
	/* What came before the last of it is counted. */
	no_more = is_exhausted(p);
	while (n > 0 && !may_spend(p, sent_bytes, (uint64_t)n * bytes))
		n--;
	if (n == 0 && no_more)
		return -1;
	if (n > 0 && p->stage == UDP_PATH_DUE) {
		p->stage = UDP_PATH_PROBE;
		p->probe_ns = clock_now_ns();
	}
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
	if (p->stage == UDP_PATH_FAILED)
		return "the client goes on asking, so it sees nothing of it";
	return "it is not proven that the client is there, and it sent too "
	       "little";
}

/* Full duplex: the worker reads the socket. */
static bool
is_open(void *arg)
{
	const struct udp_path *p = arg;

	return udp_path_is_proven(p);
}

int
udp_path_init(struct udp_path *p, const struct client_header *h)
{
	uint64_t random;

	p->answers = version_is_ours(h->version);
	p->gate = (struct udp_gate){.allows = allows,
	    .why = why,
	    .is_open = is_open,
	    .arg = p};
	p->heard_ns = clock_now_ns();
	p->looked_ns = p->heard_ns;
	p->stage = UDP_PATH_WAIT;
	if (p->server->options->trust_udp_sources)
		atomic_store(&p->is_proven, true);
	if (getentropy(&p->token, sizeof(p->token)) == -1 ||
	    getentropy(&random, sizeof(random)) == -1)
		return -1;
	p->probe_ns =
	    p->heard_ns + PROBE_LEAST_NS + (int64_t)(random % PROBE_SPAN_NS);
	return 0;
}

bool
udp_path_is_proven(const struct udp_path *p)
{
	return atomic_load_explicit(&p->is_proven, memory_order_relaxed);
}

int64_t
udp_path_lead_ns(const struct udp_path *p, double gap_ns)
{
	double lead_ns = LEAD_NS + LEAD_GAPS * gap_ns;

	if (p->answers || udp_path_is_proven(p))
		return 0;
	return lead_ns < LEAD_MAX_NS ? (int64_t)lead_ns : LEAD_MAX_NS;
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
		judge_silence(p);
		if (atomic_load(&p->server->stop))
			return UDP_PATH_STOPPED;
		if (atomic_load(&p->cancelled))
			return UDP_PATH_GONE;
		if (p->stage == UDP_PATH_FAILED)
			return UDP_PATH_UNPROVEN;
		if (udp_path_is_proven(p) || p->stage == UDP_PATH_DUE)
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
	return p->stage == UDP_PATH_FAILED ? p->heard_ns + GONE_NS
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
