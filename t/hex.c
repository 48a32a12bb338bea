/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"

#define LINE_BYTES 2048

static void
parse_bytes(struct hex_message *message, const char *digits)
{
	unsigned byte;

	while (message->len < HEX_BYTES &&
	       sscanf(digits + 2 * message->len, "%2x", &byte) == 1)
		message->bytes[message->len++] = (uint8_t)byte;
	if (digits[2 * message->len] != '\0')
		errx(1, "bad bytes: %s", digits);
}

static void
parse_line(struct hex_message *message, char *line)
{
	char *rest = line;
	char *word = strsep(&rest, " ");
	size_t n = 0;

	for (; rest != NULL; word = strsep(&rest, " ")) {
		if (n == HEX_WORDS || strlen(word) >= sizeof(message->word[n]))
			errx(1, "bad words: %s", word);
		memcpy(message->word[n++], word, strlen(word));
	}
	parse_bytes(message, word);
}

struct hex_file *
hex_read(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct hex_file *file = calloc(1, sizeof(*file));
	char path[1024];
	char line[LINE_BYTES];
	FILE *stream;

	if (file == NULL)
		err(1, "calloc");
	snprintf(path, sizeof(path), "%s/t/data/wire/%s",
	    srcdir != NULL ? srcdir : ".", name);
	stream = fopen(path, "r");
	if (stream == NULL)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), stream) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		if (file->messages == HEX_MESSAGES)
			errx(1, "%s: too long", path);
		parse_line(&file->message[file->messages++], line);
	}
	fclose(stream);
	return file;
}

int
hex_count(const char *name)
{
	struct hex_file *file = hex_read(name);
	int n = (int)file->messages;

	free(file);
	return n;
}

const struct hex_message *
hex_find(const struct hex_file *file, const char *word0, const char *word1,
    const char *word2)
{
	const char *words[HEX_WORDS] = {word0, word1, word2};

	for (size_t i = 0; i < file->messages; i++) {
		size_t n = 0;

		while (n < HEX_WORDS &&
		       (words[n] == NULL ||
			   strcmp(words[n], file->message[i].word[n]) == 0))
			n++;
		if (n == HEX_WORDS)
			return &file->message[i];
	}
	errx(1, "no message %s", word0);
}

uint8_t *
hex_exact(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	if (copy == NULL)
		err(1, "malloc");
	return memcpy(copy, bytes, len);
}
