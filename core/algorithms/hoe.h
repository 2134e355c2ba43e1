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

#define HOE_ACKS 3

struct hoe {
	struct flight flight;
	uint64_t ssthresh_bytes; /* the host's, then the measured one */
	uint64_t bw_bytes_per_s; /* 0: not yet */
	uint64_t rtt_min_ns;     /* 0: none yet */
	uint32_t options;        /* enum startup_option */
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct hoe);

static inline void hoe_start(struct hoe *state, const struct startup_start *start,
			     struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->options = start->options;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* Is this the acknowledgement that tells the rate? */
static inline void hoe_measure(struct hoe *state, const struct startup_ack *ack)
{
	flight_ends(&state->flight, ack);
	if (state->flight.train.points < HOE_ACKS || !state->rtt_min_ns)
		return;
	state->bw_bytes_per_s = flight_bytes_per_s(&state->flight, ack, state->options);
	if (state->bw_bytes_per_s)
		state->ssthresh_bytes =
			bdp_bytes(state->bw_bytes_per_s, state->rtt_min_ns, ack->mss_bytes);
}

static inline void hoe_ack(struct hoe *state, const struct startup_ack *ack,
			   struct startup_decision *decision)
{
	state->rtt_min_ns = startup_min_rtt(state->rtt_min_ns, ack);
	if (!state->bw_bytes_per_s)
		hoe_measure(state, ack);
	startup_begin_slow_start(decision, startup_slow_start(ack, state->ssthresh_bytes),
				 state->ssthresh_bytes);
	decision->estimate_bytes_per_s = state->bw_bytes_per_s;
	if (decision->cwnd_bytes >= state->ssthresh_bytes)
		startup_finish(decision, state->bw_bytes_per_s ? STARTUP_EXIT_ESTIMATE
							       : STARTUP_EXIT_SSTHRESH);
}

static inline void hoe_loss(struct hoe *state, const struct startup_loss *loss,
			    struct startup_decision *decision)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
	};
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
