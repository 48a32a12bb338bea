/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef REPORT_ADDRESS_H
#define REPORT_ADDRESS_H

/* Addresses as reports show them: numeric, or hidden on request. Pure. */

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

struct options;
struct sockaddr_storage;

/* Enough for every address, hidden or not. */
#define ADDRESS_TEXT_MAX INET6_ADDRSTRLEN

/* What stands for a host that --hide-ips conceals. */
#define ADDRESS_HIDDEN "(**hidden**)"

/*
 * Writes an address without its port. An IPv4 peer of a socket that serves
 * both families is shown as IPv4, unless -V asks for the IPv6 form. With
 * --hide-ips only the last byte or group remains. A socket address of
 * another family becomes "unknown".
 */
void address_print(char *buf, size_t size, const struct sockaddr_storage *,
    const struct options *);

/*
 * Writes a host as the user typed it; with --hide-ips like address_print()
 * if it is a numeric address, else ADDRESS_HIDDEN.
 */
void address_print_host(char *buf, size_t size, const char *host,
    const struct options *);

/* The port of a socket address; 0 for an unknown family. */
uint16_t address_port_of(const struct sockaddr_storage *);

#endif
