/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * paced: estimate ssthresh from the spacing of acknowledgements, then fill half of it at the measured rate.
 *
 * M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control. Rice
 * University TR98-318, 1998. Sections 4.2.1 and 4.2.2.
 *
 * In one sentence: slow start runs only until two estimates of the path agree; then what the path can hold is
 * sent at the rate that the path can carry.
 *
 *   bw       = rate of a flight's acknowledgements            (core/ack_train.h)
 *   estimate = bw * RTT                                       at most once per round trip
 *   ssthresh = min(estimates so far)                          in force from the first one on
 *   final when |estimate - ssthresh| <= ssthresh / 10         needs two estimates: the second agrees or not
 *   pthresh  = ssthresh / 2                                   covers an RTT with queueing, or a bw too high by 2
 *   N        = min(p - d, RTT * f_ev)                         p: pthresh, d: in flight, both in segments
 *   T        = max(1 / f_ev, 1 / bw)                          N segments, one each T, for at most one RTT
 *
 *      +------------+  final, d < p   +--------+  one RTT   +----------+  cwnd >= ssthresh  +------+
 *      | SLOW START | --------------> | PACING | ---------> | APPROACH | -----------------> | DONE |
 *      +------------+                 +--------+            +----------+  (exit: estimate)  +------+
 *        |   |  \_ final, d >= p ___________________________^    |                            ^ ^ ^
 *        |   |                                                   |_ a round trip not limited _| | |
 *        |   |                                                      by cwnd (application,       | |
 *        |   |                                                      receiver)                   | |
 *        |   |_ cwnd >= ssthresh before two estimates agree (estimate, ssthresh) _______________| |
 *        |_ and from every phase: a loss (loss, timeout) _________________________________________|
 *
 * Constants
 * - 10 %: the paper's. Two trains that differ by less have probably both seen the bottleneck and nothing else.
 * - 1/2: the paper's, see pthresh above.
 * - 4380 bytes: the paper's initial window (RFC 2414, now RFC 3390). Only on request; the host's is kept otherwise.
 *
 * Differences from the paper, and what it leaves open
 * - "closely spaced" acknowledgements are those of one flight without a long gap, and bw is the slope of the
 *   least-squares line through them instead of a quotient of two, since today's hosts batch packets.
 * - A flight during which the application had too little to send gives no estimate: its spacing is the
 *   application's.
 * - RTT is the host's smoothed RTT, as in the paper's timer framework.
 * - The host's initial window (10 segments on Linux) is kept unless the paper's is asked for.
 * - From pthresh to ssthresh the window grows as in slow start, which the paper implies; segments leave no faster
 *   than bw there too, which it does not say. Without it, that round trip sends at twice the path's rate.
 * - When a loss ends PACING, ssthresh is at most half of what is in flight (RFC 5681, equation 4), since the window
 *   was never filled by acknowledgements.
 */
#ifndef ONRAMP_PACED_H
#define ONRAMP_PACED_H

#include "ack_train.h"
#include "onramp.h"

#define ONRAMP_PACED_AGREEMENT_PART 10
#define ONRAMP_PACED_PTHRESH_PART 2
#define ONRAMP_PACED_INITIAL_WINDOW_BYTES 4380

struct onramp_paced {
	struct onramp_ack_train train;
	uint64_t ssthresh_bytes;  /* the least estimate so far; before the first, the host's */
	uint64_t bw_bytes_per_s;  /* of that estimate; 0 before the first */
	uint64_t event_ns;        /* the host's scheduling granularity, 1 / f_ev */
	uint64_t cwnd_bytes;      /* PACING: the window, d + N */
	uint64_t pacing_end_ns;   /* PACING: one round trip after its start */
	uint64_t round_end_bytes; /* delivered in total when the present flight is acknowledged; 0: between flights */
	uint32_t round_flags;     /* enum onramp_ack_flag: seen in this flight */
	uint32_t phase;
};
ONRAMP_ASSERT_STATE(struct onramp_paced);

static inline uint64_t onramp_paced_initial_window(uint64_t mss_bytes)
{
	return onramp_min(4 * mss_bytes, onramp_max(2 * mss_bytes, ONRAMP_PACED_INITIAL_WINDOW_BYTES));
}

static inline void onramp_paced_start(struct onramp_paced *state, const struct onramp_start *start,
				      struct onramp_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = onramp_max(start->clock.event_ns, 1);
	state->phase = ONRAMP_PHASE_SLOW_START;
	*decision = (struct onramp_decision){
		.cwnd_bytes = start->options & ONRAMP_OPTION_PAPER_INITIAL_WINDOW
				      ? onramp_paced_initial_window(start->mss_bytes)
				      : start->cwnd_bytes,
		.ssthresh_bytes = state->ssthresh_bytes,
		.pacing_bytes_per_s = ONRAMP_UNLIMITED,
		.phase = state->phase,
	};
}

/* Follow the flights, one after the other. True when this acknowledgement completes one. */
static inline bool onramp_paced_flight_ends(struct onramp_paced *state, const struct onramp_ack *ack)
{
	if (!state->round_end_bytes) {
		state->round_end_bytes = ack->delivered_bytes + ack->inflight_bytes;
		state->round_flags = 0;
		onramp_train_begin(&state->train, ack->now_ns, ack->delivered_bytes, ack->srtt_ns);
	} else {
		onramp_train_add(&state->train, ack->now_ns, ack->delivered_bytes, ack->mss_bytes);
	}
	state->round_flags |= ack->flags;
	if (ack->delivered_bytes < state->round_end_bytes)
		return false;
	state->round_end_bytes = 0;
	return true;
}

