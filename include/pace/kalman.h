/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PACE_KALMAN_H
#define PACE_KALMAN_H

/*
 * How late will the next wake-up be? A scalar Kalman filter (R. E. Kalman,
 * 1960) over the oversleeps measured so far: the state is the oversleep, a
 * random walk, observed with noise. A sleeper subtracts the margin from its
 * deadline and spins the rest, which is then as short as this machine
 * allows. Pure; one belongs to one stream.
 */

#include <stdint.h>

struct kalman {
	double oversleep_ns; /* estimate */
	double error;	     /* its variance, ns^2 */
	double noise;	     /* variance of the measurements, ns^2, learned */
};

void kalman_init(struct kalman *);

/* Learns from a sleep that ended oversleep_ns after its deadline. */
void kalman_learn(struct kalman *, int64_t oversleep_ns);

/* What to sleep less: the estimate and four deviations, within bounds. */
int64_t kalman_margin_ns(const struct kalman *);

#endif
