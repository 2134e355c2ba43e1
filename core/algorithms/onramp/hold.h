/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, HOLD, REST and DRAIN: a delay rose. Decide whether the pipe is full, whether it stays so,
 * and whose queue it is. */
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

/* Wait until the excess has left the queue. */
static inline void onramp_begin_drain(struct onramp *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_DRAIN;
	state->drain_min_rtt_ns = STARTUP_UNLIMITED;
	state->sample_count = 0;
	onramp_begin_round(state, ack);
}

/* The start-up ends with this cwnd, which fills the pipe, or this connection's share of it. */
static inline void onramp_stay(struct onramp *state, struct startup_decision *decision)
{
	decision->ssthresh_bytes = decision->cwnd_bytes;
	decision->is_full = state->exit == STARTUP_EXIT_DELAY;
	state->phase = STARTUP_PHASE_DONE;
}

static inline void onramp_begin_rest(struct onramp *state, const struct startup_ack *ack,
				     struct startup_decision *decision)
{
	state->rest_rounds = 0;
	state->sample_count = 0;
	state->phase = STARTUP_PHASE_REST;
	onramp_begin_round(state, ack);
	if (state->variant & ONRAMP_WITHOUT_RESTING)
		onramp_stay(state, decision);
}

/* The delay stayed and the rate did not grow: the pipe is full at this delivery rate. */
static inline void onramp_end_full(struct onramp *state, const struct startup_ack *ack,
				   uint64_t rate, struct startup_decision *decision)
{
	state->bottleneck_bytes_per_s = rate;
	state->learned_bytes = onramp_bdp_bytes(state, rate, ack->mss_bytes);
	onramp_begin_rest(state, ack, decision);
}

/*
 * Siblings that begin later get their share from those that began before. cwnd falls to this
 * connection's share and an eighth, and rests. REST begins again where a sibling begins, so that
 * they go on counting each other until the last of them has found its share.
 */
static inline void onramp_yield(struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t share_bytes;

	if (state->variant & ONRAMP_WITHOUT_SHARING)
		return;
	if (ack->siblings > state->siblings && state->yields < ONRAMP_MAX_YIELDS) {
		state->yields++;
		state->rest_rounds = 0;
	}
	state->siblings = (uint32_t)min_u64(ack->siblings, UINT32_MAX);
	if (!ack->siblings || !state->path_bytes_per_s ||
	    (state->phase != STARTUP_PHASE_APPROACH && state->phase != STARTUP_PHASE_HOLD &&
	     state->phase != STARTUP_PHASE_REST))
		return;
	share_bytes = onramp_own_bytes(
		state, ack, onramp_bdp_bytes(state, state->path_bytes_per_s, ack->mss_bytes));
	share_bytes = max_u64(share_bytes / 8 * ONRAMP_SHARE_EIGHTHS, state->initial_cwnd_bytes);
	if (decision->cwnd_bytes <= share_bytes)
		return;
	decision->cwnd_bytes = share_bytes;
	state->target_bytes = min_u64(state->target_bytes, share_bytes);
	if (state->phase == STARTUP_PHASE_APPROACH && state->pipe_is_validated) {
		state->exit = STARTUP_EXIT_ESTIMATE;
		onramp_begin_rest(state, ack, decision);
	}
}

/* Keep cwnd for some rounds. If the delay passes, the link was slow for a moment only. */
static inline void onramp_rest(struct onramp *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	uint64_t baseline_rtt_ns = state->baseline_rtt_ns;

	/* In the first round the queue of the last one leaves. The rest of the pipe is the
	 * siblings'. */
	if (onramp_group_is_complete(state, ack) && state->rest_rounds &&
	    ack->flags & STARTUP_ACK_CWND_LIMITED && !ack->siblings &&
	    !onramp_group_is_delayed(state)) {
		state->regrowths++;
		onramp_validate(state);
		onramp_double_growth(state);
		onramp_grow_again(state);
		return;
	}
	if (!onramp_round_is_complete(state, ack))
		return;
	onramp_end_round(state, ack);
	state->baseline_rtt_ns = baseline_rtt_ns;
	if (++state->rest_rounds >= ONRAMP_REST_ROUNDS || state->regrowths >= ONRAMP_MAX_REGROWTHS)
		onramp_stay(state, decision);
}

