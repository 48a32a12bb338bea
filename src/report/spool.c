/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/spool.h"

void
spool_init(struct spool *s)
{
	memset(s, 0, sizeof(*s));
}

void
spool_fini(struct spool *s)
{
	if (s->file != NULL)
		fclose(s->file);
	free(s->text);
}

static void
move_to_disk(struct spool *s)
{
	FILE *file;

	if (fflush(s->file) == EOF)
		return; /* spool_copy() tells */
	file = tmpfile();
	if (file == NULL || fwrite(s->text, 1, s->size, file) != s->size) {
		log_warn("cannot write a temporary file (%s): the end of the "
			 "report is kept in memory",
		    strerror(errno));
		if (file != NULL)
			fclose(file);
		s->kept = true;
		return;
	}
	fclose(s->file);
	free(s->text);
	s->text = NULL;
	s->file = file;
	s->on_disk = true;
}

static void
open_memory(struct spool *s)
{
	s->file = open_memstream(&s->text, &s->size);
	if (s->file != NULL)
		return;
	log_warn("out of memory");
	abort();
}

FILE *
spool_file(struct spool *s)
{
	if (s->file == NULL)
		open_memory(s);
	else if (!s->on_disk && !s->kept && ftell(s->file) > SPOOL_MEMORY_BYTES)
		move_to_disk(s);
	return s->file;
}

static int
copy_file(FILE *from, FILE *out)
{
	char buf[8192];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		fwrite(buf, 1, n, out);
	return ferror(from) ? -1 : 0;
}

int
spool_copy(struct spool *s, FILE *out)
{
	if (s->file == NULL)
		return 0;
	errno = EIO;
	if (fflush(s->file) == EOF || ferror(s->file))
		return -1;
	if (s->on_disk)
		return copy_file(s->file, out);
	fwrite(s->text, 1, s->size, out);
	return 0;
}
