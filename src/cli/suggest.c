/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "cli/option_table.h"
#include "cli/suggest.h"

/* One letter in so many may be wrong. */
#define LETTERS_PER_FAULT 3

static int
folded(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static int
least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * The distance of optimal string alignment: row i of the matrix has the
 * distances of the first i letters of one text from all beginnings of the
 * other; three rows are enough.
 */
int
suggest_distance(const char *a, const char *b)
{
	int rows[3][SUGGEST_TEXT_MAX + 1];
	int *row = rows[0], *above = rows[1], *before = rows[2], *spare;
	size_t i, j, a_len = strlen(a), b_len = strlen(b);

	if (a_len > SUGGEST_TEXT_MAX || b_len > SUGGEST_TEXT_MAX)
		return INT_MAX;
	for (j = 0; j <= b_len; j++)
		row[j] = (int)j;
	for (i = 1; i <= a_len; i++) {
		spare = before;
		before = above;
		above = row;
		row = spare;
		row[0] = (int)i;
		for (j = 1; j <= b_len; j++) {
			row[j] = above[j - 1] +
				 (folded(a[i - 1]) != folded(b[j - 1]));
			row[j] = least(row[j], above[j] + 1);
			row[j] = least(row[j], row[j - 1] + 1);
			if (i > 1 && j > 1 &&
			    folded(a[i - 1]) == folded(b[j - 2]) &&
			    folded(a[i - 2]) == folded(b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b_len];
}

const char *
suggest_name(const char *text)
{
	const char *name, *nearest = NULL;
	int id, distance, limit = (int)strlen(text) / LETTERS_PER_FAULT;
	size_t i;

	for (id = 0; id < OPTION_COUNT; id++) {
		for (i = 0; (name = option_name(option_info(id), i)) != NULL;
		     i++) {
			distance = suggest_distance(text, name);
			if (distance > limit)
				continue;
			nearest = name;
			/* The next one has to be nearer still. */
			limit = distance - 1;
		}
	}
	return nearest;
}
