/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/datagrams.h"

/*
 * DESIGN
 *
 * Memory is mapped for the largest datagrams in the largest batch, and the
 * kernel backs only the pages that are written. What a receiver writes is
 * bounded by taking fewer messages at a time when they are large: aggregates
 * of 64 KB come four at a time, which is 200 datagrams of Ethernet size and
 * stays in the second-level cache. So a flow costs some 300 KB, not the 4 MB
 * it could use.
 *
 * Drops are read from the socket (SO_MEMINFO) and not from SO_RXQ_OVFL: that
 * comes with the next datagram only, so that drops at the end of a flow,
 * when they are likely, would go unseen. Either way the kernel counts what it
 * queues, and with UDP_GRO that are aggregates: the count of datagrams is then
 * an estimate from the size of recent aggregates. To be exact where drops
 * are to be expected, small receive buffers go without UDP_GRO.
 */

/* The longest datagram or aggregate fits. */
#define SLOT_BYTES 65536

/* Messages in one receive call. */
#define SLOTS_MIN 4
#define SLOTS_GRO 16
#define SLOTS_MAX DATAGRAMS_BATCH

/* What one batch should touch at most. */
#define BATCH_BYTES (SLOTS_MIN * SLOT_BYTES)

/* A receive buffer for UDP_GRO, as the kernel reports it. */
#define GRO_BUFFER_MIN (1024 * 1024)

/* How long a receiver naps, and how many messages a nap must be worth. */
#define NAP_NS (50 * NS_PER_US)
#define NAP_MESSAGES 4

/* Datagrams handed out after one receive; the rest waits for the next. */
#define SPLIT_MAX 1024

/* The payload of the largest IPv4 datagram limits a segmented send. */
#define SEGMENTS_BYTES 65507

/* Headers in front of the payload. */
#define HEADERS_V4 28
#define HEADERS_V6 48

#define CONTROL_BYTES                                                         \
	(CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(int)) +      \
	    CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in_pktinfo)) + \
	    CMSG_SPACE(sizeof(struct in6_pktinfo)))

struct datagrams_out {
	int fd;
	enum datagrams_method method;
	unsigned max;
	size_t size;
	size_t mapped;
	uint8_t *buffers; /* contiguous, as segments must be */
	struct mmsghdr msg[DATAGRAMS_BATCH];
	struct iovec iov[DATAGRAMS_BATCH];
};

/* Where the parts of one message go. */
struct slot {
	struct iovec iov;
	struct sockaddr_storage from;
	struct sockaddr_storage to;
	_Alignas(struct cmsghdr) uint8_t control[CONTROL_BYTES];
};

/* What the control messages of a message say. */
struct notes {
	int64_t wall_ns;
	size_t segment; /* bytes of each datagram but the last */
	int tos;	/* -1 unknown */
	bool has_to;
};

struct datagrams_in {
	int fd;
	unsigned slots;	    /* for the next call */
	unsigned slots_max; /* fixed */
	bool may_nap;	    /* fixed: the buffer is large */
	uint32_t drops;	    /* the socket's counter when last read */
	bool fills;	    /* and whether its queue was filling then */
	size_t per_message; /* datagrams in a recent, large message */

	/* The last batch; what is still to be split begins at `next`. */
	unsigned messages;
	unsigned next;
	size_t offset; /* into message `next` */
	int64_t batch_wall_ns;
	int64_t batch_ns; /* the same, monotonic */
	int64_t since_ns; /* the batch before */
	struct mmsghdr msg[SLOTS_MAX];
	struct slot slot[SLOTS_MAX];
	struct datagram_in datagram[SPLIT_MAX];
	uint8_t *buffers;
};

static int
get_int(int fd, int level, int name)
{
	int v;
	socklen_t len = sizeof(v);

	return getsockopt(fd, level, name, &v, &len) == -1 ? -1 : v;
}

static int
set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* Zeroed memory that costs nothing until used; ENOMEM ends the process. */
static uint8_t *
map_lazily(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		log_warn("out of memory");
		abort();
	}
	/* Huge pages would back all of it at the first touch. */
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

/* The longest datagram that travels in one piece; 0 when unknown. */
static size_t
path_payload(int fd)
{
	int mtu = get_int(fd, IPPROTO_IP, IP_MTU);
	int headers = HEADERS_V4;

	if (mtu == -1) {
		mtu = get_int(fd, IPPROTO_IPV6, IPV6_MTU);
		headers = HEADERS_V6;
	}
	return mtu > headers ? (size_t)(mtu - headers) : 0;
}

