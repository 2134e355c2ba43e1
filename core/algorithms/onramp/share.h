/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp: the share of the BDP that this connection takes, where others start up too. */
#ifndef ONRAMP_ONRAMP_SHARE_H
#define ONRAMP_ONRAMP_SHARE_H

#include "algorithms/onramp/state.h"

/* Connections of this host to the same destination that start up now share the BDP with this one.
 */
static inline uint64_t onramp_own_bytes(const struct onramp *state, const struct startup_ack *ack,
					uint64_t pipe_bytes)
{
	return state->variant & ONRAMP_WITHOUT_SHARING
		       ? pipe_bytes
		       : pipe_bytes / (1 + min_u64(ack->siblings, UINT32_MAX));
}

/*
 * This connection's share of the BDP, where competing flows start at the same time. Their initial
 * windows are the queue in front of this connection's first segments. It made the first RTT longer
 * than the handshake's. Three parts of the difference are no queue of others: the 1 ms that never
 * counts as a queue, the serialisation of the bytes that the first ACK covers, and that of one
 * segment more.
 */
static inline uint64_t onramp_fair_share(const struct onramp *state, const struct startup_ack *ack,
					 uint64_t pipe_bytes)
{
	uint64_t own_bytes = STARTUP_BURST_SEGMENTS * (uint64_t)ack->mss_bytes;
	uint64_t expected_rtt_ns = state->handshake_rtt_ns + ONRAMP_MIN_DELAY_NS +
				   mul_div(state->first_acked_bytes + ack->mss_bytes, NS_PER_S,
					   state->bottleneck_bytes_per_s);
	uint64_t ahead_bytes;

	/* The siblings' initial windows are known, so their queue says nothing about others. */
	if (ack->siblings)
		return onramp_own_bytes(state, ack, pipe_bytes);
	/* The rate of a later flight: the queue of the first one is gone. */
	if (state->flight.first_bytes > state->first_acked_bytes)
		return pipe_bytes;
	if (!state->handshake_rtt_ns || state->first_rtt_ns <= expected_rtt_ns ||
	    state->first_rtt_ns > ONRAMP_PROXY_FACTOR * state->handshake_rtt_ns ||
	    state->variant & ONRAMP_WITHOUT_SHARING)
		return pipe_bytes;
	ahead_bytes = mul_div(state->first_rtt_ns - expected_rtt_ns, state->bottleneck_bytes_per_s,
			      NS_PER_S);
	return mul_div(pipe_bytes, own_bytes, own_bytes + ONRAMP_COMPETING_SIDES * ahead_bytes);
}

#endif
