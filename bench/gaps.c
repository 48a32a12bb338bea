/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Watches the UDP datagrams that reach an interface and prints how they are
 * spaced, by the kernel's time stamps. bench/udp compiles and runs it.
 *
 *	gaps DEVICE PORT LENGTH IDEAL_NS SKIP_S SPAN_S
 *
 * Looks at datagrams to PORT of at least LENGTH bytes, from SKIP_S seconds
 * after the first of them on, for SPAN_S seconds or until SIGTERM. Prints
 * "ready", and at the end one line of name=value pairs. A packet that holds
 * several datagrams (UDP_SEGMENT) counts as that many, with gaps of 0.
 */

#include <arpa/inet.h>
#include <err.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/* Ethernet, IPv4 without options, UDP. */
#define HEADER_BYTES 42

#define SNAP_BYTES 64
#define BLOCK_BYTES (1U << 20)
#define BLOCKS 64
#define BLOCK_TIMEOUT_MS 50
#define GAPS_MAX (16U << 20)

struct ring {
	int fd;
	uint8_t *memory;
};

struct watch {
	uint32_t length; /* of a datagram */
	int64_t ideal_ns;
	int64_t skip_ns;
	int64_t span_ns;

	int64_t begin_ns; /* of the span; 0 not yet known */
	int64_t first_ns; /* packets within the span */
	int64_t last_ns;
	uint64_t datagrams; /* after the first packet */
	uint64_t coalesced; /* in packets of several */
	uint32_t n_gaps;
	uint32_t *gap_ns;
};

static volatile sig_atomic_t interrupted;

static void
interrupt(int signo)
{
	(void)signo;
	interrupted = 1;
}

static void
set(int fd, int name, const void *value, socklen_t size)
{
	if (setsockopt(fd, SOL_PACKET, name, value, size) == -1)
		err(1, "setsockopt %d", name);
}

/* Only UDP over IPv4 to the port. */
static void
filter(int fd, uint16_t port)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 23),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 3),
	    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 36),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SNAP_BYTES),
	    BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {.len = 6, .filter = code};

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
		sizeof(program)) == -1)
		err(1, "filter");
}

