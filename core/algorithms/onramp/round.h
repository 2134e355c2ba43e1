/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp: round trips, their delivery rate, and the delay that counts as a queue. */
#ifndef ONRAMP_ONRAMP_ROUND_H
#define ONRAMP_ONRAMP_ROUND_H

#include "algorithms/onramp/remember.h"
#include "algorithms/onramp/state.h"

static inline void onramp_begin_round(struct onramp *state, const struct startup_ack *ack)
{
	state->round = (struct onramp_round){
		.begin_ns = ack->now_ns,
		.begin_delivered_bytes = ack->delivered_bytes,
		.end_delivered_bytes = ack->delivered_bytes + ack->inflight_bytes,
		.cwnd_bytes = ack->cwnd_bytes,
	};
}

static inline bool onramp_round_is_complete(const struct onramp *state,
					    const struct startup_ack *ack)
{
	return ack->delivered_bytes >= state->round.end_delivered_bytes;
}

/* The delivery rate since the round began. */
static inline uint64_t onramp_round_bytes_per_s(const struct onramp *state,
						const struct startup_ack *ack)
{
	return rate_bytes_per_s(ack->delivered_bytes - state->round.begin_delivered_bytes,
				ack->now_ns - state->round.begin_ns);
}

/* The RTT increase that is a queue. */
static inline uint64_t onramp_queue_ns(const struct onramp *state)
{
	return min_u64(max_u64(state->min_rtt_ns / ONRAMP_DELAY_DIVISOR, ONRAMP_MIN_DELAY_NS),
		       ONRAMP_MAX_DELAY_NS);
}

/* The round is complete. The next one is compared with its delivery rate, cwnd and RTT. */
static inline void onramp_end_round(struct onramp *state, const struct startup_ack *ack)
{
	if (state->round.min_rtt_ns)
		state->baseline_rtt_ns = state->round.min_rtt_ns;
	state->last_round_bytes_per_s = onramp_round_bytes_per_s(state, ack);
	state->last_round_cwnd_bytes = state->round.cwnd_bytes;
	/* Cap at the bytes delivered in this round: ACK aggregation inflates the rate. */
	onramp_learn(state, state->last_round_bytes_per_s,
		     ack->delivered_bytes - state->round.begin_delivered_bytes);
	onramp_begin_round(state, ack);
}

/* This RTT has a queue that the last round did not have. */
static inline bool onramp_rtt_is_delayed(const struct onramp *state, uint64_t rtt_ns)
{
	return rtt_ns > state->baseline_rtt_ns + onramp_queue_ns(state);
}

/* Take an RTT sample. True when it completes a group; group_min_rtt_ns is the group's minimum. */
static inline bool onramp_group_is_complete(struct onramp *state, const struct startup_ack *ack)
{
	if (!ack->rtt_ns)
		return false;
	state->round.min_rtt_ns = startup_min_rtt(state->round.min_rtt_ns, ack);
	if (!state->sample_count || ack->rtt_ns < state->group_min_rtt_ns)
		state->group_min_rtt_ns = ack->rtt_ns;
	if (++state->sample_count < ONRAMP_GROUP_SAMPLES)
		return false;
	state->sample_count = 0;
	return true;
}

/* The latest group of samples has a queue that the last round did not have. */
static inline bool onramp_group_is_delayed(const struct onramp *state)
{
	return !(state->variant & ONRAMP_WITHOUT_DELAY) &&
	       onramp_rtt_is_delayed(state, state->group_min_rtt_ns);
}

#endif
