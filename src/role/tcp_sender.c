/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "net/socket.h"
#include "report/reporter.h"
#include "role/tcp_sender.h"
#include "role/trouble.h"

int
tcp_sender_init(struct tcp_sender *s, const struct options *o,
    struct flow *flow, int fd, int64_t start_ns)
{
	struct tcp_send *send = &s->send;

	tcp_send_configure(send, o);
	s->flow = flow;
	send->fd = fd;
	send->slot = flow_slot(flow);
	send->input_fd = -1;
	send->start_ns = start_ns;
	send->deadline_ns =
	    o->duration_ns > 0 ? start_ns + o->duration_ns : INT64_MAX;
	return socket_set_send_timeout(fd, TCP_SEND_CALL_NS);
}

/* Tells how the connection ended. Returns 0 when all is well, else -1. */
static int
judge_finish(struct tcp_sender *s, enum tcp_finish finish, uint64_t left)
{
	bool was_ignored = s->expects_answer && !s->send.was_answered;

	switch (finish) {
	case TCP_FINISH_CLOSED:
		if (!s->needs_peer || !s->send.peer_left)
			return 0;
		trouble_fail(s->trouble, "the peer ended its stream early");
		return -1;
	case TCP_FINISH_OPEN:
		trouble_tell(s->trouble, "the peer took all data but did not "
					 "close the connection");
		return 0;
	case TCP_FINISH_STALLED:
		trouble_fail(s->trouble,
		    "the peer stalled: %llu bytes were not "
		    "acknowledged%s",
		    (unsigned long long)left,
		    was_ignored ? " (it never took up the test; a server "
				  "with -1 may be busy)"
				: "");
		return -1;
	case TCP_FINISH_FAILED:
		break;
	}
	trouble_fail(s->trouble, "write failed: %s", strerror(errno));
	return -1;
}

static void
end_flow(const struct tcp_sender *s, int64_t end_ns)
{
	flow_end(s->flow,
	    end_ns > s->send.start_ns ? end_ns : s->send.start_ns);
}

static int
finish(struct tcp_sender *s)
{
	enum tcp_finish how;
	uint64_t left = 0;
	int64_t end_ns;
	int rc;

	if (s->ends_with_write)
		end_flow(s, clock_now_ns());
	how = tcp_send_finish(&s->send, &end_ns, &left);
	rc = judge_finish(s, how, left);
	if (!s->ends_with_write)
		end_flow(s, end_ns);
	return rc;
}

int
tcp_sender_run(struct tcp_sender *s)
{
	clock_sleep_unless(s->send.start_ns, tcp_send_is_over, &s->send);
	flow_start(s->flow, s->send.start_ns);
	return tcp_send_run(&s->send) == 0 ? finish(s)
					   : tcp_sender_fail(s, errno);
}

int
tcp_sender_fail(struct tcp_sender *s, int error)
{
	char why[TROUBLE_TEXT_MAX];

	if (s->send.input_failed)
		trouble_fail(s->trouble, "%s",
		    trouble_input(s->input_path, error, why));
	else
		trouble_fail(s->trouble, "write failed: %s", strerror(error));
	end_flow(s, clock_now_ns());
	return -1;
}
