/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What the receiver's clock says of a path: its rate, and how much of a round trip was the way
 * back's.
 *
 * Acknowledgements bring a bottleneck's spacing back (core/measure/ack_train.h) only where their
 * own way lets them: one that sends when it is granted a turn bunches them, one that is narrow
 * spaces them by itself, one that others use does both. Nishida et al. have the receiver measure
 * instead: the time between the arrivals of two segments that left at once, a pair, which it
 * reports in an option (core/parts/pair_option.h). Two segments say little: a bunch on the way
 * there, a delay that varies, and the time between the two is anything. So all segments are marked,
 * as one train, and what the receiver reports is a point for each: at time t, b bytes had arrived
 * since the first. The rate is the slope of the line through a flight's points, as it is of
 * acknowledgements, and of the same quality:
 *
 *   rate = slope of the line       as many points as it takes there, r^2 >= 9/10
 * (core/measure/ack_train.h), and
 *
 *   1. The longest gap between two points is no more than a third of the whole. A few bunches lie
 * on a line too, of almost any slope.
 *   2. The segments left in 3/4 of the time in which they arrived, or less. What the sender itself
 * has spaced, because acknowledgements came slowly, has the sender's spacing. Slow start's leave in
 * half of the time.
 *
 * Reports that are no line are a veto: acknowledgements, which have met more than the segments
 * have, say nothing then. Without reports it is theirs to say.
 *
 * The way back. A segment that left at s and arrived at a took a - s, by two clocks that differ by
 * anything, but by the same all the time; the least that one took is taken for a way there without
 * a queue. What a round trip has beyond the least is the queue there and what the way back adds:
 *
 *   back = (RTT - RTT_min) - ((a - s) - min(a - s))       of an acknowledgement with a reply
 *
 * It is subtracted from the round trips of acknowledgements, until the next reply, and for a round
 * trip at the longest. So the start-up sees delays of the data alone. A train that begins anew,
 * after a loss, has a first point whose delay is all taken for the way there.
 *
 * A peer that lies. It can make a rate of any height up to what the start-up believes of anybody
 * (in core/algorithms/onramp.h, 32 us a segment), and a rate that is too low. It can do both
 * without an option, by when it acknowledges. It can hide the queue that its data meet: the window
 * then grows until a loss, as slow start's does. Round trips become no longer than they were
 * measured, and no shorter than the least one.
 *
 * Constants
 * - A third: with a jitter of 20 ms on 50 Mbit/s and 100 ms, 1 MB takes 0.8 round trips longer
 * without this rule and 5 MB 2.6 (means of 40 runs); with a quarter, bunches of 2 ms hide the line
 * for a flight longer.
 * - 3/4: between slow start's half and all, where the two are the same.
 */
#ifndef ONRAMP_PAIR_RATE_H
#define ONRAMP_PAIR_RATE_H

#include "measure/ack_train.h"
#include "startup.h"

#define PAIR_RATE_GAP_PART 3

struct pair_rate {
	struct ack_train train; /* a point for each reply of the flight: times are the receiver's */
	uint64_t gap_ns;        /* the longest between two of its points */
	uint64_t first_left_ns; /* when the segment of its first point left */
	uint64_t left_ns;       /* when that of the latest reply did */
	uint64_t last_ns;       /* what that reply said; 0: there was none */
	uint64_t told_ns;       /* when it came */
	uint64_t base_ns;       /* the least time that a segment took, modulo 2^64 */
	uint64_t back_ns; /* what the way back added to the latest acknowledgement with a reply */
};

/* What a decision asks of the host. */
static inline uint16_t pair_rate_request(uint32_t options, const struct startup_decision *decision)
{
	bool is_asked = options & STARTUP_OPTION_PAIRS && !startup_is_over(decision) &&
			decision->phase != STARTUP_PHASE_RETREAT;

	return is_asked ? STARTUP_PAIR_TRAIN : STARTUP_PAIR_NONE;
}

/* The round trip of any acknowledgement without what the way back has added to it, as far as
 * replies tell. 0: it has no sample. */
static inline uint64_t pair_rate_rtt(struct pair_rate *state, const struct startup_ack *ack,
				     uint64_t rtt_min_ns)
{
	uint64_t left_ns = ack->now_ns - ack->rtt_ns, took_ns = ack->pair_interval_ns - left_ns;
	uint64_t excess_ns = ack->rtt_ns - min_u64(rtt_min_ns, ack->rtt_ns);

	if (!ack->rtt_ns)
		return 0;
	if (ack->pair_interval_ns) {
		if (!state->last_ns || ack->pair_interval_ns < state->last_ns)
			state->base_ns = took_ns - excess_ns;
		else if ((int64_t)(took_ns - state->base_ns) < 0)
			state->base_ns = took_ns;
		state->left_ns = left_ns;
		state->last_ns = ack->pair_interval_ns;
		state->told_ns = ack->now_ns;
		state->back_ns = excess_ns - min_u64(took_ns - state->base_ns, excess_ns);
	} else if (ack->now_ns - state->told_ns > ack->srtt_ns) {
		state->back_ns = 0;
	}
	return ack->rtt_ns - min_u64(state->back_ns, excess_ns);
}

/* An acknowledgement of the flight, after its round trip was looked at. */
static inline void pair_rate_add(struct pair_rate *state, const struct startup_ack *ack)
{
	if (!ack->pair_interval_ns || !ack->rtt_ns)
		return;
	if (!state->train.points) {
		train_begin(&state->train, ack->pair_interval_ns, ack->pair_bytes,
			    ack->inflight_bytes);
		state->first_left_ns = state->left_ns;
		state->gap_ns = 0;
		return;
	}
	state->gap_ns = max_u64(state->gap_ns, ack->pair_interval_ns - state->train.last_ns);
	train_add(&state->train, ack->pair_interval_ns, ack->pair_bytes, ack->mss_bytes,
		  ack->srtt_ns);
}

/* The flight is over, and the next one begins. */
static inline void pair_rate_end(struct pair_rate *state)
{
	state->train.points = 0;
}

/* Has the receiver said enough of this flight, so many points, for the acknowledgements not to be
 * asked? */
static inline bool pair_rate_has_points(const struct pair_rate *state, uint32_t least_points)
{
	return state->train.points >= least_points;
}

/* The flight's rate; 0: what the receiver has said is none that could be relied upon. */
static inline uint64_t pair_rate_bytes_per_s(const struct pair_rate *state, uint32_t mss_bytes)
{
	uint64_t arrived_ns = state->train.last_ns - state->train.first_ns;
	/* Round trips may be measured more coarsely than what left at once was apart. */
	uint64_t took_to_leave_ns = state->left_ns - min_u64(state->first_left_ns, state->left_ns);

	if (!train_is_line(&state->train) || state->gap_ns > arrived_ns / PAIR_RATE_GAP_PART ||
	    took_to_leave_ns > arrived_ns / 4 * 3)
		return 0;
	return train_bytes_per_s(&state->train, mss_bytes, 0);
}

#endif
