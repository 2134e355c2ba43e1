/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * paced: estimate ssthresh from the spacing of acknowledgements, then fill half of it at the
 * measured rate.
 *
 * M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control.
 * Rice University TR98-318, 1998. Sections 4.2.1 and 4.2.2.
 *
 * In one sentence: slow start runs only until two estimates of the path agree; then what the path
 * can hold is sent at the rate that the path can carry.
 *
 *   bw       = rate of a flight's acknowledgements            (core/measure/flight.h)
 *   estimate = bw * RTT                                       at most once per round trip
 *   least    = min(estimates so far)
 *   ssthresh = min(least, the host's)                         in force from the first estimate on
 *   final when |estimate - least| <= least / 10               least of those before: it takes two
 *   pthresh  = ssthresh / 2                                   covers an RTT with queueing, or a bw
 * too high by 2 N        = min(p - d, RTT * f_ev)                         p: pthresh, d: in flight,
 * both in segments T        = max(1 / f_ev, 1 / bw)                          N segments, one each
 * T, for at most one RTT
 *
 *      +------------+  final, d < p   +--------+  one RTT   +----------+  cwnd >= ssthresh +------+
 *      | SLOW START | --------------> | PACING | ---------> | APPROACH | -----------------> | DONE
 * |
 *      +------------+                 +--------+            +----------+  (exit: estimate) +------+
 *        |   |  \_ final, d >= p or N = 0 __________________^    |                            ^ ^ ^
 *        |   |                                                   |_ a flight that is not _____| | |
 *        |   |                                                      limited by cwnd and does    | |
 *        |   |                                                      not grow (application,      | |
 *        |   |                                                      receiver)                   | |
 *        |   |_ cwnd >= ssthresh before two estimates agree (estimate, ssthresh) _______________| |
 *        |_ and from every phase: a loss (loss, timeout) _________________________________________|
 *
 * Constants
 * - 10 %: the paper's. Two trains that differ by less have probably both seen the bottleneck and
 * nothing else.
 * - 1/2: the paper's, see pthresh above.
 * - 4380 bytes: the paper's initial window (RFC 2414, now RFC 3390). Only on request; the host's is
 * kept otherwise.
 *
 * Differences from the paper, and what it leaves open
 * - "closely spaced" acknowledgements are those of one flight without a long gap, and bw is the
 * slope of the least-squares line through them instead of a quotient of two, since today's hosts
 * batch packets.
 * - A flight during which the application had too little to send gives no estimate: its spacing is
 * the application's.
 * - Where the clock allows less than p - d segments, PACING ends with the next acknowledgement. It
 * comes when the d segments have made their round trip, and is sooner than the N ticks' end by what
 * the d segments were apart.
 * - A threshold that the host lowers meanwhile (HyStart) is not followed: the estimate is there to
 * replace it.
 * - RTT is the host's smoothed RTT, as in the paper's timer framework.
 * - The host's initial window (10 segments on Linux) is kept unless the paper's is asked for.
 * - From pthresh to ssthresh the window grows as in slow start, which the paper implies; segments
 * leave no faster than bw there too, which it does not say. Without it, that round trip sends at
 * twice the path's rate. A periodic interrupt whose ticks are worth more than 10 segments makes
 * worse bursts than acknowledgements do; there they alone clock.
 * - When a loss ends PACING, ssthresh is at most half of what is in flight (RFC 5681, equation 4),
 * since the window was never filled by acknowledgements.
 */
#ifndef ONRAMP_PACED_H
#define ONRAMP_PACED_H

#include "measure/flight.h"
#include "startup.h"

#define PACED_AGREEMENT_PART 10
#define PACED_PTHRESH_PART 2
#define PACED_INITIAL_WINDOW_BYTES 4380

struct paced {
	struct flight flight;
	uint64_t ssthresh_bytes; /* the host's */
	uint64_t least_bytes;    /* the least estimate so far; STARTUP_UNLIMITED before the first */
	uint64_t bw_bytes_per_s; /* of that estimate; 0 before the first */
	uint64_t event_ns;       /* the host's scheduling granularity, 1 / f_ev */
	uint64_t cwnd_bytes;     /* PACING: the window, d + N, or the host's if that is more */
	uint64_t pacing_end_ns;  /* PACING: one round trip after its start */
	uint32_t phase;
	uint32_t options;   /* enum startup_option */
	uint32_t is_coarse; /* the clock allows less than p - d segments in a round trip */
};
STARTUP_ASSERT_STATE(struct paced);

static inline uint64_t paced_initial_window(uint64_t mss_bytes)
{
	return min_u64(4 * mss_bytes, max_u64(2 * mss_bytes, PACED_INITIAL_WINDOW_BYTES));
}

static inline void paced_start(struct paced *state, const struct startup_start *start,
			       struct startup_decision *decision)
{
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->least_bytes = STARTUP_UNLIMITED;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->phase = STARTUP_PHASE_SLOW_START;
	state->options = start->options;
	startup_begin_slow_start(decision,
				 start->options & STARTUP_OPTION_PAPER_INITIAL_WINDOW
					 ? paced_initial_window(start->mss_bytes)
					 : start->cwnd_bytes,
				 start->ssthresh_bytes);
}

static inline uint64_t paced_ssthresh(const struct paced *state)
{
	return min_u64(state->ssthresh_bytes, state->least_bytes);
}

/* Take the estimate of the flight that just ended. True when it is final. */
static inline bool paced_estimate(struct paced *state, const struct startup_ack *ack)
{
	uint64_t bw = flight_bytes_per_s(&state->flight, ack, state->options);
	uint64_t estimate, difference;
	bool first = !state->bw_bytes_per_s, agrees;

	if (!bw || !ack->srtt_ns)
		return false;
	estimate = bdp_bytes(bw, ack->srtt_ns, ack->mss_bytes);
	difference = estimate > state->least_bytes ? estimate - state->least_bytes
						   : state->least_bytes - estimate;
	agrees = !first && difference <= state->least_bytes / PACED_AGREEMENT_PART;
	if (estimate < state->least_bytes) {
		state->bw_bytes_per_s = bw;
		state->least_bytes = estimate;
	}
	return agrees;
}

/* Does something else than the window limit the sender, and no longer give way? A receiver that is
 * still growing its buffer does: to leave pacing then would send each of its steps as a burst. */
static inline bool paced_stands_still(const struct paced *state)
{
	return !state->flight.cwnd_limited &&
	       state->flight.train.flight_bytes <= state->flight.last_bytes;
}

/* The estimate is final: choose the window to fill, d + N. */
static inline void paced_begin_pacing(struct paced *state, const struct startup_ack *ack)
{
	uint64_t mss = ack->mss_bytes;
	uint64_t p = paced_ssthresh(state) / PACED_PTHRESH_PART / mss;
	uint64_t d = (ack->inflight_bytes + mss - 1) / mss;
	uint64_t ticks = ack->srtt_ns / state->event_ns; /* RTT * f_ev */

	if (p <= d || !ticks) {
		state->phase = STARTUP_PHASE_APPROACH;
		return;
	}
	uint64_t n = min_u64(p - d, ticks);
	state->phase = STARTUP_PHASE_PACING;
	state->is_coarse = n < p - d;
	state->cwnd_bytes = max_u64((d + n) * mss, ack->cwnd_bytes);
	state->pacing_end_ns = ack->now_ns + ack->srtt_ns;
}

/* A segment each T = max(1 / f_ev, 1 / bw), as a rate. */
static inline uint64_t paced_rate(const struct paced *state, uint64_t mss_bytes)
{
	return max_u64(min_u64(state->bw_bytes_per_s, mss_bytes * NS_PER_S / state->event_ns), 1);
}

static inline void paced_ack(struct paced *state, const struct startup_ack *ack,
			     struct startup_decision *decision)
{
	bool flight_ended = flight_ends(&state->flight, ack);
	uint64_t pacing_bytes_per_s = STARTUP_UNLIMITED;
	uint64_t cwnd_bytes, ssthresh_bytes;

	if (state->phase == STARTUP_PHASE_SLOW_START && flight_ended && paced_estimate(state, ack))
		paced_begin_pacing(state, ack);
	else if (state->phase == STARTUP_PHASE_PACING &&
		 (state->is_coarse || ack->now_ns >= state->pacing_end_ns)) {
		state->phase = STARTUP_PHASE_APPROACH;
		/* What was paced was held back by neither the application nor the receiver. */
		state->flight.cwnd_limited++;
	}
	ssthresh_bytes = paced_ssthresh(state);

	if (state->phase == STARTUP_PHASE_PACING) {
		cwnd_bytes = state->cwnd_bytes;
		pacing_bytes_per_s = paced_rate(state, ack->mss_bytes);
	} else {
		cwnd_bytes = startup_slow_start(ack, ssthresh_bytes);
		if (state->phase == STARTUP_PHASE_APPROACH &&
		    startup_can_pace(state->event_ns, state->bw_bytes_per_s, ack->mss_bytes))
			pacing_bytes_per_s = max_u64(state->bw_bytes_per_s, 1);
	}

	*decision = (struct startup_decision){
		.cwnd_bytes = cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.pacing_bytes_per_s = pacing_bytes_per_s,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
		.phase = state->phase,
	};
	if (cwnd_bytes >= ssthresh_bytes)
		startup_finish(decision, state->least_bytes == ssthresh_bytes
						 ? STARTUP_EXIT_ESTIMATE
						 : STARTUP_EXIT_SSTHRESH);
	else if (state->phase == STARTUP_PHASE_APPROACH && flight_ended && paced_stands_still(state))
		startup_finish(decision, flight_app_limited(&state->flight)
						 ? STARTUP_EXIT_APPLICATION
						 : STARTUP_EXIT_RECEIVER);
}

static inline void paced_loss(struct paced *state, const struct startup_loss *loss,
			      struct startup_decision *decision)
{
	uint64_t ssthresh_bytes = loss->ssthresh_bytes;

	if (state->phase == STARTUP_PHASE_PACING)
		ssthresh_bytes = min_u64(ssthresh_bytes, max_u64(loss->inflight_bytes / 2,
								 2 * (uint64_t)loss->mss_bytes));
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.estimate_bytes_per_s = state->bw_bytes_per_s,
	};
	startup_finish(decision, startup_loss_exit(loss));
}

#endif