static void
ring_open(struct ring *r, const char *device, uint16_t port)
{
	struct tpacket_req3 request = {
	    .tp_block_size = BLOCK_BYTES,
	    .tp_block_nr = BLOCKS,
	    .tp_frame_size = 2048,
	    .tp_frame_nr = BLOCK_BYTES / 2048 * BLOCKS,
	    .tp_retire_blk_tov = BLOCK_TIMEOUT_MS,
	};
	struct sockaddr_ll where = {
	    .sll_family = AF_PACKET,
	    .sll_protocol = htons(ETH_P_IP),
	    .sll_ifindex = (int)if_nametoindex(device),
	};
	int version = TPACKET_V3, on = 1;

	r->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (r->fd == -1)
		err(1, "socket");
	filter(r->fd, port);
	set(r->fd, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	set(r->fd, PACKET_VERSION, &version, sizeof(version));
	set(r->fd, PACKET_RX_RING, &request, sizeof(request));
	r->memory = mmap(NULL, (size_t)BLOCK_BYTES * BLOCKS,
	    PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->memory == MAP_FAILED)
		err(1, "mmap");
	if (bind(r->fd, (struct sockaddr *)&where, sizeof(where)) == -1)
		err(1, "%s", device);
}

static void
add_gap(struct watch *w, int64_t ns)
{
	if (w->n_gaps < GAPS_MAX)
		w->gap_ns[w->n_gaps++] =
		    ns < 0 ? 0 : (uint32_t)(ns < UINT32_MAX ? ns : UINT32_MAX);
}

/* Takes note of a packet. Returns false when the span is over. */
static bool
add_packet(struct watch *w, int64_t now_ns, uint32_t bytes)
{
	uint32_t i, n;

	if (bytes < HEADER_BYTES + w->length)
		return true;
	n = (bytes - HEADER_BYTES + w->length - 1) / w->length;
	if (w->begin_ns == 0)
		w->begin_ns = now_ns + w->skip_ns;
	if (now_ns < w->begin_ns)
		return true;
	if (now_ns > w->begin_ns + w->span_ns)
		return false;
	if (w->first_ns == 0) {
		w->first_ns = w->last_ns = now_ns;
		return true;
	}
	add_gap(w, now_ns - w->last_ns);
	for (i = 1; i < n; i++)
		add_gap(w, 0);
	w->last_ns = now_ns;
	w->datagrams += n;
	if (n > 1)
		w->coalesced += n;
	return true;
}

static bool
add_block(struct watch *w, const struct tpacket_block_desc *block)
{
	const uint8_t *p = (const uint8_t *)block;
	uint32_t i;

	p += block->hdr.bh1.offset_to_first_pkt;
	for (i = 0; i < block->hdr.bh1.num_pkts; i++) {
		const struct tpacket3_hdr *h = (const void *)p;

		if (!add_packet(w, h->tp_sec * NS_PER_S + h->tp_nsec,
			h->tp_len))
			return false;
		p += h->tp_next_offset;
	}
	return true;
}

static void
watch_ring(struct watch *w, const struct ring *r)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	unsigned next = 0;
	bool goes_on = true;

	while (goes_on && !interrupted) {
		struct tpacket_block_desc *block =
		    (void *)(r->memory + (size_t)next * BLOCK_BYTES);
		uint32_t *status = &block->hdr.bh1.block_status;

		if (!(__atomic_load_n(status, __ATOMIC_ACQUIRE) &
			TP_STATUS_USER)) {
			poll(&p, 1, 100);
			continue;
		}
		goes_on = add_block(w, block);
		__atomic_store_n(status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		next = (next + 1) % BLOCKS;
	}
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t
quantile(const struct watch *w, double share)
{
	uint32_t i = (uint32_t)(share * w->n_gaps);

	return w->gap_ns[i < w->n_gaps ? i : w->n_gaps - 1];
}

static uint32_t
count_close(const struct watch *w)
{
	uint32_t i;

	for (i = 0; i < w->n_gaps && 2 * (int64_t)w->gap_ns[i] < w->ideal_ns;)
		i++;
	return i;
}

static void
print(struct watch *w, const struct ring *r)
{
	struct tpacket_stats_v3 stats = {0};
	socklen_t size = sizeof(stats);

	getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size);
	if (w->n_gaps == 0)
		errx(1, "nothing seen");
	qsort(w->gap_ns, w->n_gaps, sizeof(w->gap_ns[0]), compare);
	printf("datagrams=%" PRIu64 " span_ns=%" PRId64 " p50_ns=%" PRIu32
	       " p99_ns=%" PRIu32 " max_ns=%" PRIu32 " gaps=%" PRIu32
	       " close=%" PRIu32 " coalesced=%" PRIu64 " missed=%u\n",
	    w->datagrams, w->last_ns - w->first_ns, quantile(w, 0.5),
	    quantile(w, 0.99), w->gap_ns[w->n_gaps - 1], w->n_gaps,
	    count_close(w), w->coalesced, stats.tp_drops);
}

int
main(int argc, char **argv)
{
	struct watch w = {0};
	struct ring r;

	if (argc != 7)
		errx(1,
		    "usage: gaps DEVICE PORT LENGTH IDEAL_NS SKIP_S SPAN_S");
	w.length = (uint32_t)strtoul(argv[3], NULL, 10);
	w.ideal_ns = strtoll(argv[4], NULL, 10);
	w.skip_ns = (int64_t)(strtod(argv[5], NULL) * NS_PER_S);
	w.span_ns = (int64_t)(strtod(argv[6], NULL) * NS_PER_S);
	w.gap_ns = malloc(GAPS_MAX * sizeof(w.gap_ns[0]));
	if (w.gap_ns == NULL || w.length == 0)
		errx(1, "bad length or no memory");
	signal(SIGTERM, interrupt);
	signal(SIGINT, interrupt);
	ring_open(&r, argv[1], (uint16_t)strtoul(argv[2], NULL, 10));
	puts("ready");
	fflush(stdout);
	watch_ring(&w, &r);
	print(&w, &r);
	return 0;
}
