/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * What the receiver's clock shows of a path: its rate, and the return path's part of an RTT.
 *
 * ACKs carry the bottleneck's spacing back (core/measure/ack_train.h) only if the return path keeps
 * it. A return path that sends in turns aggregates ACKs, a narrow one spaces them by itself, and a
 * shared one does both. Nishida et al. let the receiver measure instead: the time between the
 * arrivals of two segments that left back to back, a pair. The receiver reports it in an option
 * (core/parts/pair_option.h). Without the option, the timestamp of each ACK is a report too, in
 * ticks of a millisecond (core/measure/receiver_clock.h). Two segments show little: with
 * aggregation or jitter on the forward path, the time between them may be anything. So every
 * segment is marked, as one train. Each report is a point: at time t, b bytes had arrived since the
 * first segment. As with ACKs, the rate is the slope of the line through a flight's points, with
 * the same conditions and two more:
 *
 *   rate = slope of the line       as many points as for ACKs, r^2 >= 9/10 (ack_train.h), and
 *
 *   1. The longest gap between two points is at most a third of the train. A few aggregates form a
 *      line too, of almost any slope.
 *   2. The segments left within 3/4 of the time in which they arrived. Otherwise the spacing is the
 *      sender's own, because ACKs came slowly. Slow start sends within half of the time.
 *
 * Reports that form no line are a veto: ACKs are not used then, because more has happened to them
 * than to the segments. Without reports, ACKs give the rate.
 *
 * The return path. A segment that left at s and arrived at a took a - s, by two clocks that differ
 * by an unknown constant. The minimum of a - s is taken as a forward path without a queue. An RTT
 * beyond the minimum RTT is the forward queue plus the delay of the return path:
 *
 *   return = (RTT - RTT_min) - ((a - s) - min(a - s))     for an ACK with a reply
 *
 * The return delay is subtracted from the RTTs of ACKs, until the next reply, or for one RTT at
 * most. So the start-up sees the delays of the forward path alone. When a train begins again after
 * a loss, the whole delay of its first point counts as the forward path's.
 *
 * A peer that lies can report any rate up to the maximum that the start-up accepts (a flight in 288
 * us, core/algorithms/onramp/state.h), or a rate that is too low. It can do both without an
 * option, by the times of its ACKs. It can hide the queue that its data meet, as far as a start-up
 * lets it explain a delay. No RTT becomes longer than it was measured, or shorter than the minimum.
 */
#ifndef ONRAMP_PAIR_RATE_H
#define ONRAMP_PAIR_RATE_H

#include "measure/ack_train.h"
#include "startup.h"

/* The longest gap is at most a third of the train. With 20 ms of jitter on 50 Mbit/s and 100 ms, 1
 * MB takes 0.8 round trips longer without this rule, and 5 MB 2.6 (means of 40 runs). With a
 * quarter, aggregation of 2 ms hides the line for one more flight. */
#define PAIR_RATE_GAP_DIVISOR 3
/* A longer flight is measured more exactly. It is also the path that has spaced the segments where
 * they arrived in so many ticks more than they left in. A clock of microseconds shows jitter of the
 * forward path too, so a tick counts as a millisecond at least. */
#define PAIR_RATE_LATE_TICKS 4
#define PAIR_RATE_LATE_TICK_NS UINT64_C(1000000)

struct pair_rate {
	struct ack_train train;  /* a point for each reply of the flight, by the receiver's clock */
	uint64_t gap_ns;         /* the longest gap between two of its points */
	uint64_t first_left_ns;  /* when the segment of its first point left */
	uint64_t left_ns;        /* when the segment of the latest reply left */
	uint64_t interval_ns;    /* the latest reply; 0: none */
	uint64_t reply_ns;       /* when the latest reply arrived */
	uint64_t min_transit_ns; /* minimum of arrival - departure, by two clocks, modulo 2^64 */
	uint64_t return_ns;      /* the delay of the return path in the latest reply's RTT */
};

/* The pair request of a decision: all segments, while the start-up goes on and no loss is repaired.
 */
static inline uint16_t pair_rate_request(uint32_t options, const struct startup_decision *decision)
{
	bool is_wanted = options & STARTUP_OPTION_PAIRS && !startup_is_over(decision) &&
			 decision->phase != STARTUP_PHASE_RETREAT;

	return is_wanted ? STARTUP_PAIR_TRAIN : STARTUP_PAIR_NONE;
}

/* The RTT of an ACK without the delay of the return path, as far as replies show it. 0: the ACK has
 * no sample. */
static inline uint64_t pair_rate_rtt(struct pair_rate *state, const struct startup_ack *ack,
				     uint64_t min_rtt_ns)
{
	uint64_t left_ns = ack->now_ns - ack->rtt_ns;
	uint64_t transit_ns = ack->pair_interval_ns - left_ns;
	uint64_t excess_ns = ack->rtt_ns - min_u64(min_rtt_ns, ack->rtt_ns);

	if (!ack->rtt_ns)
		return 0;
	if (ack->pair_interval_ns) {
		if (!state->interval_ns || ack->pair_interval_ns < state->interval_ns)
			state->min_transit_ns = transit_ns - excess_ns;
		else if ((int64_t)(transit_ns - state->min_transit_ns) < 0)
			state->min_transit_ns = transit_ns;
		state->left_ns = left_ns;
		state->interval_ns = ack->pair_interval_ns;
		state->reply_ns = ack->now_ns;
		state->return_ns =
			excess_ns - min_u64(transit_ns - state->min_transit_ns, excess_ns);
	} else if (ack->now_ns - state->reply_ns > ack->srtt_ns) {
		state->return_ns = 0;
	}
	return ack->rtt_ns - min_u64(state->return_ns, excess_ns);
}

/* Add the report of an ACK of the flight, after pair_rate_rtt(). */
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

/* The flight is over. The next one begins without points. */
static inline void pair_rate_end(struct pair_rate *state)
{
	state->train.points = 0;
}

/* The receiver has reported at least this number of points of the flight: ACKs are not needed. */
static inline bool pair_rate_has_points(const struct pair_rate *state, uint32_t min_points)
{
	return state->train.points >= min_points;
}

/* The rate at which the flight arrived; 0: the reports form no line. */
static inline uint64_t pair_rate_bytes_per_s(const struct pair_rate *state, uint32_t mss_bytes)
{
	uint64_t arrived_ns = state->train.last_ns - state->train.first_ns;

	if (!train_is_line(&state->train) || state->gap_ns > arrived_ns / PAIR_RATE_GAP_DIVISOR)
		return 0;
	return train_bytes_per_s(&state->train, mss_bytes, 0);
}

/* The path has spaced the segments, not the sender. tick_ns: the resolution of the reports; 0: that
 * of this host's clock. */
static inline bool pair_rate_is_of_path(const struct pair_rate *state, uint64_t tick_ns)
{
	uint64_t arrived_ns = state->train.last_ns - state->train.first_ns;
	/* The resolution of RTTs may be coarser than the time between segments. */
	uint64_t leaving_ns = state->left_ns - min_u64(state->first_left_ns, state->left_ns);

	return leaving_ns <= arrived_ns / 4 * TRAIN_LEAVING_QUARTERS ||
	       (tick_ns &&
		leaving_ns + PAIR_RATE_LATE_TICKS * max_u64(tick_ns, PAIR_RATE_LATE_TICK_NS) <=
			arrived_ns);
}

#endif
