/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp: what the connection learns of the path, and what it reports to the host. */
#ifndef ONRAMP_ONRAMP_REMEMBER_H
#define ONRAMP_ONRAMP_REMEMBER_H

#include "algorithms/onramp/state.h"
#include "parts/first_round.h"

/* The path delivered at this rate. Its BDP, but at most max_bytes, counts as carried in a round
 * trip without a queue. */
static inline void onramp_learn(struct onramp *state, uint64_t bytes_per_s, uint64_t max_bytes)
{
	uint64_t bytes = mul_div(bytes_per_s, state->min_rtt_ns, NS_PER_S);

	state->learned_bytes = max_u64(state->learned_bytes, min_u64(bytes, max_bytes));
}

/* The first round is over: what is in flight has left in it. */
static inline void onramp_end_first_round(struct onramp *state, const struct startup_ack *ack)
{
	if (state->first_bytes_per_s)
		state->first_end_bytes =
			ack->delivered_bytes + ack->lost_bytes + ack->inflight_bytes;
	state->first_bytes_per_s = 0;
}

/* Judge the first round, once, when its segments are acknowledged or lost. All that an application
 * had to send may have left in it: then nothing is in flight. */
static inline void onramp_judge_first_round(struct onramp *state, const struct startup_ack *ack)
{
	uint64_t settled_bytes = ack->delivered_bytes + ack->lost_bytes;
	uint64_t end_bytes = state->first_bytes_per_s && !ack->inflight_bytes
				     ? settled_bytes
				     : state->first_end_bytes;
	uint64_t unpaced_bytes = state->quiet_bytes + state->initial_cwnd_bytes;
	uint64_t early_bytes = end_bytes - min_u64(end_bytes, unpaced_bytes);

	if (!ack->inflight_bytes)
		state->quiet_bytes = settled_bytes;
	if (state->first_round || !state->initial_bytes_per_s || !early_bytes ||
	    settled_bytes < end_bytes)
		return;
	if (ack->lost_bytes > early_bytes / FIRST_ROUND_LOSS_DIVISOR ||
	    (state->bottleneck_bytes_per_s &&
	     FIRST_ROUND_CREDIBLE_FACTOR * state->bottleneck_bytes_per_s <
		     state->initial_bytes_per_s))
		state->first_round = STARTUP_FIRST_ROUND_TOO_FAST;
	else if (early_bytes >= FIRST_ROUND_MIN_SEGMENTS * (uint64_t)ack->mss_bytes)
		state->first_round = STARTUP_FIRST_ROUND_CARRIED;
}

/*
 * Report the BDP that the host is to remember, where it is news. A connection that did not fill the
 * pipe knows only a lower bound of the BDP. It reports a bound that confirms the remembered BDP
 * within a factor of two, or exceeds it. Bytes that were carried while they caused loss to
 * competing flows (RFC 9959, section 4.5) are not reported.
 */
static inline void onramp_report(struct onramp *state, struct startup_decision *decision)
{
	bool is_news =
		!state->memory_is_wrong &&
		state->learned_bytes >= state->remembered_bdp_bytes / ONRAMP_AGREEMENT_FACTOR &&
		state->learned_bytes >
			state->reported_bytes + state->reported_bytes / ONRAMP_REPORT_DIVISOR;

	decision->first_round = (uint8_t)state->first_round;
	if (decision->is_full || is_news) {
		decision->learned_bytes = state->learned_bytes;
		decision->learned_rtt_ns = state->min_rtt_ns;
		state->reported_bytes = state->learned_bytes;
	} else if (state->memory_is_wrong && state->reported_bytes != STARTUP_UNLIMITED) {
		decision->learned_bytes = STARTUP_UNLIMITED;
		state->reported_bytes = STARTUP_UNLIMITED;
	}
}

#endif