/* Keep cwnd, to see whether the delay stays. */
static inline void onramp_hold(struct onramp *state, const struct startup_ack *ack,
			       struct startup_decision *decision)
{
	uint64_t rate;

	state->round.min_rtt_ns = startup_min_rtt(state->round.min_rtt_ns, ack);
	if (ack->rtt_ns && !onramp_rtt_is_delayed(state, ack->rtt_ns)) {
		onramp_grow_again(state);
		return;
	}
	if (!onramp_round_is_complete(state, ack))
		return;
	rate = onramp_round_bytes_per_s(state, ack);
	/* A paced flight that noise has delayed may have been carried, so subtract the noise. */
	if (onramp_rate_shows_room(state, state->pipe_is_validated
						  ? rate
						  : onramp_round_max_bytes_per_s(state, ack))) {
		onramp_end_round(state, ack);
		onramp_grow_again(state);
		onramp_double_growth(state);
		return;
	}
	state->exit = STARTUP_EXIT_DELAY;
	if (!state->pipe_is_validated) {
		state->overload_bytes_per_s = rate;
		decision->cwnd_bytes = min_u64(
			ack->cwnd_bytes, max_u64(onramp_bdp_bytes(state, rate, ack->mss_bytes),
						 state->prior_cwnd_bytes));
		onramp_begin_drain(state, ack);
		return;
	}
	onramp_end_full(state, ack, rate, decision);
}

/* The RTT is the baseline again, as exactly as a queue can be detected. */
static inline bool onramp_rtt_is_baseline(const struct onramp *state)
{
	return !onramp_rtt_is_delayed(state, state->group_min_rtt_ns) &&
	       state->baseline_rtt_ns <= state->group_min_rtt_ns + onramp_queue_ns(state);
}

/* The path did not carry two paced windows, and no competing flow is there. So its rate varies:
 * grow as slow start does. */
static inline void onramp_follow_rate(struct onramp *state, const struct startup_ack *ack,
				      uint64_t carried_bytes)
{
	state->target_bytes = carried_bytes;
	state->pipe_is_validated = true;
	state->growth_shift = 0;
	onramp_begin_approach(state);
	onramp_begin_round(state, ack);
}

/*
 * The excess of the paced window leaves the queue. If the RTT falls back to the baseline, the queue
 * was this connection's own: fill the pipe again at the measured delivery rate, once. Otherwise
 * competing flows keep the queue, and congestion avoidance takes over at this cwnd, or at a quarter
 * of the delivery rate's BDP, whichever is larger.
 */
static inline void onramp_drain(struct onramp *state, const struct startup_ack *ack,
				struct startup_decision *decision)
{
	uint64_t carried_bytes =
		onramp_bdp_bytes(state, state->overload_bytes_per_s, ack->mss_bytes);
	bool is_baseline;

	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!onramp_round_is_complete(state, ack) || !onramp_group_is_complete(state, ack))
		return;
	is_baseline = onramp_rtt_is_baseline(state);
	if (is_baseline && !state->has_repaced && !(state->variant & ONRAMP_WITHOUT_REPACING)) {
		state->has_repaced = true;
		state->bottleneck_bytes_per_s = state->overload_bytes_per_s;
		onramp_fill(state, ack, 0, decision);
		return;
	}
	/* The queue still becomes shorter: wait until it shows whose it is. */
	if (state->group_min_rtt_ns > state->baseline_rtt_ns &&
	    state->group_min_rtt_ns + onramp_queue_ns(state) < state->drain_min_rtt_ns) {
		state->drain_min_rtt_ns = state->group_min_rtt_ns;
		return;
	}
	if (is_baseline) {
		onramp_follow_rate(state, ack, carried_bytes);
		decision->ssthresh_bytes = STARTUP_UNLIMITED;
		return;
	}
	decision->ssthresh_bytes =
		max_u64(carried_bytes / ONRAMP_COMPETING_DIVISOR, ack->cwnd_bytes);
	state->phase = STARTUP_PHASE_DONE;
}

#endif