static unsigned
batch_limit(size_t bytes, size_t size)
{
	size_t n = bytes / size;

	if (n < 1)
		return 1;
	return n > DATAGRAMS_BATCH ? DATAGRAMS_BATCH : (unsigned)n;
}

struct datagrams_out *
datagrams_out_new(int fd, size_t size)
{
	struct datagrams_out *out = xcalloc(1, sizeof(*out));
	unsigned i;

	out->fd = fd;
	out->size = size;
	out->mapped = DATAGRAMS_BATCH * size;
	out->buffers = map_lazily(out->mapped);
	for (i = 0; i < DATAGRAMS_BATCH; i++) {
		out->iov[i].iov_base = datagrams_out_buffer(out, i);
		out->iov[i].iov_len = size;
		out->msg[i].msg_hdr.msg_iov = &out->iov[i];
		out->msg[i].msg_hdr.msg_iovlen = 1;
	}
	out->method = DATAGRAMS_MANY;
	out->max = batch_limit(BATCH_BYTES, size);
	if (size <= path_payload(fd) &&
	    get_int(fd, IPPROTO_UDP, UDP_SEGMENT) != -1) {
		out->method = DATAGRAMS_SEGMENTS;
		out->max = batch_limit(SEGMENTS_BYTES, size);
	}
	return out;
}

void
datagrams_out_free(struct datagrams_out *out)
{
	if (out == NULL)
		return;
	munmap(out->buffers, out->mapped);
	free(out);
}

uint8_t *
datagrams_out_buffer(struct datagrams_out *out, unsigned i)
{
	return out->buffers + i * out->size;
}

unsigned
datagrams_out_max(const struct datagrams_out *out)
{
	return out->max;
}

enum datagrams_method
datagrams_out_method(const struct datagrams_out *out)
{
	return out->method;
}

void
datagrams_out_limit(struct datagrams_out *out, enum datagrams_method best)
{
	if (out->method < best)
		out->method = best;
	if (out->method == DATAGRAMS_SINGLE)
		out->max = 1;
}

/* All or nothing: the kernel queues every segment or refuses the call. */
static int
send_segments(struct datagrams_out *out, unsigned n, size_t last_size)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(uint16_t))];
	struct iovec iov = {.iov_base = out->buffers};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	uint16_t segment = (uint16_t)out->size;
	struct cmsghdr *c;

	memset(control, 0, sizeof(control));
	iov.iov_len = (n - 1) * out->size + last_size;
	msg.msg_control = control;
	msg.msg_controllen = sizeof(control);
	c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(c), &segment, sizeof(segment));
	return sendmsg(out->fd, &msg, MSG_DONTWAIT) == -1 ? -1 : (int)n;
}

static int
send_many(struct datagrams_out *out, unsigned n, size_t last_size)
{
	int sent;

	out->iov[n - 1].iov_len = last_size;
	sent = sendmmsg(out->fd, out->msg, n, MSG_DONTWAIT);
	out->iov[n - 1].iov_len = out->size;
	return sent;
}

static int
send_single(struct datagrams_out *out, unsigned n, size_t last_size)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		size_t size = i == n - 1 ? last_size : out->size;

		if (send(out->fd, datagrams_out_buffer(out, i), size,
			MSG_DONTWAIT) == -1)
			return i > 0 ? (int)i : -1;
	}
	return (int)n;
}

/* Whether an error of a segmented send is about segments. */
static bool
refuses_segments(int error)
{
	return error == EINVAL || error == EIO || error == EMSGSIZE ||
	       error == EOPNOTSUPP || error == ENOPROTOOPT || error == ENOSYS;
}

int
datagrams_out_send(struct datagrams_out *out, unsigned n, size_t last_size)
{
	int sent;

	if (n == 1)
		return send_single(out, n, last_size);
	/* A caller may have asked for the limit before a fallback. */
	if (out->method == DATAGRAMS_SEGMENTS &&
	    (n - 1) * out->size + last_size <= SEGMENTS_BYTES) {
		sent = send_segments(out, n, last_size);
		if (sent != -1 || !refuses_segments(errno))
			return sent;
		out->method = DATAGRAMS_MANY;
	}
	if (out->method != DATAGRAMS_SINGLE) {
		sent = send_many(out, n, last_size);
		if (sent != -1 || errno != ENOSYS)
			return sent;
		datagrams_out_limit(out, DATAGRAMS_SINGLE);
	}
	return send_single(out, n, last_size);
}

