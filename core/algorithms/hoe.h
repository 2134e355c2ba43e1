/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * hoe: the threshold, once, from the spacing of three acknowledgements.
 *
 * J. Hoe: Improving the Start-up Behavior of a Congestion Control Scheme for TCP. SIGCOMM 1996.
 * What Wang, Pau, Sanadidi & Gerla measure Adaptive Start against.
 *
 * In one sentence: three closely spaced acknowledgements tell the bottleneck's bandwidth, the first
 * round trip its delay, and slow start ends at their product instead of where the buffer overflows.
 *
 *   bw       = slope of the least-squares line through three acknowledgements of one flight
 * (core/measure/ack_train.h) ssthresh = bw * RTT_min once
 *
 *      +------------+   cwnd >= ssthresh (exit: estimate, ssthresh)   +------+
 *      | SLOW START | ----------------------------------------------> | DONE |
 *      |            | ---------------- a loss (loss, timeout) ------> |      |
 *      +------------+                                                 +------+
 *
 * The estimate is of the bandwidth, not of what others leave of it; and the window is what the path
 * holds besides its buffer: where the buffer is small, or others join, it is too much. That is what
 * Wang et al. show of it.
 *
 * Differences from the paper, and what it leaves open
 * - Closely spaced are the acknowledgements of one flight; three that arrive at once have no slope,
 * and a later acknowledgement of the flight is taken in.
 * - A flight during which the application had too little to send gives no estimate: its spacing is
 * the application's.
 * - RTT is the least that was seen.
 * - Neither a threshold of the host's (HyStart) nor a later measurement changes it.
 */
#ifndef ONRAMP_HOE_H
#define ONRAMP_HOE_H

#include "measure/flight.h"
#include "startup.h"

#define ONRAMP_HOE_ACKS 3

struct onramp_hoe {
	struct onramp_flight flight;
	uint64_t ssthresh_bytes; /* the host's, then the measured one */
	uint64_t bw_bytes_per_s; /* 0: not yet */
	uint64_t rtt_min_ns;     /* 0: none yet */
	uint32_t options;        /* enum onramp_option */
	uint32_t reserved;
};
ONRAMP_ASSERT_STATE(struct onramp_hoe);

static inline void onramp_hoe_start(struct onramp_hoe *state, const struct onramp_start *start,
				    struct onramp_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->options = start->options;
	onramp_start_slowly(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* Is this the acknowledgement that tells the rate? */
static inline void onramp_hoe_measure(struct onramp_hoe *state, const struct onramp_ack *ack)
{
	onramp_flight_ends(&state->flight, ack);
	if (state->flight.train.points < ONRAMP_HOE_ACKS || !state->rtt_min_ns)
		return;
	state->bw_bytes_per_s = onramp_flight_bytes_per_s(&state->flight, ack, state->options);
	if (state->bw_bytes_per_s)
		state->ssthresh_bytes =
			onramp_path_bytes(state->bw_bytes_per_s, state->rtt_min_ns, ack->mss_bytes);
}

static inline void onramp_hoe_ack(struct onramp_hoe *state, const struct onramp_ack *ack,
				  struct onramp_decision *decision)
{
	state->rtt_min_ns = onramp_least_rtt(state->rtt_min_ns, ack);
	if (!state->bw_bytes_per_s)
		onramp_hoe_measure(state, ack);
	onramp_start_slowly(decision, onramp_slow_start(ack, state->ssthresh_bytes),
			    state->ssthresh_bytes);
	decision->estimate_bytes_per_s = state->bw_bytes_per_s;
	if (decision->cwnd_bytes >= state->ssthresh_bytes)
		onramp_finish(decision,
			      state->bw_bytes_per_s ? ONRAMP_EXIT_ESTIMATE : ONRAMP_EXIT_SSTHRESH);
}

static inline void onramp_hoe_loss(struct onramp_hoe *state, const struct onramp_loss *loss,
				   struct onramp_decision *decision)
{
	*decision = (struct onramp_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
	};
	onramp_finish(decision, onramp_loss_exit(loss));
}

#endif
