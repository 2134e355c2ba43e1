/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * pair: slow start that leaves at the interval at which the receiver saw two segments arrive.
 *
 * Y. Nishida, O. Nakamura, J. Murai: New Congestion Control mechanism for TCP with Packet Pair
 * scheme. Keio University. Sections 4.1 and 4.2.
 *
 * In one sentence: two segments that leave at once arrive spaced by the bottleneck; the receiver
 * measures that and reports it in a TCP option, so that neither the path of the acknowledgements
 * nor their delay has a part in it, and until acknowledgements clock the sender a leaky bucket of
 * this interval does.
 *
 *   interval = t(second) - t(first)                at the receiver, of each pair
 *   rate     = segment / interval                  of the last pair that was reported
 *
 *      +------------+  cwnd >= ssthresh (exit: ssthresh, estimate)  +------+  window filled, or an
 * RTT  +-----------+ | SLOW START | --------------------------------------------> | SAFE |
 * -------------------------> | AVOIDANCE | |            | +------+                            | |
 *      |            |                                                ^    ^_ a loss that fast
 * recovery __|           | |            |_ a loss that fast recovery repairs (exit: loss)_| repairs
 * |           | |            | |           | |            |
 * <--------------------------------------------------------------------------------- |           |
 *      +------------+  cwnd < ssthresh: after a loss that slow start follows (exit: timeout), or
 * idling  +-----------+
 *
 * SLOW START  grows as ever. Once a round trip two segments leave at once, the pair; the others one
 * each interval. SAFE        "safe-transmit": congestion avoidance has the window, and what it
 * permits leaves one each interval. AVOIDANCE   is not touched: acknowledgements clock the sender,
 * and to space segments "may destroy the status".
 *
 * Constants
 * - 1/2: an interval of more than half a round trip is not believed. Slow start begins with more
 * than two segments in one, and a peer that lies or is confused can make its sender no slower than
 * that.
 *
 * Differences from the paper, and what it leaves open
 * - When the next pair is due: by figure 5, when the first segment of the last pair has been
 * acknowledged and the window permits two. A pair takes one interval of the bucket, as there.
 * - Safe-transmit lasts "until self-clocking is back" in words only: here, until the window is full
 * again, or for a round trip, after which the rest of the window leaves at once. It begins with the
 * loss instead of with the acknowledgement that ends the recovery: that is the acknowledgement
 * which would permit a burst.
 * - What slow start permitted and the bucket still holds when cwnd reaches ssthresh is sent by
 * safe-transmit too.
 * - Slow start that does not overflow the path's queue has no loss to end it. Where the host has no
 * threshold it ends when the window holds what the path carries in a round trip (exit: estimate),
 * by the higher of the last two reports: a packet of somebody else's between the two of a pair
 * makes a path seem slow. The paper's simulator had a threshold.
 * - A threshold that the host lowers meanwhile (HyStart) is not followed once an interval has been
 * reported: delays that grow may be those of the way back.
 * - A path whose interval is not known, because the peer has no packet pairs or the clock is too
 * coarse for it, gets slow start as it is. So does a host whose ticks are worth more than 10
 * segments at the rate.
 */
#ifndef ONRAMP_PAIR_H
#define ONRAMP_PAIR_H

#include "measure/flight.h"
#include "startup.h"

#define PAIR_INTERVAL_PART 2

struct pair {
	uint64_t rate_bytes_per_s;  /* by the last interval that was reported; 0 before the first */
	uint64_t older_bytes_per_s; /* by the one before; 0 before the second */
	uint64_t ssthresh_bytes;    /* the host's when this slow start began */
	uint64_t event_ns;          /* the host's scheduling granularity */
	uint64_t pair_bytes; /* the next pair is due when so much has been delivered in total */
	uint64_t
		safe_end_ns; /* SAFE: a round trip after its first acknowledgement; 0 before that */
	uint32_t phase;
	uint32_t exit; /* enum startup_exit: why slow start ended last */
};
STARTUP_ASSERT_STATE(struct pair);

static inline void pair_start(struct pair *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->phase = STARTUP_PHASE_SLOW_START;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	decision->pair = STARTUP_PAIR_ONE;
}

/* The bucket's rate, or STARTUP_UNLIMITED where there is none, or the host cannot keep it. */
static inline uint64_t pair_bucket(const struct pair *state, uint32_t mss_bytes)
{
	uint64_t rate = state->rate_bytes_per_s;

	return rate && startup_can_pace(state->event_ns, rate, mss_bytes) ? rate
									  : STARTUP_UNLIMITED;
}

/* May two segments leave at once now? */
static inline bool pair_is_due(const struct pair *state, const struct startup_ack *ack,
			       uint64_t cwnd_bytes)
{
	return ack->delivered_bytes >= state->pair_bytes &&
	       cwnd_bytes >= ack->inflight_bytes + 2 * (uint64_t)ack->mss_bytes;
}

