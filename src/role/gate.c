/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "role/gate.h"

void
gate_init(struct gate *g, int n, void (*opening)(void *), void *arg)
{
	g->missing = n;
	g->is_open = false;
	g->opening = opening;
	g->arg = arg;
	/* With default attributes neither fails on any system we know. */
	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->cond, NULL);
}

void
gate_fini(struct gate *g)
{
	pthread_cond_destroy(&g->cond);
	pthread_mutex_destroy(&g->mutex);
}

/* The mutex is held. */
static void
arrive(struct gate *g)
{
	if (--g->missing > 0)
		return;
	g->opening(g->arg);
	g->is_open = true;
	pthread_cond_broadcast(&g->cond);
}

void
gate_leave(struct gate *g)
{
	pthread_mutex_lock(&g->mutex);
	arrive(g);
	pthread_mutex_unlock(&g->mutex);
}

void
gate_pass(struct gate *g)
{
	pthread_mutex_lock(&g->mutex);
	arrive(g);
	while (!g->is_open)
		pthread_cond_wait(&g->cond, &g->mutex);
	pthread_mutex_unlock(&g->mutex);
}
