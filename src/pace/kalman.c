/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <math.h>

#include "pace/kalman.h"

/* At first: as a busy virtual machine would wake up. */
#define FIRST_OVERSLEEP_NS 20000.0
#define FIRST_DEVIATION_NS 10000.0

/* How far the oversleep may wander from one sleep to the next. */
#define WALK_NS 1000.0

/* The share of the latest measurement in the learned noise. */
#define NOISE_GAIN (1.0 / 16)

/* A single long pause of the machine says nothing about the next sleep. */
#define OUTLIER_NS 200000.0

#define MARGIN_MIN_NS 5000
#define MARGIN_MAX_NS 60000

void
kalman_init(struct kalman *k)
{
	k->oversleep_ns = FIRST_OVERSLEEP_NS;
	k->error = FIRST_DEVIATION_NS * FIRST_DEVIATION_NS;
	k->noise = FIRST_DEVIATION_NS * FIRST_DEVIATION_NS;
}

void
kalman_learn(struct kalman *k, int64_t oversleep_ns)
{
	double measured = (double)oversleep_ns, innovation, gain;

	if (measured > OUTLIER_NS)
		return;
	k->error += WALK_NS * WALK_NS;
	innovation = measured - k->oversleep_ns;
	gain = k->error / (k->error + k->noise);
	k->oversleep_ns += gain * innovation;
	k->error *= 1 - gain;
	k->noise += NOISE_GAIN * (innovation * innovation - k->noise);
}

int64_t
kalman_margin_ns(const struct kalman *k)
{
	double margin = k->oversleep_ns + 4 * sqrt(k->error + k->noise);

	if (margin < MARGIN_MIN_NS)
		return MARGIN_MIN_NS;
	return margin > MARGIN_MAX_NS ? MARGIN_MAX_NS : (int64_t)margin;
}
