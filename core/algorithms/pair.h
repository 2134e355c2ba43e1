/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * pair: slow start paced at the interval between the arrivals of two segments at the receiver.
 *
 * Y. Nishida, O. Nakamura, J. Murai: New Congestion Control mechanism for TCP with Packet Pair
 * scheme. Keio University. Sections 4.1 and 4.2.
 *
 * In one sentence: the bottleneck spaces two segments that leave back to back; the receiver
 * measures that interval and reports it in a TCP option, so the return path and its delay have no
 * influence; a leaky bucket of this interval clocks the sender until ACKs do.
 *
 *   interval = t(second) - t(first)                at the receiver, of each pair
 *   rate     = segment / interval                  of the last pair that was reported
 *
 *   +------------+  cwnd >= ssthresh (exit: ssthresh, estimate)  +------+  (1)  +-----------+
 *   | SLOW START | --------------------------------------------> | SAFE | ----> | AVOIDANCE |
 *   |            |                                               +------+       |           |
 *   |            |                                                ^    ^_ (2) __|           |
 *   |            |_ a loss that fast recovery repairs (exit: loss)_|            |           |
 *   |            | <----------------------------------------------------------- |           |
 *   +------------+  cwnd < ssthresh: after a loss that slow start follows       +-----------+
 *                   (exit: timeout), or idling
 *
 *   (1) cwnd is full, or an RTT has passed     (2) a loss that fast recovery repairs
 *
 * SLOW START  grows as usual. Once in a round trip two segments leave back to back, the pair. The
 *             others leave one in each interval.
 * SAFE        "safe-transmit": congestion avoidance owns cwnd. The segments that cwnd permits leave
 *             one in each interval.
 * AVOIDANCE   is not touched: ACKs clock the sender, and to pace segments "may destroy the status".
 *
 * Differences from the paper, and its open points
 * - When the next pair is due: by figure 5, when the first segment of the last pair has been
 *   acknowledged and cwnd permits two. A pair takes one interval of the bucket, as there.
 * - The paper does not say when safe-transmit ends, only that shaping "leads smooth transition"
 *   and that congestion avoidance is not modified. Here it ends when cwnd is full, or after a round
 *   trip, so that a wrong interval cannot hold a connection back for good. The rest of cwnd then
 *   leaves at once: some 70 segments in figure 12, whose ssthresh is five times the path. With
 *   PAIR_UNTIL_FULL it ends when cwnd is full, however long that takes.
 * - Safe-transmit begins with the loss. In the paper it begins with the new ACK after the
 *   retransmission, so that what leaves in fast recovery is not shaped: PAIR_FROM_ACK.
 * - When cwnd reaches ssthresh, segments that slow start permitted may still wait in the bucket.
 *   Safe-transmit sends them too.
 * - A slow start that does not overflow the path's queue has no loss to end it. Where the host has
 *   no ssthresh, it ends when cwnd is the BDP (exit: estimate), by the higher rate of the last two
 *   reports: a packet of another flow between the two of a pair makes a path seem slow. The paper's
 *   simulator had an ssthresh.
 * - A lower ssthresh that the host sets meanwhile (HyStart) is not used once an interval has been
 *   reported: delays that grow may be those of the return path.
 * - Where the interval is not known, slow start is as usual: the peer does not support packet
 *   pairs, or its clock is too coarse. The same holds for a host with a periodic interrupt from
 *   which more than 10 segments leave per tick at the rate.
 */
#ifndef ONRAMP_PAIR_H
#define ONRAMP_PAIR_H

#include "measure/flight.h"
#include "startup.h"

/* An interval of more than half an RTT is not credible. Slow start begins with more than two
 * segments in an RTT. So a peer that lies or is confused can slow its sender down no further. */
#define PAIR_INTERVAL_DIVISOR 2

/* Bits of the variant: when safe-transmit begins and ends. */
enum pair_variant {
	/* It begins with the first ACK after the recovery: the paper, word for word. */
	PAIR_FROM_ACK = 1 << 0,
	/* It ends when cwnd is full, and not after a round trip. */
	PAIR_UNTIL_FULL = 1 << 1,
};

#define PAIR_VARIANTS(V)                                                                           \
	V("train", "new-ack", PAIR_FROM_ACK)                                                       \
	V("train", "until-full", PAIR_UNTIL_FULL)

