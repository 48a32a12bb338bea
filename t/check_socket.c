/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/socket.h"
#include "net_fixture.h"
#include "run_suite.h"

static struct options options;
static struct net_error error;
static struct address here; /* where the listener listens */
static int listener;

static void
set_up(void)
{
	struct address any;

	options = net_fixture_options();
	any = net_fixture_address("127.0.0.1", 0);
	listener = socket_listen(&any, &options, &error);
	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(address_of_local(&here, listener), 0);
}

static void
tear_down(void)
{
	close(listener);
}

static bool
never(void *arg)
{
	(void)arg;
	return false;
}

static bool
always(void *arg)
{
	(void)arg;
	return true;
}

static int
get_option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static int
open_client(const struct address *local)
{
	int fd = socket_client(&here, local, &options, &error);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(test_socket_connect_accept)
{
	int fd = open_client(NULL), accepted;

	ck_assert_int_eq(socket_connect(fd, &here, INT64_MAX, never, NULL), 0);
	accepted = accept(listener, NULL, NULL);
	ck_assert_int_ge(accepted, 0);
	ck_assert_int_eq(socket_accepted(accepted, &options), 0);
	/* Both ends block: a byte that comes later is waited for. */
	ck_assert_int_eq(send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(recv(accepted, &(char){0}, 1, 0), 1);
	close(accepted);
	close(fd);
}
END_TEST

START_TEST(test_socket_listen_does_not_block)
{
	ck_assert_int_eq(accept(listener, NULL, NULL), -1);
	ck_assert(errno == EAGAIN || errno == EWOULDBLOCK);
}
END_TEST

START_TEST(test_socket_listen_in_use)
{
	char text[ADDRESS_TEXT_MAX];

	ck_assert_int_eq(socket_listen(&here, &options, &error), -1);
	ck_assert_int_eq(error.code, EADDRINUSE);
	ck_assert_ptr_nonnull(strstr(error.text, "bind"));
	ck_assert_ptr_nonnull(
	    strstr(error.text, address_text(&here, text, sizeof(text))));
	ck_assert_ptr_nonnull(strstr(error.text, strerror(EADDRINUSE)));
}
END_TEST

START_TEST(test_socket_connect_refused)
{
	int fd = open_client(NULL);

	close(listener);
	listener = -1;
	errno = 0;
	ck_assert_int_eq(socket_connect(fd, &here, INT64_MAX, never, NULL), -1);
	/* Emulators pass on the host's number in SO_ERROR. */
	ck_assert_int_ne(errno, 0);
	ck_assert_int_ne(errno, EINPROGRESS);
	close(fd);
}
END_TEST

/* One that is done at once may succeed; then there was nothing to stop. */
START_TEST(test_socket_connect_stopped)
{
	int fd = open_client(NULL), rc;

	rc = socket_connect(fd, &here, INT64_MAX, always, NULL);
	if (rc == -1)
		ck_assert_int_eq(errno, ECANCELED);
	close(fd);
}
END_TEST

START_TEST(test_socket_client_options)
{
	int fd;

	options.tos = 0xb8;
	options.ttl = 7;
	options.nodelay = true;
	options.window_bytes = 65536;
	options.write_prefetch_bytes = 4096;
	fd = open_client(NULL);
	ck_assert_int_eq(get_option(fd, IPPROTO_IP, IP_TOS), 0xb8);
	ck_assert_int_eq(get_option(fd, IPPROTO_IP, IP_TTL), 7);
	ck_assert_int_ne(get_option(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	/* Linux doubles it, for its own needs. */
	ck_assert_int_ge(socket_send_buffer(fd), 65536);
	ck_assert_int_le(socket_send_buffer(fd), 2 * 65536);
	ck_assert_int_gt(socket_receive_buffer(fd), 0);
	close(fd);
}
END_TEST

START_TEST(test_socket_client_bound)
{
	struct address local = net_fixture_address("127.0.0.2", 0), seen;
	int fd = open_client(&local);

	ck_assert_int_eq(socket_connect(fd, &here, INT64_MAX, never, NULL), 0);
	ck_assert_int_eq(address_of_local(&seen, fd), 0);
	ck_assert(address_same_host(&seen, &local));
	close(fd);
}
END_TEST

/* What cannot be done is refused, by a name for it. */
static const struct {
	const char *congestion;
	const char *device;
	const char *local;
	const char *text;
} refused[] = {
    {"no-such-cc", "", NULL, "no-such-cc"},
    {"", "no-such-device", NULL, "no-such-device"},
    {"", "", "192.0.2.77", "192.0.2.77"}, /* nobody's address */
};

START_TEST(test_socket_client_refused)
{
	struct address local = here;

	if (refused[_i].local != NULL)
		local = net_fixture_address(refused[_i].local, 0);
	strlcpy(options.congestion, refused[_i].congestion,
	    sizeof(options.congestion));
	strlcpy(options.server.device, refused[_i].device,
	    sizeof(options.server.device));
	error.code = 0;
	ck_assert_int_eq(socket_client(&here,
			     refused[_i].local != NULL ? &local : NULL,
			     &options, &error),
	    -1);
	ck_assert_int_ne(error.code, 0);
	ck_assert_ptr_nonnull(strstr(error.text, refused[_i].text));
}
END_TEST

/* The wildcard address of IPv6 serves both families. */
START_TEST(test_socket_listen_both_families)
{
	struct address any = net_fixture_address("::", 0), v4, local;
	int both, fd;

	both = socket_listen(&any, &options, &error);
	if (both == -1 && error.code == EAFNOSUPPORT)
		return;
	ck_assert_int_ge(both, 0);
	ck_assert_int_eq(address_of_local(&local, both), 0);
	v4 = net_fixture_address("127.0.0.1", address_port(&local));
	fd = socket_client(&v4, NULL, &options, &error);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(socket_connect(fd, &v4, INT64_MAX, never, NULL), 0);
	close(fd);
	close(both);
}
END_TEST

/* Listener and client: of IPv4, IPv6, and IPv4 at a socket for both. */
static const struct {
	const char *listener, *client;
} tos_hosts[] = {
    {"127.0.0.1", "127.0.0.1"},
    {"::1", "::1"},
    {"::", "127.0.0.1"},
};

/* Emulators do not pass on what asks for it. */
static bool
tells_tos(int fd)
{
	char control[256];
	socklen_t len = sizeof(control);

	return getsockopt(fd, IPPROTO_IP, IP_PKTOPTIONS, control, &len) == 0;
}

/* What a connection was opened with, not what it sends later. */
START_TEST(test_socket_received_tos)
{
	struct address any, to, peer = {.len = sizeof(peer.ss)};
	int both, fd, accepted;

	any = net_fixture_address(tos_hosts[_i].listener, 0);
	both = socket_listen(&any, &options, &error);
	if (both == -1 && error.code == EAFNOSUPPORT)
		return;
	ck_assert_int_ge(both, 0);
	ck_assert_int_eq(address_of_local(&any, both), 0);
	to = net_fixture_address(tos_hosts[_i].client, address_port(&any));
	options.tos = 0xb8;
	fd = socket_client(&to, NULL, &options, &error);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(socket_connect(fd, &to, INT64_MAX, never, NULL), 0);
	ck_assert_int_eq(socket_set_tos(fd, 0x28), 0);
	accepted = accept(both, (struct sockaddr *)&peer.ss, &peer.len);
	ck_assert_int_ge(accepted, 0);
	ck_assert_int_eq(socket_accepted(accepted, &options), 0);
	ck_assert_int_eq(send(fd, "x", 1, 0), 1);
	ck_assert_int_eq(recv(accepted, &(char){0}, 1, 0), 1);
	if (tells_tos(accepted))
		ck_assert_int_eq(socket_received_tos(accepted, &peer), 0xb8);
	close(accepted);
	close(fd);
	close(both);
}
END_TEST

/* A call gives up after its time. */
START_TEST(test_socket_set_receive_timeout)
{
	int64_t before_ns = clock_now_ns();
	int fd = open_client(NULL);

	ck_assert_int_eq(socket_connect(fd, &here, INT64_MAX, never, NULL), 0);
	ck_assert_int_eq(socket_set_receive_timeout(fd, 10 * NS_PER_MS), 0);
	ck_assert_int_eq(recv(fd, &(char){0}, 1, 0), -1);
	ck_assert(errno == EAGAIN || errno == EWOULDBLOCK);
	ck_assert_int_ge(clock_now_ns() - before_ns, 9 * NS_PER_MS);
	close(fd);
}
END_TEST

START_TEST(test_net_error_set_keeps_errno)
{
	errno = EACCES;
	net_error_set(&error, "open %s: %s", "x", strerror(errno));
	ck_assert_int_eq(error.code, EACCES);
	ck_assert_ptr_nonnull(strstr(error.text, "open x: "));
}
END_TEST

static Suite *
socket_suite(void)
{
	Suite *s = suite_create("socket");
	TCase *tc;

	tc = tcase_create("socket");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_socket_connect_accept);
	tcase_add_test(tc, test_socket_connect_refused);
	tcase_add_test(tc, test_socket_connect_stopped);
	tcase_add_test(tc, test_socket_listen_does_not_block);
	tcase_add_test(tc, test_socket_listen_in_use);
	tcase_add_test(tc, test_socket_listen_both_families);
	tcase_add_test(tc, test_socket_client_options);
	tcase_add_test(tc, test_socket_client_bound);
	tcase_add_loop_test(tc, test_socket_client_refused, 0,
	    (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_test(tc, test_socket_set_receive_timeout);
	tcase_add_loop_test(tc, test_socket_received_tos, 0,
	    (int)(sizeof(tos_hosts) / sizeof(tos_hosts[0])));
	tcase_add_test(tc, test_net_error_set_keeps_errno);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(socket_suite());
}
