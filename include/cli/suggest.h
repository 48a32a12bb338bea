/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

/* What a name that no option has was probably meant to be. Pure. */

/*
 * The long name, or other spelling of one, that is nearest to a text without
 * hyphens in front; NULL if none is near. Of several the first in the option
 * table. Options that are refused count: the message about them tells more.
 */
const char *suggest_name(const char *text);

/*
 * How many single letters have to be inserted, removed, replaced or swapped
 * with their neighbours to make one text of the other; no letter is touched
 * twice. Case does not matter, and '-' is the same as '_'. INT_MAX if one of
 * the texts is longer than SUGGEST_TEXT_MAX.
 */
int suggest_distance(const char *, const char *);

#define SUGGEST_TEXT_MAX 40

#endif
