/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * gamma: a slow-start threshold that is reached before slow start overflows the bottleneck's
 * buffer.
 *
 * N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
 * Links. INRIA RR-3573, 1998. Section 3, the first proposition.
 *
 * In one sentence: where slow start overflows a buffer at a window W_B of less than half the window
 * W_max that the path holds, the threshold after a loss is gamma * W_max, with a gamma of less than
 * a half that is found by what was lost.
 *
 *   gamma_max = W_B / W_max                                       (7)
 *   if X2 - X1 < W the loss was slow start's, and
 *   gamma     = gamma (X2 - X1 + W) / (2 W)                       (8)
 *
 * X1 is what was acknowledged when congestion avoidance began, X2 when it ended with a loss, W the
 * window then. Slow start overflows the buffer at W_B and goes on, for the loss is seen a round
 * trip later, when W_B more have been acknowledged. Of these the window took W - W_B to reach its
 * threshold, so X2 - X1 = 2 W_B - W. W is gamma * W_max.
 *
 *      +------------+   cwnd >= ssthresh (exit: ssthresh)       +-----------+
 *      | SLOW START | ----------------------------------------> | AVOIDANCE |
 *      |            | <---------------------------------------- |           |
 *      +------------+   cwnd < ssthresh: after a loss that      +-----------+
 *            |          slow start follows, or after idling           ^
 *            |_____________ a loss (exit: loss, timeout) _____________|
 *
 *      at each loss: gamma as above; if slow start follows one of congestion avoidance, ssthresh =
 * gamma * cwnd
 *
 * Constants
 * - 1/2: the most, and where it begins. More "violates the congestion control principle of TCP"
 * (section 3).
 * - 1/4: by the paper less helps no more. Congestion avoidance would begin no higher than after two
 * slow starts, which then are the lesser evil ("it is better to keep the problem unsolved", section
 * 5): gamma goes back to 1/2.
 * - 1/16: (7) wants gamma below gamma_max, and (8) gives gamma_max, to within the segments that an
 * acknowledgement or two stand for. In the paper's example 0.34 is taken of 0.38.
 *
 * Differences from the paper, and what it leaves open
 * - gamma is a share of W_max, and (8) takes W / gamma for it. The window of a slow start's own
 * loss is not W_max: it is halved as ever, and the threshold that is made of it teaches nothing. (A
 * gamma that the user gives is taken at every loss, as in the paper's figures.)
 * - A loss in slow start itself has no X1: nothing was acknowledged in congestion avoidance, X2 -
 * X1 = 0.
 * - The paper's TCP is Tahoe, which begins each loss's repair with slow start. Where fast recovery
 * repairs a loss there is no slow start to overflow a buffer, and the threshold is the host's. What
 * such a loss tells of gamma counts.
 * - Nor is there a share for a timeout that ends a fast recovery (section 2's case for other TCPs):
 * the window was cut already, and is not W_max.
 * - The first slow start has no threshold, and ends as it does without gamma.
 * - The threshold is never above the host's. (CUBIC's is 0.7 * cwnd.)
 * - gamma falls and returns to 1/2, but does not rise by itself: the paper has no rule for a buffer
 * that has grown.
 */
#ifndef ONRAMP_GAMMA_H
#define ONRAMP_GAMMA_H

#include "startup.h"

#define GAMMA_ONE_PPM 1000000
#define GAMMA_MAX_PPM (GAMMA_ONE_PPM / 2)
#define GAMMA_MIN_PPM (GAMMA_ONE_PPM / 4)
#define GAMMA_MARGIN_PART 16

/* Windows beyond 2^43 bytes are not reckoned with: gamma times twice as much still fits in 64 bits.
 */
#define GAMMA_MAX_WINDOW_BYTES (UINT64_C(1) << 43)

struct gamma {
	uint64_t avoidance_bytes; /* X1; STARTUP_UNLIMITED in slow start */
	uint32_t gamma_ppm;
	uint32_t is_given;    /* by the user: not to be adapted */
	uint32_t is_of_w_max; /* the present threshold is gamma * W_max */
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct gamma);

static inline void gamma_start(struct gamma *state, const struct startup_start *start,
			       struct startup_decision *decision)
{
	state->avoidance_bytes = STARTUP_UNLIMITED;
	state->is_given = start->gamma_ppm != 0;
	state->gamma_ppm = state->is_given ? (uint32_t)min_u64(start->gamma_ppm, GAMMA_MAX_PPM)
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

/* X2 - X1. */
static inline uint64_t gamma_acknowledged(const struct gamma *state,
					  const struct startup_loss *loss)
{
	return loss->acknowledged_bytes > state->avoidance_bytes
		       ? loss->acknowledged_bytes - state->avoidance_bytes
		       : 0;
}

/* Eq. (8), with X2 - X1 < W, less the margin. */
static inline void gamma_adapt(struct gamma *state, uint64_t acknowledged_bytes,
			       uint64_t window_bytes)
{
	uint64_t gamma_ppm =
		state->gamma_ppm * (acknowledged_bytes + window_bytes) / (2 * window_bytes);

	gamma_ppm -= gamma_ppm / GAMMA_MARGIN_PART;
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
	bool is_of_slow_start = acknowledged_bytes < window_bytes;
	bool starts_slowly = loss->kind != STARTUP_LOSS_RECOVERY;
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->is_of_w_max && is_of_slow_start && !state->is_given)
		gamma_adapt(state, acknowledged_bytes, window_bytes);
	state->is_of_w_max = starts_slowly && !is_of_slow_start;
	/* What fast recovery repairs is followed by congestion avoidance. */
	state->avoidance_bytes = starts_slowly ? STARTUP_UNLIMITED : loss->acknowledged_bytes;
	if (starts_slowly && (!is_of_slow_start || state->is_given))
		ssthresh_bytes = min_u64(ssthresh_bytes, gamma_share(state, loss, window_bytes));
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
	};
	startup_pause(decision, startup_loss_exit(loss));
}

#endif
