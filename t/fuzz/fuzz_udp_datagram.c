/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "fuzz.h"
#include "measure/sequence.h"
#include "measure/tally.h"
#include "wire/client_header_udp.h"
#include "wire/datagram.h"

/*
 * A flow of any datagrams, as a server meets it: the first byte of each
 * tells its length. The first datagram opens the flow, all are accounted
 * for. Each is exactly one of advancing, late and duplicate.
 */

#define RECEIVED_NS INT64_C(1796067722000000000)

static void
add_datagram(struct sequence *s, struct tally *t, const uint8_t *data,
    size_t size)
{
	struct datagram datagram;
	bool is_final;
	int64_t id;

	if (datagram_decode(&datagram, data, size, s->is_64_bit) != WIRE_OK)
		return;
	is_final = sequence_is_final(s, datagram.id);
	require(!s->is_64_bit || is_final == (datagram.id < 0));
	id = sequence_add(s, t, datagram.id, size, stamp_to_ns(datagram.sent),
	    RECEIVED_NS, true);
	require(id >= 0 && id <= s->highest);
	require(s->highest <= SEQUENCE_ID_MAX);
	require(t->late <= t->gaps);
	require(
	    t->datagrams == t->advanced - t->gaps + t->late + t->duplicates);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client_header header;
	struct sequence s;
	struct tally t = {0};
	size_t n;
	int form = HEADER_NONE;

	for (bool first = true; size > 0; first = false) {
		n = data[0] < size - 1 ? data[0] : size - 1;
		data++;
		size--;
		if (first) {
			form = client_header_decode_udp(&header, data, n);
			sequence_init(&s, form != HEADER_OLD,
			    datagram_from_client_is_wide(data, n));
		}
		add_datagram(&s, &t, data, n);
		data += n;
		size -= n;
	}
	return 0;
}