struct pair {
	uint64_t rate_bytes_per_s;  /* by the last reported interval; 0: none yet */
	uint64_t prior_bytes_per_s; /* by the one before; 0: none yet */
	uint64_t ssthresh_bytes;    /* the host's when this slow start began */
	uint64_t event_ns;          /* the host's scheduling granularity */
	uint64_t pair_due_bytes;    /* a pair is due when this much is delivered in total */
	uint64_t safe_end_ns;       /* SAFE: an RTT after its first ACK; 0 before that */
	uint64_t variant;           /* enum pair_variant */
	uint32_t phase;
	uint32_t exit; /* enum startup_exit: why slow start ended last */
};
STARTUP_ASSERT_STATE(struct pair);

static inline void pair_start(struct pair *state, const struct startup_start *start,
			      struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->variant = start->variant;
	state->phase = STARTUP_PHASE_SLOW_START;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
	decision->pair = STARTUP_PAIR_ONE;
}

/* The bucket's rate; STARTUP_UNLIMITED where there is none, or the host cannot pace at it. */
static inline uint64_t pair_bucket_rate(const struct pair *state, uint32_t mss_bytes)
{
	uint64_t rate = state->rate_bytes_per_s;

	return rate && startup_can_pace(state->event_ns, rate, mss_bytes) ? rate
									  : STARTUP_UNLIMITED;
}

/* Two segments may leave back to back now. */
static inline bool pair_is_due(const struct pair *state, const struct startup_ack *ack,
			       uint64_t cwnd_bytes)
{
	return ack->delivered_bytes >= state->pair_due_bytes &&
	       cwnd_bytes >= ack->inflight_bytes + 2 * (uint64_t)ack->mss_bytes;
}

/* Slow start, up to the host's ssthresh or, where it has none, to the BDP. */
static inline void pair_slow_start(struct pair *state, const struct startup_ack *ack,
				   struct startup_decision *decision)
{
	uint64_t rate = max_u64(state->rate_bytes_per_s, state->prior_bytes_per_s);
	uint64_t ssthresh_bytes = rate ? state->ssthresh_bytes : ack->ssthresh_bytes;
	bool ssthresh_is_measured =
		ssthresh_bytes == STARTUP_UNLIMITED && state->prior_bytes_per_s && ack->srtt_ns;

	decision->ssthresh_bytes = ssthresh_bytes;
	if (ssthresh_is_measured)
		decision->ssthresh_bytes = bdp_bytes(rate, ack->srtt_ns, ack->mss_bytes);
	decision->cwnd_bytes = startup_slow_start(ack, decision->ssthresh_bytes);
	if (decision->cwnd_bytes >= decision->ssthresh_bytes) {
		state->phase = STARTUP_PHASE_SAFE;
		state->exit = ssthresh_is_measured ? STARTUP_EXIT_ESTIMATE : STARTUP_EXIT_SSTHRESH;
		state->safe_end_ns = ack->now_ns + ack->srtt_ns;
	} else {
		/* The measured ssthresh may still change. */
		decision->ssthresh_bytes = ssthresh_bytes;
		decision->pair = pair_is_due(state, ack, decision->cwnd_bytes);
	}
	if (decision->pair)
		state->pair_due_bytes = ack->delivered_bytes + ack->inflight_bytes + ack->mss_bytes;
}

/* ACKs clock the sender again: cwnd was full, so no segment waits in the bucket, or an RTT has
 * passed.
 */
static inline bool pair_is_clocked(struct pair *state, const struct startup_ack *ack)
{
	if (state->variant & PAIR_UNTIL_FULL)
		return startup_window_was_full(ack);
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
	if (ack->pair_interval_ns &&
	    ack->pair_interval_ns <= ack->srtt_ns / PAIR_INTERVAL_DIVISOR) {
		state->prior_bytes_per_s = state->rate_bytes_per_s;
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

	decision->pacing_bytes_per_s = pair_bucket_rate(state, ack->mss_bytes);
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
	uint64_t bucket_bytes_per_s = pair_bucket_rate(state, loss->mss_bytes);
	bool recovery_follows = loss->kind == STARTUP_LOSS_RECOVERY;

	/* After a loss, delivered bytes no longer show where a pair is. */
	state->pair_due_bytes = 0;
	state->safe_end_ns = 0;
	state->exit = startup_loss_exit(loss);
	state->phase = recovery_follows && bucket_bytes_per_s != STARTUP_UNLIMITED
			       ? STARTUP_PHASE_SAFE
			       : STARTUP_PHASE_AVOIDANCE;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
	};
	startup_pause(decision, (enum startup_exit)state->exit);
	decision->phase = state->phase;
	if (state->phase == STARTUP_PHASE_SAFE && !(state->variant & PAIR_FROM_ACK))
		decision->pacing_bytes_per_s = bucket_bytes_per_s;
}

#endif
