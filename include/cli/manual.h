/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

/*
 * The paragraph of man/iperf.1 about an option, by its first long name, in
 * lines that end with a newline. NULL if the manual page has none. Made from
 * the page when the program is built.
 */
const char *manual_paragraph(const char *name);

#endif
