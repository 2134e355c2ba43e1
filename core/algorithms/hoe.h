/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * hoe: set ssthresh once, from the spacing of three ACKs.
 *
 * J. Hoe: Improving the Start-up Behavior of a Congestion Control Scheme for TCP. SIGCOMM 1996.
 * Wang, Pau, Sanadidi & Gerla compare Adaptive Start with it.
 *
 * In one sentence: three closely spaced ACKs give the bottleneck's bandwidth, the first round trip
 * gives the delay, and slow start ends at their product instead of where the buffer overflows.
 *
 *   bw       = slope of the least-squares line through three ACKs of one flight  (ack_train.h)
 *   ssthresh = bw * RTT_min                                                      once
 *
 *      +------------+   cwnd >= ssthresh (exit: estimate, ssthresh)   +------+
 *      | SLOW START | ----------------------------------------------> | DONE |
 *      |            | ---------------- a loss (loss, timeout) ------> |      |
 *      +------------+                                                 +------+
 *
 * The estimate is the bandwidth of the bottleneck, including the shares of competing flows.
 * ssthresh is the BDP. Where the buffer is small, or other flows join, this ssthresh is too high.
 * Wang et al. show the losses.
 *
 * Differences from the paper, and its open points
 * - The ACKs of one flight are closely spaced. Three ACKs that arrive at once have no slope. In
 *   this case the next ACKs of the flight are included too.
 * - A flight during which the application had too little to send gives no estimate: its spacing is
 *   the application's.
 * - RTT is the minimum that was seen.
 * - Neither an ssthresh of the host (HyStart) nor a later measurement changes ssthresh.
 */
#ifndef ONRAMP_HOE_H
#define ONRAMP_HOE_H

#include "measure/flight.h"
#include "startup.h"

/* ACKs that give the estimate (the paper). */
#define HOE_ACKS 3

struct hoe {
	struct flight flight;
	uint64_t ssthresh_bytes; /* the host's, then the measured one */
	uint64_t bw_bytes_per_s; /* 0: not measured yet */
	uint64_t min_rtt_ns;     /* 0: no sample yet */
	uint64_t variant;        /* enum train_variant */
};
STARTUP_ASSERT_STATE(struct hoe);

static inline void hoe_start(struct hoe *state, const struct startup_start *start,
			     struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->variant = start->variant;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* Set ssthresh, if this ACK completes the flight's estimate. */
static inline void hoe_measure(struct hoe *state, const struct startup_ack *ack)
{
	flight_ends(&state->flight, ack);
	if (state->flight.train.points < HOE_ACKS || !state->min_rtt_ns)
		return;
	state->bw_bytes_per_s = flight_bytes_per_s(&state->flight, ack, state->variant);
	if (state->bw_bytes_per_s)
		state->ssthresh_bytes =
			bdp_bytes(state->bw_bytes_per_s, state->min_rtt_ns, ack->mss_bytes);
}

static inline void hoe_ack(struct hoe *state, const struct startup_ack *ack,
			   struct startup_decision *decision)
{
	state->min_rtt_ns = startup_min_rtt(state->min_rtt_ns, ack);
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
	startup_end_at_loss(loss, decision);
	decision->estimate_bytes_per_s = state->bw_bytes_per_s;
}

#endif