/* Slow start, up to the host's threshold or, where it has none, to what the path holds. */
static inline void pair_slow_start(struct pair *state, const struct startup_ack *ack,
				   struct startup_decision *decision)
{
	uint64_t rate = max_u64(state->rate_bytes_per_s, state->older_bytes_per_s);
	uint64_t ssthresh_bytes = rate ? state->ssthresh_bytes : ack->ssthresh_bytes;
	bool is_measured =
		ssthresh_bytes == STARTUP_UNLIMITED && state->older_bytes_per_s && ack->srtt_ns;

	decision->ssthresh_bytes = ssthresh_bytes;
	if (is_measured)
		decision->ssthresh_bytes = bdp_bytes(rate, ack->srtt_ns, ack->mss_bytes);
	decision->cwnd_bytes = startup_slow_start(ack, decision->ssthresh_bytes);
	if (decision->cwnd_bytes >= decision->ssthresh_bytes) {
		state->phase = STARTUP_PHASE_SAFE;
		state->exit = is_measured ? STARTUP_EXIT_ESTIMATE : STARTUP_EXIT_SSTHRESH;
		state->safe_end_ns = ack->now_ns + ack->srtt_ns;
	} else {
		/* The threshold that is measured may still move. */
		decision->ssthresh_bytes = ssthresh_bytes;
		decision->pair = pair_is_due(state, ack, decision->cwnd_bytes);
	}
	if (decision->pair)
		state->pair_bytes = ack->delivered_bytes + ack->inflight_bytes + ack->mss_bytes;
}

/* Do acknowledgements clock the sender again? Nothing waits for the bucket where the window was
 * full. */
static inline bool pair_is_clocked(struct pair *state, const struct startup_ack *ack)
{
	if (!state->safe_end_ns)
		state->safe_end_ns = ack->now_ns + ack->srtt_ns;
	return startup_window_was_full(ack) || ack->now_ns >= state->safe_end_ns;
}

static inline void pair_ack(struct pair *state, const struct startup_ack *ack,
			    struct startup_decision *decision)
{
	*decision = (struct startup_decision){
		.cwnd_bytes = ack->cwnd_bytes,
		.ssthresh_bytes = ack->ssthresh_bytes,
	};
	if (ack->pair_interval_ns && ack->pair_interval_ns <= ack->srtt_ns / PAIR_INTERVAL_PART) {
		state->older_bytes_per_s = state->rate_bytes_per_s;
		state->rate_bytes_per_s =
			max_u64(ack->mss_bytes * NS_PER_S / ack->pair_interval_ns, 1);
	}
	if (state->phase == STARTUP_PHASE_AVOIDANCE) {
		state->phase = STARTUP_PHASE_SLOW_START;
		state->ssthresh_bytes = ack->ssthresh_bytes;
	}

	if (state->phase == STARTUP_PHASE_SLOW_START)
		pair_slow_start(state, ack, decision);
	else if (pair_is_clocked(state, ack))
		state->phase = STARTUP_PHASE_AVOIDANCE;

	decision->pacing_bytes_per_s = pair_bucket(state, ack->mss_bytes);
	if (state->phase == STARTUP_PHASE_SAFE && decision->pacing_bytes_per_s == STARTUP_UNLIMITED)
		state->phase = STARTUP_PHASE_AVOIDANCE;
	if (state->phase == STARTUP_PHASE_AVOIDANCE)
		startup_pause(decision, (enum startup_exit)state->exit);
	decision->estimate_bytes_per_s = state->rate_bytes_per_s;
	decision->phase = state->phase;
	decision->exit = state->phase == STARTUP_PHASE_SLOW_START ? STARTUP_EXIT_NONE : state->exit;
}

static inline void pair_loss(struct pair *state, const struct startup_loss *loss,
			     struct startup_decision *decision)
{
	uint64_t bucket_bytes_per_s = pair_bucket(state, loss->mss_bytes);
	bool is_recovered = loss->kind == STARTUP_LOSS_RECOVERY;

	/* What was delivered says nothing any more of where a pair is. */
	state->pair_bytes = 0;
	state->safe_end_ns = 0;
	state->exit = startup_loss_exit(loss);
	state->phase = is_recovered && bucket_bytes_per_s != STARTUP_UNLIMITED
			       ? STARTUP_PHASE_SAFE
			       : STARTUP_PHASE_AVOIDANCE;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
	};
	startup_pause(decision, (enum startup_exit)state->exit);
	decision->phase = state->phase;
	if (state->phase == STARTUP_PHASE_SAFE)
		decision->pacing_bytes_per_s = bucket_bytes_per_s;
}

#endif
