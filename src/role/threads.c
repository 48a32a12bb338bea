/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "role/threads.h"

/* Only what is touched becomes memory; resolvers and sanitizers need some. */
#define STACK_BYTES (512 * 1024)

int
threads_start(pthread_t *thread, void *(*main)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t unused;
	int rc;

	rc = pthread_attr_init(&attr);
	if (rc != 0)
		return rc;
	rc = pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (rc == 0 && thread == NULL)
		rc =
		    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (rc == 0)
		rc = pthread_create(thread != NULL ? thread : &unused, &attr,
		    main, arg);
	pthread_attr_destroy(&attr);
	return rc;
}
