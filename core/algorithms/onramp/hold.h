/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, HOLD: a delay rose. Decide whether the pipe is full. */
#ifndef ONRAMP_ONRAMP_HOLD_H
#define ONRAMP_ONRAMP_HOLD_H

#include "algorithms/onramp/fill.h"

/* A path that delivers at this rate carries the paced window, or delivers more than it did with
 * the smaller cwnd of the last round. */
static inline bool onramp_rate_shows_room(const struct onramp *state, uint64_t rate)
{
	uint64_t cwnd_gain_bytes_per_s;

	if (!state->last_round_bytes_per_s)
		return rate > state->paced_bytes_per_s / 8 * ONRAMP_CARRIED_EIGHTHS;
	if (state->round.cwnd_bytes <= state->last_round_cwnd_bytes)
		return false;
	cwnd_gain_bytes_per_s = mul_div(state->last_round_bytes_per_s,
					state->round.cwnd_bytes - state->last_round_cwnd_bytes,
					state->last_round_cwnd_bytes);
	return rate >
	       state->last_round_bytes_per_s + cwnd_gain_bytes_per_s / ONRAMP_MIN_GAIN_DIVISOR;
}

/* The delay stayed and the rate did not grow: the pipe is full at this delivery rate. Where a loss
 * has met a queue before, the queue is left to others. */
static inline void onramp_end_full(struct onramp *state, uint64_t rate, uint64_t carried_bytes,
				   struct startup_decision *decision)
{
	state->bottleneck_bytes_per_s = rate;
	state->learned_bytes = carried_bytes;
	state->target_bytes = carried_bytes;
	if (state->loss_had_queue)
		decision->cwnd_bytes = min_u64(decision->cwnd_bytes, carried_bytes);
	onramp_stay(state, STARTUP_EXIT_DELAY, decision);
}

/* Siblings that begin later get their share from those that began before: cwnd falls to this
 * connection's share and an eighth. A validated share ends the start-up. */
static inline void onramp_yield(struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t share_bytes;

	if (!ack->siblings || !state->path_bytes_per_s || state->variant & ONRAMP_WITHOUT_SHARING ||
	    (state->phase != STARTUP_PHASE_APPROACH && state->phase != STARTUP_PHASE_HOLD))
		return;
	share_bytes = onramp_own_bytes(
		state, ack, onramp_bdp_bytes(state, state->path_bytes_per_s, ack->mss_bytes));
	share_bytes = max_u64(share_bytes / 8 * ONRAMP_SHARE_EIGHTHS, state->initial_cwnd_bytes);
	if (decision->cwnd_bytes <= share_bytes)
		return;
	decision->cwnd_bytes = share_bytes;
	state->target_bytes = min_u64(state->target_bytes, share_bytes);
	if (state->phase == STARTUP_PHASE_APPROACH && state->pipe_is_validated)
		onramp_stay(state, STARTUP_EXIT_ESTIMATE, decision);
}

/* The path did not carry what was sent, but this much: fill it again, until a delay shows that the
 * queue is still there. */
static inline void onramp_fill_again(struct onramp *state, const struct startup_ack *ack,
				     uint64_t carried_bytes)
{
	state->target_bytes = carried_bytes;
	state->last_round_bytes_per_s = 0;
	onramp_validate(state);
	onramp_begin_approach(state);
	onramp_begin_round(state, ack);
}

/* Keep cwnd, to see whether the delay stays. */
static inline void onramp_hold(struct onramp *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	uint64_t rate, carried_bytes;

	state->round.min_rtt_ns = startup_min_rtt(state->round.min_rtt_ns, ack);
	if (ack->rtt_ns && !onramp_rtt_is_delayed(state, ack->rtt_ns)) {
		onramp_grow_again(state);
		return;
	}
	if (!onramp_round_is_complete(state, ack))
		return;
	rate = onramp_round_bytes_per_s(state, ack);
	carried_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	if (onramp_rate_shows_room(state, rate)) {
		onramp_end_round(state, ack);
		onramp_grow_again(state);
		onramp_double_growth(state);
	} else if (state->pipe_is_validated) {
		onramp_end_full(state, rate, carried_bytes, decision);
	} else {
		decision->cwnd_bytes =
			min_u64(ack->cwnd_bytes, max_u64(carried_bytes, state->prior_cwnd_bytes));
		onramp_fill_again(state, ack, decision->cwnd_bytes);
	}
}

#endif
