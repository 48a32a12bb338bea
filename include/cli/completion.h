/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

/*
 * Completion of command lines, as scripts for shells that are made from the
 * option table.
 */

#include <stdio.h>

/*
 * Prints the script for "bash" or "zsh". Its first line names the program if
 * the shell wants it there, otherwise the last. Returns 0, or -1 with errno:
 * EINVAL for any other shell, else it could not be written.
 */
int completion_print(FILE *, const char *shell);

#endif
