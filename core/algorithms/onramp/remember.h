/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp: what the connection learns of the path, and what it reports to the host's path memory. */
#ifndef ONRAMP_ONRAMP_REMEMBER_H
#define ONRAMP_ONRAMP_REMEMBER_H

#include "algorithms/onramp/state.h"

/* The path delivered at this rate. Its BDP, but at most max_bytes, counts as carried in a round
 * trip without a queue. */
static inline void onramp_learn(struct onramp *state, uint64_t bytes_per_s, uint64_t max_bytes)
{
	uint64_t bytes = mul_div(bytes_per_s, state->min_rtt_ns, NS_PER_S);

	state->learned_bytes = max_u64(state->learned_bytes, min_u64(bytes, max_bytes));
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
