/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "pace/pacer.h"

/* No stream is slower than this, so that a random rate cannot stop it. */
#define RATE_MIN_BPS 1.0

static void
set_rate(struct pacer *p, double bps)
{
	p->ns_per_byte = 8e9 / (bps < RATE_MIN_BPS ? RATE_MIN_BPS : bps);
}

/*
 * The law's own parameters follow from m and s by sigma^2 = ln(1 + s^2/m^2) and
 * mu = ln m - sigma^2/2; the normal deviate is by Box and Muller (1958).
 */
double
pacer_log_normal(double m, double s, unsigned short seed[3])
{
	double sigma2 = log(1 + s * s / (m * m));
	double u = 1 - erand48(seed); /* in (0, 1] */
	double v = erand48(seed);
	double z = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);

	return exp(log(m) - sigma2 / 2 + sqrt(sigma2) * z);
}

/* Starts the schedule anew at the present rate. */
static void
rebase(struct pacer *p, int64_t origin_ns)
{
	p->origin_ns = origin_ns;
	p->sent_bytes = 0;
}

void
pacer_init(struct pacer *p, double mean_bps, double stddev_bps, uint32_t seed,
    int64_t now_ns)
{
	p->mean_bps = mean_bps;
	p->stddev_bps = stddev_bps;
	p->seed[0] = (unsigned short)seed;
	p->seed[1] = (unsigned short)(seed >> 16);
	p->seed[2] = 0x330e; /* as srand48() has it */
	p->vary_ns = now_ns + PACER_VARY_NS;
	set_rate(p, stddev_bps > 0
			? pacer_log_normal(mean_bps, stddev_bps, p->seed)
			: mean_bps);
	rebase(p, now_ns);
}

int64_t
pacer_due_ns(const struct pacer *p)
{
	return p->origin_ns + (int64_t)((double)p->sent_bytes * p->ns_per_byte);
}

void
pacer_sent(struct pacer *p, size_t bytes, int64_t now_ns)
{
	int64_t due_ns;

	p->sent_bytes += bytes;
	due_ns = pacer_due_ns(p);
	if (now_ns - due_ns > PACER_MAX_LAG_NS)
		rebase(p, now_ns);
	if (p->stddev_bps > 0 && now_ns >= p->vary_ns) {
		rebase(p, pacer_due_ns(p));
		set_rate(p,
		    pacer_log_normal(p->mean_bps, p->stddev_bps, p->seed));
		p->vary_ns = now_ns + PACER_VARY_NS;
	}
}