/* Take the estimate of the flight that just ended. True when it is final. */
static inline bool onramp_paced_estimate(struct onramp_paced *state, const struct onramp_ack *ack)
{
	uint64_t bw = onramp_train_bytes_per_s(&state->train, ack->mss_bytes);
	uint64_t rtt_us = ack->srtt_ns / 1000;
	uint64_t estimate, difference;
	bool first = !state->bw_bytes_per_s;

	if (!bw || !rtt_us || state->round_flags & ONRAMP_ACK_APP_LIMITED)
		return false;
	/* bw < 2^40 (1 TB/s) and rtt_us < 2^24 (16 s): the product fits. */
	estimate = onramp_max(bw * rtt_us / 1000000, 2 * ack->mss_bytes);
	difference =
		estimate > state->ssthresh_bytes ? estimate - state->ssthresh_bytes : state->ssthresh_bytes - estimate;
	bool agrees = !first && difference <= state->ssthresh_bytes / ONRAMP_PACED_AGREEMENT_PART;
	if (first || estimate < state->ssthresh_bytes)
		state->bw_bytes_per_s = bw;
	state->ssthresh_bytes = onramp_min(state->ssthresh_bytes, estimate);
	return agrees;
}

/* The estimate is final: choose the window to fill, d + N. */
static inline void onramp_paced_begin_pacing(struct onramp_paced *state, const struct onramp_ack *ack)
{
	uint64_t mss = ack->mss_bytes;
	uint64_t p = state->ssthresh_bytes / ONRAMP_PACED_PTHRESH_PART / mss;
	uint64_t d = (ack->inflight_bytes + mss - 1) / mss;

	if (p <= d) {
		state->phase = ONRAMP_PHASE_APPROACH;
		return;
	}
	uint64_t n = onramp_min(p - d, ack->srtt_ns / state->event_ns);
	state->phase = ONRAMP_PHASE_PACING;
	state->cwnd_bytes = onramp_max((d + n) * mss, ack->cwnd_bytes);
	state->pacing_end_ns = ack->now_ns + ack->srtt_ns;
}

/* A segment each T = max(1 / f_ev, 1 / bw), as a rate. */
static inline uint64_t onramp_paced_rate(const struct onramp_paced *state, uint64_t mss_bytes)
{
	return onramp_max(onramp_min(state->bw_bytes_per_s, mss_bytes * ONRAMP_NS_PER_S / state->event_ns), 1);
}

static inline void onramp_paced_ack(struct onramp_paced *state, const struct onramp_ack *ack,
				    struct onramp_decision *decision)
{
	bool flight_ends = onramp_paced_flight_ends(state, ack);
	uint64_t pacing_bytes_per_s = ONRAMP_UNLIMITED;
	uint64_t cwnd_bytes = ack->cwnd_bytes;

	if (state->phase == ONRAMP_PHASE_SLOW_START && flight_ends && onramp_paced_estimate(state, ack))
		onramp_paced_begin_pacing(state, ack);
	else if (state->phase == ONRAMP_PHASE_PACING && ack->now_ns >= state->pacing_end_ns)
		state->phase = ONRAMP_PHASE_APPROACH;

	if (state->phase == ONRAMP_PHASE_PACING) {
		cwnd_bytes = state->cwnd_bytes;
		pacing_bytes_per_s = onramp_paced_rate(state, ack->mss_bytes);
	} else {
		if (ack->flags & ONRAMP_ACK_CWND_LIMITED && cwnd_bytes < state->ssthresh_bytes)
			cwnd_bytes = onramp_min(cwnd_bytes + ack->acked_bytes, state->ssthresh_bytes);
		if (state->phase == ONRAMP_PHASE_APPROACH)
			pacing_bytes_per_s = onramp_max(state->bw_bytes_per_s, 1);
	}

	*decision = (struct onramp_decision){
		.cwnd_bytes = cwnd_bytes,
		.ssthresh_bytes = state->ssthresh_bytes,
		.pacing_bytes_per_s = pacing_bytes_per_s,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
		.phase = state->phase,
	};
	if (cwnd_bytes >= state->ssthresh_bytes)
		onramp_finish(decision, state->bw_bytes_per_s ? ONRAMP_EXIT_ESTIMATE : ONRAMP_EXIT_SSTHRESH);
	else if (state->phase == ONRAMP_PHASE_APPROACH && flight_ends &&
		 !(state->round_flags & ONRAMP_ACK_CWND_LIMITED))
		onramp_finish(decision, state->round_flags & ONRAMP_ACK_APP_LIMITED ? ONRAMP_EXIT_APPLICATION
										    : ONRAMP_EXIT_RECEIVER);
}

static inline void onramp_paced_loss(struct onramp_paced *state, const struct onramp_loss *loss,
				     struct onramp_decision *decision)
{
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->phase == ONRAMP_PHASE_PACING)
		ssthresh_bytes = onramp_min(ssthresh_bytes, onramp_max(loss->inflight_bytes / 2, 2 * loss->mss_bytes));
	*decision = (struct onramp_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
	};
	onramp_finish(decision, onramp_loss_exit(loss));
}

#endif
