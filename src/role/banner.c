/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/gap.h"
#include "base/options.h"
#include "net/sock_os.h"
#include "net/socket.h"
#include "report/fact.h"
#include "role/banner.h"
#include "stream/payload.h"
#include "stream/tcp_send.h"

static void
common(struct settings_fact *s, const struct options *o, int fd)
{
	memset(s, 0, sizeof(*s));
	s->options = o;
	s->pid = getpid();
	s->port_first = o->ports.first;
	s->port_last = o->ports.last;
	s->mss_bytes = o->mss_bytes;
	sock_os_congestion(fd, s->congestion, sizeof(s->congestion));
}

void
banner_client(struct settings_fact *s, const struct options *o, int fd)
{
	struct tcp_send send;

	common(s, o, fd);
	tcp_send_configure(&send, o);
	if (o->protocol == PROTOCOL_UDP)
		s->ipg_ns = gap_ns(o);
	s->role =
	    o->role == ROLE_LOOPBACK ? SETTINGS_LOOPBACK : SETTINGS_CLIENT;
	strlcpy(s->loopback_address, o->server.host,
	    sizeof(s->loopback_address));
	s->streams = o->parallel;
	s->window_bytes = o->direction == DIRECTION_REVERSE
			      ? socket_receive_buffer(fd)
			      : socket_send_buffer(fd);
	s->adaptive = send.adaptive;
	s->call_bytes =
	    (int64_t)(send.adaptive ? PAYLOAD_CALL_MAX : send.block_bytes);
}

void
banner_server(struct settings_fact *s, const struct options *o, int fd)
{
	common(s, o, fd);
	s->role = SETTINGS_SERVER;
	s->window_bytes = socket_receive_buffer(fd);
	s->call_bytes = o->length_bytes;
}