/*
 * Reads the socket's own count of what it dropped, 32 bits that wrap, and how
 * full its queue is. Of what was read a quarter of the room may still count as
 * taken, so less than half says nothing.
 */
static void
look_at_queue(struct datagrams_in *in)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(in->fd, SOL_SOCKET, SO_MEMINFO, info, &len) == -1)
		memset(info, 0, sizeof(info));
	in->drops = info[SK_MEMINFO_DROPS];
	in->fills = info[SK_MEMINFO_RMEM_ALLOC] > info[SK_MEMINFO_RCVBUF] / 2;
}

struct datagrams_in *
datagrams_in_new(int fd, bool with_gro)
{
	struct datagrams_in *in = xcalloc(1, sizeof(*in));
	bool gro;
	unsigned i;

	gro = with_gro && get_int(fd, SOL_SOCKET, SO_RCVBUF) >= GRO_BUFFER_MIN;
	gro = set_int(fd, IPPROTO_UDP, UDP_GRO, gro) == 0 && gro;
	set_int(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	in->fd = fd;
	in->slots = SLOTS_MIN;
	in->slots_max = gro ? SLOTS_GRO : SLOTS_MAX;
	in->may_nap = gro;
	in->per_message = 1;
	in->buffers = map_lazily((size_t)in->slots_max * SLOT_BYTES);
	for (i = 0; i < in->slots_max; i++) {
		struct msghdr *m = &in->msg[i].msg_hdr;
		struct slot *slot = &in->slot[i];

		slot->iov.iov_base = in->buffers + (size_t)i * SLOT_BYTES;
		slot->iov.iov_len = SLOT_BYTES;
		m->msg_iov = &slot->iov;
		m->msg_iovlen = 1;
		m->msg_name = &slot->from;
		m->msg_control = slot->control;
	}
	return in;
}

void
datagrams_in_free(struct datagrams_in *in)
{
	if (in == NULL)
		return;
	munmap(in->buffers, (size_t)in->slots_max * SLOT_BYTES);
	free(in);
}

static void
note_v4(struct sockaddr_storage *to, const struct cmsghdr *c)
{
	struct in_pktinfo info;
	struct sockaddr_in sin = {.sin_family = AF_INET};

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	sin.sin_addr = info.ipi_addr;
	memcpy(to, &sin, sizeof(sin));
}

static void
note_v6(struct sockaddr_storage *to, const struct cmsghdr *c)
{
	struct in6_pktinfo info;
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6};

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	sin6.sin6_addr = info.ipi6_addr;
	if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr) ||
	    IN6_IS_ADDR_MC_LINKLOCAL(&info.ipi6_addr))
		sin6.sin6_scope_id = info.ipi6_ifindex;
	memcpy(to, &sin6, sizeof(sin6));
}

static bool
is_tos(const struct cmsghdr *c)
{
	return (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) ||
	       (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS);
}

/* IPv4 has it in a byte, IPv6 in an int. */
static int
read_tos(const struct cmsghdr *c)
{
	int tos;

	if (c->cmsg_len < CMSG_LEN(sizeof(tos)))
		return *CMSG_DATA(c);
	memcpy(&tos, CMSG_DATA(c), sizeof(tos));
	return tos & 0xff;
}

static void
read_notes(struct notes *notes, struct slot *slot, struct msghdr *m)
{
	struct cmsghdr *c;
	struct timespec ts;
	int segment;

	for (c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == SOL_SOCKET &&
		    c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			notes->wall_ns =
			    (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
		} else if (c->cmsg_level == IPPROTO_UDP &&
			   c->cmsg_type == UDP_GRO) {
			memcpy(&segment, CMSG_DATA(c), sizeof(segment));
			if (segment > 0)
				notes->segment = (size_t)segment;
		} else if (is_tos(c)) {
			notes->tos = read_tos(c);
		} else if (c->cmsg_level == IPPROTO_IP &&
			   c->cmsg_type == IP_PKTINFO) {
			note_v4(&slot->to, c);
			notes->has_to = true;
		} else if (c->cmsg_level == IPPROTO_IPV6 &&
			   c->cmsg_type == IPV6_PKTINFO) {
			note_v6(&slot->to, c);
			notes->has_to = true;
		}
	}
}

