/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "wire/bytes.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"
#include "wire/flow_start.h"
#include "wire/header_blocks.h"

/*
 * DESIGN
 *
 * A datagram of a test has no mark: it may be 12 bytes of id and time with
 * anything behind. All have an id that is not negative and less than a
 * million microseconds, which of random ones 1 in 8600 has, and of texts
 * none. Of what remains one of these must be true:
 *
 *	- the time is that of the receiver, give or take a year;
 *	- there is a header, in which the words fit each other;
 *	- the id is a small one, and behind the time stamp is what clients put
 *	  there: the upper half of an id, the flags of an old header, or
 *	  digits of the filler.
 *
 * The last is for clients without a header and with a clock that was never
 * set. A query of DNS with the rare id of 0 would look like one of them, were
 * it not for the name behind; one of NTP has a large number for an id.
 */

#define YEAR_S (366 * 86400)
#define MICROSECONDS 1000000
#define SMALL_ID_MAX 65535

#define UPPER_ID_AT 12
#define FLAGS_AT 16
#define THREADS_AT 20
#define PORT_AT 24
#define BASE_END 40
#define TYPE_AT 40
#define LENGTH_AT 44
#define TYPES_END 48

#define THREADS_MAX 0xffff
#define THREADS_ARE_ID UINT32_C(0x80000000) /* and a transfer id */
#define PORT_MAX 0xffff

/* The block behind the header up to 2.0.13. */
#define OLD_TYPE 1
#define OLD_LENGTH 28

/* Bits that no datagram's flags have. */
#define FLAGS_NEVER \
	(UINT32_C(0x01000000) | FLAG_BOUNCEBACK | UINT32_C(0x007c0000))

static bool
is_client_word(uint32_t word)
{
	return word == 0 || word == UINT32_MAX ||
	       (word & ~FLAG_RUN_NOW) == FLAG_VERSION1 ||
	       datagram_is_filler(word);
}

/* Of 2.1 on; the base of what came before may be filler. */
static bool
has_sane_base(const uint8_t *buf)
{
	uint32_t threads = bytes_get_u32(buf + THREADS_AT);

	return (threads <= THREADS_MAX || (threads & THREADS_ARE_ID) != 0) &&
	       bytes_get_u32(buf + PORT_AT) <= PORT_MAX;
}

static bool
has_header(const uint8_t *buf, size_t len)
{
	struct client_header h;
	int form = client_header_decode_udp(&h, buf, len);
	uint32_t flags;

	if (form != HEADER_CLIENT)
		return form == HEADER_OLD;
	flags = bytes_get_u32(buf + FLAGS_AT);
	if (len < BASE_END || (flags & FLAGS_NEVER) != 0)
		return false;
	if ((flags & (FLAG_EXTEND | FLAG_LENGTH)) != FLAG_EXTEND)
		return has_sane_base(buf);
	return len >= TYPES_END && bytes_get_u32(buf + TYPE_AT) == OLD_TYPE &&
	       bytes_get_u32(buf + LENGTH_AT) == OLD_LENGTH;
}

bool
flow_start_is_plausible(const uint8_t *buf, size_t len, int64_t now_s)
{
	struct datagram d;

	if (datagram_decode(&d, buf, len,
		datagram_from_client_is_wide(buf, len)) != WIRE_OK)
		return false;
	if (d.id < 0 || d.sent.us >= MICROSECONDS ||
	    (d.id == 0 && d.sent.s == 0))
		return false;
	if (llabs((int64_t)d.sent.s - now_s) <= YEAR_S || has_header(buf, len))
		return true;
	return d.id <= SMALL_ID_MAX && len >= DATAGRAM_BYTES &&
	       is_client_word(bytes_get_u32(buf + UPPER_ID_AT));
}

int
flow_start_header(struct client_header *h, const uint8_t *buf, size_t len)
{
	int form = client_header_decode_udp(h, buf, len);
	struct datagram d;

	if (form != HEADER_CLIENT || has_header(buf, len) ||
	    datagram_decode(&d, buf, len,
		datagram_from_client_is_wide(buf, len)) != WIRE_OK ||
	    d.id <= 1)
		return form;
	client_header_init(h);
	return HEADER_NONE;
}
