/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * mine: slow start that triples cwnd in each round trip, until the RTT rises. An example for
 * `onramp try` (docs/add-an-algorithm.md): copy it, and change it.
 *
 *         cwnd += gain * acked            while  min RTT of the last round < (1 + rise) minRTT
 *
 *   +------------+   RTT rose (delay), cwnd >= ssthresh (ssthresh), a loss   +------+
 *   | SLOW START | -------------------------------------------------------> | DONE |
 *   +------------+                                                          +------+
 *
 * Where the delay ends it, cwnd becomes what was delivered in the last round trip: the path carries
 * that, and the rest waits in the queue.
 */
#ifndef MINE_H
#define MINE_H

#include "startup.h"

#define MINE_SUMMARY "slow start that triples cwnd until the RTT rises"

/* What users may set: P(algorithm, name, default, minimum, maximum, "meaning") */
#define MINE_PARAMETERS(P)                                                                         \
	P(mine, gain, 2, 1, 8, "cwnd grows by so many times what is acknowledged.")                \
	P(mine, rise_ppm, 250000, 10000, 1000000, "Growth ends where the RTT rises by this share.")
STARTUP_PARAMETERS(mine, MINE_PARAMETERS);

struct mine {
	struct mine_parameters parameters;
	uint64_t min_rtt_ns;      /* 0: no sample yet */
	uint64_t round_min_ns;    /* the minimum of this round; 0: no sample yet */
	uint64_t round_end_bytes; /* the round ends when so much is delivered */
	uint64_t round_bytes;     /* delivered when it began */
};
STARTUP_ASSERT_STATE(struct mine);

static inline void mine_start(struct mine *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	state->round_end_bytes = start->cwnd_bytes;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* The samples of the round that ends now show a queue. */
static inline bool mine_is_delayed(const struct mine *state)
{
	return state->round_min_ns >
	       state->min_rtt_ns + mul_div(state->min_rtt_ns, state->parameters.rise_ppm, PPM);
}

static inline void mine_ack(struct mine *state, const struct startup_ack *ack,
			    struct startup_decision *decision)
{
	uint64_t cwnd_bytes = ack->cwnd_bytes;
	bool is_full = false;

	state->min_rtt_ns = startup_min_rtt(state->min_rtt_ns, ack);
	state->round_min_ns = startup_min_rtt(state->round_min_ns, ack);
	if (ack->delivered_bytes >= state->round_end_bytes) {
		is_full = mine_is_delayed(state);
		if (is_full)
			cwnd_bytes = max_u64(ack->delivered_bytes - state->round_bytes,
					     2 * (uint64_t)ack->mss_bytes);
		state->round_bytes = ack->delivered_bytes;
		state->round_end_bytes = ack->delivered_bytes + ack->inflight_bytes;
		state->round_min_ns = 0;
	}
	if (!is_full && ack->flags & STARTUP_ACK_CWND_LIMITED)
		cwnd_bytes = min_u64(cwnd_bytes + state->parameters.gain * ack->acked_bytes,
				     ack->ssthresh_bytes);
	startup_begin_slow_start(decision, cwnd_bytes, is_full ? cwnd_bytes : ack->ssthresh_bytes);
	if (is_full)
		startup_finish(decision, STARTUP_EXIT_DELAY);
	else if (cwnd_bytes >= ack->ssthresh_bytes)
		startup_finish(decision, STARTUP_EXIT_SSTHRESH);
}

static inline void mine_loss(struct mine *state, const struct startup_loss *loss,
			     struct startup_decision *decision)
{
	(void)state;
	startup_end_at_loss(loss, decision);
}

#endif
