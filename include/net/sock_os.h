/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NET_SOCK_OS_H
#define NET_SOCK_OS_H

/*
 * Socket features that only some systems have: sock_linux.c has them,
 * sock_generic.c answers ENOTSUP. All return 0, or -1 with errno, unless
 * stated otherwise. Any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Sends only to hosts on the links of this one; family is the peer's. */
int sock_os_set_local(int fd, int family);
int sock_os_bind_device(int fd, const char *device);
int sock_os_set_congestion(int fd, const char *name);
/* Writes the name in use, "" when unknown. */
void sock_os_congestion(int fd, char *name, size_t size);
/* Sets the limit of unsent bytes above which a write waits. */
int sock_os_set_unsent_limit(int fd, int64_t bytes);
int sock_os_set_window_clamp(int fd, int64_t bytes);
int sock_os_set_pacing(int fd, int64_t rate_bps);
/* Sets a receive buffer beyond what the system allows everybody. */
int sock_os_force_receive_buffer(int fd, int bytes);
/* Asks for an immediate acknowledgement; wears off, so repeat it. */
int sock_os_set_quickack(int fd);
/* Ends a connection whose data nobody takes for so long. */
int sock_os_set_user_timeout(int fd, int64_t ns);
/* Drops a silent peer after idle_s + 3 * probe_s seconds. */
int sock_os_set_keepalive(int fd, int idle_s, int probe_s);
/* Has datagrams come with their TOS or traffic class byte. */
int sock_os_report_tos(int fd);
/*
 * That byte of the packet that opened an accepted connection; is_v4: of a peer
 * with IPv4, maybe mapped. Returns the byte, or -1 with errno.
 */
int sock_os_received_tos(int fd, bool is_v4);
/* Bytes in the send buffer that the peer has not acknowledged. */
int sock_os_unacknowledged(int fd, uint64_t *bytes);
/* The largest packet that the path of a connected socket takes, in bytes. */
int sock_os_path_mtu(int fd, int family, int *bytes);
/* Reads at most n bytes and drops them in the kernel. As recv(). */
ssize_t sock_os_discard(int fd, size_t n);

#endif