/*
 * Cuts message `next` into datagrams from `offset` on, as far as there is
 * room for them. Returns the new number of datagrams.
 */
static unsigned
split_message(struct datagrams_in *in, unsigned n)
{
	struct slot *slot = &in->slot[in->next];
	struct mmsghdr *m = &in->msg[in->next];
	struct notes notes = {.wall_ns = in->batch_wall_ns, .tos = -1};
	size_t bytes = m->msg_len;

	/* A segment of 0 bytes is a message that is one datagram. */
	read_notes(&notes, slot, &m->msg_hdr);
	if (notes.segment == 0 || notes.segment > bytes)
		notes.segment = bytes;
	if (bytes > notes.segment)
		in->per_message = (bytes - 1) / notes.segment + 1;
	do {
		struct datagram_in *d = &in->datagram[n++];
		size_t left = bytes - in->offset;
		size_t room =
		    in->offset < SLOT_BYTES ? SLOT_BYTES - in->offset : 0;

		d->data = (uint8_t *)slot->iov.iov_base + in->offset;
		d->bytes = left < notes.segment ? left : notes.segment;
		d->stored = d->bytes < room ? d->bytes : room;
		d->wall_ns = notes.wall_ns;
		d->tos = notes.tos;
		d->from = &slot->from;
		d->to = notes.has_to ? &slot->to : NULL;
		in->offset += d->bytes;
	} while (in->offset < bytes && n < SPLIT_MAX);
	if (in->offset >= bytes) {
		in->next++;
		in->offset = 0;
	}
	return n;
}

/* Large messages make smaller batches; see above. */
static void
adapt_slots(struct datagrams_in *in)
{
	size_t largest = 1, slots;
	unsigned i;

	for (i = 0; i < in->messages; i++)
		if (in->msg[i].msg_len > largest)
			largest = in->msg[i].msg_len;
	slots = BATCH_BYTES / largest;
	if (slots < SLOTS_MIN)
		slots = SLOTS_MIN;
	in->slots = slots > in->slots_max ? in->slots_max : (unsigned)slots;
}

/*
 * Whether it is worth to let messages gather: at the pace of the last batch
 * several come during a nap. A full batch says that more are waiting.
 */
static bool
should_nap(const struct datagrams_in *in)
{
	return in->may_nap && in->messages > 0 && in->messages < in->slots &&
	       (in->batch_ns - in->since_ns) * NAP_MESSAGES <
		   (int64_t)in->messages * NAP_NS;
}

/* Fills the slots. Returns 0, or -1 with errno. */
static int
receive_batch(struct datagrams_in *in)
{
	unsigned i;
	int n;

	for (i = 0; i < in->slots; i++) {
		in->msg[i].msg_hdr.msg_namelen = sizeof(in->slot[i].from);
		in->msg[i].msg_hdr.msg_controllen = CONTROL_BYTES;
	}
	if (should_nap(in))
		clock_sleep_until(clock_now_ns() + NAP_NS);
	n = recvmmsg(in->fd, in->msg, in->slots, MSG_WAITFORONE | MSG_TRUNC,
	    NULL);
	if (n == -1)
		return -1;
	in->messages = (unsigned)n;
	in->next = 0;
	in->offset = 0;
	in->batch_wall_ns = clock_wall_ns();
	in->since_ns = in->batch_ns;
	in->batch_ns = clock_now_ns();
	adapt_slots(in);
	return 0;
}

int
datagrams_in_receive(struct datagrams_in *in)
{
	unsigned n = 0;

	if (in->next == in->messages && receive_batch(in) == -1)
		return -1;
	while (in->next < in->messages && n < SPLIT_MAX)
		n = split_message(in, n);
	return (int)n;
}

const struct datagram_in *
datagrams_in_get(const struct datagrams_in *in, unsigned i)
{
	return &in->datagram[i];
}

uint64_t
datagrams_in_take_drops(struct datagrams_in *in)
{
	uint32_t before = in->drops;

	look_at_queue(in);
	return (in->drops - before) * (uint64_t)in->per_message;
}

bool
datagrams_in_fills(const struct datagrams_in *in)
{
	return in->fills;
}
