/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, APPROACH: how fast cwnd grows once the paced window is acknowledged. */
#ifndef ONRAMP_ONRAMP_GROW_H
#define ONRAMP_ONRAMP_GROW_H

#include "algorithms/onramp/round.h"
#include "parts/path_memory.h"

/* The part of the BDP that is filled before an ACK has validated it. */
static inline uint64_t onramp_unvalidated_bytes(const struct onramp *state, uint64_t pipe_bytes,
						uint32_t mss_bytes)
{
	if (state->variant & ONRAMP_WITHOUT_VALIDATING)
		return pipe_bytes;
	return min_u64(pipe_bytes, pipe_bytes / 4 * ONRAMP_UNVALIDATED_QUARTERS +
					   ONRAMP_UNVALIDATED_SEGMENTS * (uint64_t)mss_bytes);
}

static inline void onramp_begin_approach(struct onramp *state)
{
	state->phase = STARTUP_PHASE_APPROACH;
	state->probe_bytes_per_s = 0;
	state->is_probing = false;
	state->sample_count = 0;
}

/* Grow again after HOLD: in APPROACH, or in slow start if no BDP is known. */
static inline void onramp_grow_again(struct onramp *state)
{
	onramp_begin_approach(state);
	if (state->target_bytes)
		return;
	state->phase = STARTUP_PHASE_SLOW_START;
	/* Slow start samples only the beginning of a flight. This flight has had its group. */
	state->sample_count = ONRAMP_GROUP_SAMPLES;
}

static inline void onramp_begin_hold(struct onramp *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_HOLD;
	/* Before validation, the round in which the paced flight arrives goes on. */
	if (state->pipe_is_validated)
		onramp_begin_round(state, ack);
}

/* The start-up ends with this cwnd, which fills the pipe, or this connection's share of it. After
 * an idle time it goes on from there. */
static inline void onramp_stay(struct onramp *state, enum startup_exit exit,
			       struct startup_decision *decision)
{
	decision->ssthresh_bytes = decision->cwnd_bytes;
	decision->is_full = exit == STARTUP_EXIT_DELAY;
	state->exit = exit;
	state->phase = STARTUP_PHASE_AVOIDANCE;
}

/* Whatever the receiver says, the pipe is full at this cwnd, where this host's own clock has shown
 * a queue throughout the round: it is far larger than the BDP. */
static inline uint64_t onramp_full_bytes(const struct onramp *state, const struct startup_ack *ack)
{
	if (!state->pipe_is_validated || !state->path_bytes_per_s ||
	    state->variant & ONRAMP_WITHOUT_DELAY ||
	    state->round.own_rtt_ns <= state->min_rtt_ns + onramp_queue_ns(state))
		return STARTUP_UNLIMITED;
	return ONRAMP_OVERFULL_BDPS *
	       onramp_bdp_bytes(state, state->path_bytes_per_s, ack->mss_bytes);
}

/* The growth of a cwnd when this many bytes of it are acknowledged. */
static inline uint64_t onramp_growth_bytes(const struct onramp *state,
					   const struct startup_ack *ack, uint64_t cwnd_bytes,
					   uint64_t acked_bytes)
{
	/* The application or the receiver held cwnd back, or an idle time has reduced it. */
	if (cwnd_bytes < onramp_unvalidated_bytes(state, state->target_bytes, ack->mss_bytes))
		return acked_bytes;
	if (!state->pipe_is_validated)
		return cwnd_bytes < state->target_bytes || !state->has_resumed
			       ? acked_bytes / ONRAMP_VALIDATING_GROWTH_DIVISOR
			       : 0;
	return state->variant & ONRAMP_WITHOUT_EASING ? acked_bytes
						      : acked_bytes >> state->growth_shift;
}

/* ACKs clock the sender, and cwnd grows until a group of samples is delayed. */
static inline void onramp_approach(struct onramp *state, const struct startup_ack *ack,
				   struct startup_decision *decision)
{
	uint64_t full_bytes;

	if (onramp_group_is_complete(state, ack) && onramp_group_is_delayed(state)) {
		onramp_begin_hold(state, ack);
		return;
	}
	if (ack->flags & STARTUP_ACK_CWND_LIMITED)
		state->growth_remainder_bytes +=
			onramp_growth_bytes(state, ack, ack->cwnd_bytes, ack->acked_bytes);
	/* Hosts count whole segments. */
	decision->cwnd_bytes +=
		state->growth_remainder_bytes - state->growth_remainder_bytes % ack->mss_bytes;
	state->growth_remainder_bytes %= ack->mss_bytes;
	/* Learn from the paced flight as soon as enough of it has arrived to be remembered. */
	if (!state->last_round_bytes_per_s &&
	    ack->delivered_bytes - state->round.begin_delivered_bytes >=
		    PATH_MEMORY_MIN_WINDOWS * state->initial_cwnd_bytes)
		onramp_learn(
			state,
			min_u64(onramp_round_bytes_per_s(state, ack), state->paced_bytes_per_s),
			STARTUP_UNLIMITED);
	if (!onramp_round_is_complete(state, ack))
		return;
	full_bytes = onramp_full_bytes(state, ack);
	if (ack->cwnd_bytes > full_bytes) {
		decision->cwnd_bytes = full_bytes;
		onramp_stay(state, STARTUP_EXIT_DELAY, decision);
		return;
	}
	onramp_end_round(state, ack);
	if (ack->cwnd_bytes < state->target_bytes / 8 * ONRAMP_CARRIED_EIGHTHS)
		return;
	if (state->pipe_is_validated)
		onramp_double_growth(state);
	else
		onramp_validate(state);
	if (state->variant & ONRAMP_WITHOUT_RAISING) {
		decision->ssthresh_bytes = max_u64(decision->cwnd_bytes, state->target_bytes);
		state->exit = STARTUP_EXIT_ESTIMATE;
		state->phase = STARTUP_PHASE_DONE;
	}
}

#endif
