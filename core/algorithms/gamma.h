/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * gamma: an ssthresh that slow start reaches before it overflows the bottleneck's buffer.
 *
 * N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
 * Links. INRIA RR-3573, 1998. Section 3, the first proposition.
 *
 * In one sentence: where slow start overflows a buffer at a window W_B of less than half of W_max,
 * the window that fills pipe and buffer, ssthresh after a loss is gamma * W_max, with a gamma of
 * less than a half that the losses reveal.
 *
 *   gamma_max = W_B / W_max                                       (7)
 *   if X2 - X1 < W the loss was slow start's, and
 *   gamma     = gamma (X2 - X1 + W) / (2 W)                       (8)
 *
 * X1 was acknowledged when congestion avoidance began, X2 when a loss ended it, and W is cwnd then.
 * Slow start overflows the buffer at W_B and goes on. The loss is seen a round trip later, when W_B
 * more have been acknowledged. cwnd took W - W_B of them to reach ssthresh, so X2 - X1 = 2 W_B - W.
 * W is gamma * W_max.
 *
 *      +------------+   cwnd >= ssthresh (exit: ssthresh)       +-----------+
 *      | SLOW START | ----------------------------------------> | AVOIDANCE |
 *      |            | <---------------------------------------- |           |
 *      +------------+   cwnd < ssthresh: after a loss that      +-----------+
 *            |          slow start follows, or after idling           ^
 *            |_____________ a loss (exit: loss, timeout) _____________|
 *
 *      at each loss: gamma as above; if slow start follows one of congestion avoidance,
 *      ssthresh = gamma * cwnd
 *
 * Differences from the paper, and its open points
 * - gamma is a share of W_max, and (8) uses W / gamma for it. The window of a slow start's own loss
 *   is not W_max. It is halved as usual, and the ssthresh from it gives no new gamma. (A gamma from
 *   the user is applied at every loss, as in the paper's figures.)
 * - A loss in slow start itself has no X1: nothing was acknowledged in congestion avoidance, so
 *   X2 - X1 = 0.
 * - The paper's TCP is Tahoe, which repairs each loss by slow start. Where fast recovery repairs a
 *   loss, no slow start overflows a buffer, and ssthresh is the host's. Such a loss still adapts
 *   gamma.
 * - A timeout that ends a fast recovery (section 2's case for other TCPs) gets no share either:
 *   cwnd was already reduced, and is not W_max.
 * - The first slow start has no ssthresh and ends as it does without gamma.
 * - ssthresh is never above the host's. (CUBIC's is 0.7 * cwnd.)
 * - gamma falls and returns to 1/2, but does not rise by itself. The paper has no rule for
 *   the case that the buffer grows.
 */
#ifndef ONRAMP_GAMMA_H
#define ONRAMP_GAMMA_H

#include "startup.h"

#define GAMMA_ONE_PPM 1000000
/* The maximum of gamma, and its first value. More "violates the congestion control principle of
 * TCP" (section 3). */
#define GAMMA_MAX_PPM (GAMMA_ONE_PPM / 2)
/* By the paper, less than 1/4 does not help. Congestion avoidance would begin no higher than after
 * two slow starts, which are the lesser evil then ("it is better to keep the problem unsolved",
 * section 5). So gamma goes back to 1/2. */
#define GAMMA_MIN_PPM (GAMMA_ONE_PPM / 4)
/* (7) demands a gamma below gamma_max. (8) gives gamma_max, as exactly as an ACK or two count
 * segments. A sixteenth is subtracted. The paper's example uses 0.34 of 0.38. */
#define GAMMA_MARGIN_DIVISOR 16

/* cwnd is capped at 2^43 bytes, so that gamma times twice as much fits in 64 bits. */
#define GAMMA_MAX_WINDOW_BYTES (UINT64_C(1) << 43)

struct gamma {
	uint64_t avoidance_bytes; /* X1; STARTUP_UNLIMITED in slow start */
	uint32_t gamma_ppm;
	uint32_t user_gave_gamma;      /* and it is not adapted */
	uint32_t ssthresh_is_of_w_max; /* the present ssthresh is gamma * W_max */
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct gamma);

static inline void gamma_start(struct gamma *state, const struct startup_start *start,
			       struct startup_decision *decision)
{
	state->avoidance_bytes = STARTUP_UNLIMITED;
	state->user_gave_gamma = start->gamma_ppm != 0;
	state->gamma_ppm = state->user_gave_gamma
				   ? (uint32_t)min_u64(start->gamma_ppm, GAMMA_MAX_PPM)
				   : GAMMA_MAX_PPM;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

static inline void gamma_ack(struct gamma *state, const struct startup_ack *ack,
			     struct startup_decision *decision)
{
	startup_begin_slow_start(decision, startup_slow_start(ack, ack->ssthresh_bytes),
				 ack->ssthresh_bytes);
	state->avoidance_bytes = STARTUP_UNLIMITED;
	if (decision->cwnd_bytes >= ack->ssthresh_bytes) {
		state->avoidance_bytes = ack->delivered_bytes;
		startup_pause(decision, STARTUP_EXIT_SSTHRESH);
	}
}

/* X2 - X1: acknowledged in congestion avoidance. */
static inline uint64_t gamma_acknowledged(const struct gamma *state,
					  const struct startup_loss *loss)
{
	return loss->acknowledged_bytes > state->avoidance_bytes
		       ? loss->acknowledged_bytes - state->avoidance_bytes
		       : 0;
}

/* Equation (8), where X2 - X1 < W, less the margin. */
static inline void gamma_adapt(struct gamma *state, uint64_t acknowledged_bytes,
			       uint64_t window_bytes)
{
	uint64_t gamma_ppm =
		state->gamma_ppm * (acknowledged_bytes + window_bytes) / (2 * window_bytes);

	gamma_ppm -= gamma_ppm / GAMMA_MARGIN_DIVISOR;
	state->gamma_ppm = gamma_ppm <= GAMMA_MIN_PPM ? GAMMA_MAX_PPM : (uint32_t)gamma_ppm;
}

/* gamma * W, at least two segments. */
static inline uint64_t gamma_share(const struct gamma *state, const struct startup_loss *loss,
				   uint64_t window_bytes)
{
	return max_u64(window_bytes * state->gamma_ppm / GAMMA_ONE_PPM,
		       2 * (uint64_t)loss->mss_bytes);
}

static inline void gamma_loss(struct gamma *state, const struct startup_loss *loss,
			      struct startup_decision *decision)
{
	uint64_t window_bytes = max_u64(min_u64(loss->cwnd_bytes, GAMMA_MAX_WINDOW_BYTES), 1);
	uint64_t acknowledged_bytes = gamma_acknowledged(state, loss);
	bool loss_is_of_slow_start = acknowledged_bytes < window_bytes;
	bool slow_start_follows = loss->kind != STARTUP_LOSS_RECOVERY;
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->ssthresh_is_of_w_max && loss_is_of_slow_start && !state->user_gave_gamma)
		gamma_adapt(state, acknowledged_bytes, window_bytes);
	state->ssthresh_is_of_w_max = slow_start_follows && !loss_is_of_slow_start;
	/* After a fast recovery, congestion avoidance restarts: this is its X1. */
	state->avoidance_bytes = slow_start_follows ? STARTUP_UNLIMITED : loss->acknowledged_bytes;
	if (slow_start_follows && (!loss_is_of_slow_start || state->user_gave_gamma))
		ssthresh_bytes = min_u64(ssthresh_bytes, gamma_share(state, loss, window_bytes));
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
	};
	startup_pause(decision, startup_loss_exit(loss));
}

#endif
