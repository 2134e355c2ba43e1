/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * paced: estimate ssthresh from ACK spacing, then fill half of it at the measured rate.
 *
 * M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control.
 * Rice University TR98-318, 1998. Sections 4.2.1 and 4.2.2.
 *
 * In one sentence: slow start runs only until two estimates of the BDP agree; then that BDP is
 * filled at the bottleneck rate.
 *
 *   bw       = rate of a flight's ACKs                        core/measure/flight.h
 *   estimate = bw * RTT                                       at most once in a round trip
 *   min      = minimum of the estimates so far
 *   ssthresh = min(min, the host's)                           in force from the first estimate on
 *   final when |estimate - min| <= min / 10                   min of the earlier ones: it takes two
 *   pthresh  = ssthresh / 2                                   RTT may include queueing, bw be 2x
 *   N        = min(p - d, RTT * f_ev)                         p: pthresh, d: in flight, in segments
 *   T        = max(1 / f_ev, 1 / bw)                          N segments, one each T, within an RTT
 *
 *   +------------+  (1)  +--------+  (2)  +----------+  (3)  +------+
 *   | SLOW START | ----> | PACING | ----> | APPROACH | ----> | DONE |
 *   +------------+       +--------+       +----------+       +------+
 *      |   |                                   ^               ^ ^
 *      |   +------------------ (4) ------------+               | |
 *      +---------------------- (5) ----------------------------+ |
 *                 from every phase: a loss (loss, timeout) ------+
 *
 *   (1) the estimate is final, d < p       (2) one RTT has passed
 *   (3) cwnd >= ssthresh (exit: estimate), or a flight that cwnd does not limit and that does not
 *       grow (application, receiver)
 *   (4) the estimate is final, d >= p or N = 0
 *   (5) cwnd >= ssthresh before two estimates agree (estimate, ssthresh)
 *
 * Differences from the paper, and its open points
 * - "Closely spaced" ACKs are those of one flight without a long gap. bw is the slope of the
 *   least-squares line through them instead of a quotient of two, since hosts batch packets today.
 * - A flight during which the application had too little to send gives no estimate: its spacing is
 *   the application's.
 * - Where the clock allows less than p - d segments, PACING ends with the next ACK. The paper paces
 *   for up to a round trip. If the d segments left as one burst, this ACK comes after their round
 *   trip. If ACKs of the flight are still arriving, it comes at once, and the N segments leave with
 *   it: in one burst, or several in a tick. On the paper's WAN PACING lasts half a millisecond.
 *   PACED_ROUND is the paper's rule: for a round trip one segment leaves in each T, and no other.
 * - A lower ssthresh that the host sets meanwhile (HyStart) is not used: the estimate replaces it.
 * - RTT is the host's smoothed RTT, as in the paper's timer framework.
 * - The host's initial window (10 segments on Linux) is kept unless the user asks for the paper's.
 * - From pthresh to ssthresh, cwnd grows as in slow start, which the paper implies. There too,
 *   segments leave no faster than bw, which the paper does not say. Otherwise that round trip sends
 *   at twice the path's rate. Where more than 10 segments leave per tick of a periodic interrupt,
 *   the bursts are larger than those that ACKs clock; ACKs alone clock such a host.
 * - When a loss ends PACING, ssthresh is at most half of the bytes in flight (RFC 5681, equation
 *   4), since ACKs never filled the window.
 */
#ifndef ONRAMP_PACED_H
#define ONRAMP_PACED_H

#include "measure/flight.h"
#include "startup.h"

/* Two estimates agree within 10 % (the paper). Two trains that differ by less have probably both
 * seen the bottleneck and nothing else. */
#define PACED_AGREEMENT_DIVISOR 10
/* pthresh is half of ssthresh (the paper): the RTT may include queueing, and bw
 * may be too high by a factor of 2. */
#define PACED_PTHRESH_DIVISOR 2
/* The paper's initial window (RFC 2414, now RFC 3390), on request of the user. */
#define PACED_INITIAL_WINDOW_BYTES 4380

enum paced_variant {
	/* PACING lasts for a round trip, whatever the clock permits: the paper, word for word. */
	PACED_ROUND = 1 << 2,
};

/* The paper's ACKs are the closest of a flight. */
#define PACED_VARIANTS(V) TRAIN_VARIANTS(V) V("train", "round", TRAIN_CLOSEST | PACED_ROUND)

struct paced {
	struct flight flight;
	uint64_t host_ssthresh_bytes;
	uint64_t min_estimate_bytes; /* STARTUP_UNLIMITED before the first estimate */
	uint64_t bw_bytes_per_s;     /* bw of the minimum estimate; 0 before the first */
	uint64_t event_ns;           /* the host's scheduling granularity, 1 / f_ev */
	uint64_t cwnd_bytes;         /* PACING: d + N, or the host's cwnd if that is larger */
	uint64_t pacing_end_ns;      /* PACING: one RTT after its begin */
	uint64_t variant;            /* enum train_variant, enum paced_variant */
	uint32_t phase;
	uint32_t clock_limits_pacing; /* the clock allows less than p - d segments in an RTT, and
					 PACING ends with the next ACK */
};
STARTUP_ASSERT_STATE(struct paced);

/* The initial window of RFC 3390. */
static inline uint64_t paced_initial_window(uint64_t mss_bytes)
{
	return min_u64(4 * mss_bytes, max_u64(2 * mss_bytes, PACED_INITIAL_WINDOW_BYTES));
}

static inline void paced_start(struct paced *state, const struct startup_start *start,
			       struct startup_decision *decision)
{
	state->host_ssthresh_bytes = start->ssthresh_bytes;
	state->min_estimate_bytes = STARTUP_UNLIMITED;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->phase = STARTUP_PHASE_SLOW_START;
	state->variant = start->variant;
	startup_begin_slow_start(decision,
				 start->options & STARTUP_OPTION_PAPER_INITIAL_WINDOW
					 ? paced_initial_window(start->mss_bytes)
					 : start->cwnd_bytes,
				 start->ssthresh_bytes);
}

/* ssthresh in force: the minimum estimate, but at most the host's. */
static inline uint64_t paced_ssthresh(const struct paced *state)
{
	return min_u64(state->host_ssthresh_bytes, state->min_estimate_bytes);
}

/* Take the estimate of the flight that just ended. True: the estimate is final. */
static inline bool paced_estimate(struct paced *state, const struct startup_ack *ack)
{
	uint64_t bw = flight_bytes_per_s(&state->flight, ack, state->variant);
	uint64_t estimate, difference;
	bool is_first = !state->bw_bytes_per_s, agrees;

	if (!bw || !ack->srtt_ns)
		return false;
	estimate = bdp_bytes(bw, ack->srtt_ns, ack->mss_bytes);
	difference = estimate > state->min_estimate_bytes ? estimate - state->min_estimate_bytes
							  : state->min_estimate_bytes - estimate;
	agrees = !is_first && difference <= state->min_estimate_bytes / PACED_AGREEMENT_DIVISOR;
	if (estimate < state->min_estimate_bytes) {
		state->bw_bytes_per_s = bw;
		state->min_estimate_bytes = estimate;
	}
	return agrees;
}

/* The application or the receiver limits the sender, and flights no longer grow. A receiver that
 * still grows its buffer is different: leaving PACING then would send each of its steps as a burst.
 */
static inline bool paced_flights_are_limited(const struct paced *state)
{
	return !state->flight.cwnd_limited &&
	       state->flight.train.flight_bytes <= state->flight.last_bytes;
}

/* The estimate is final: choose the window to fill, d + N. p, d and N are the paper's names. */
static inline void paced_begin_pacing(struct paced *state, const struct startup_ack *ack)
{
	uint64_t mss = ack->mss_bytes;
	uint64_t p = paced_ssthresh(state) / PACED_PTHRESH_DIVISOR / mss;
	uint64_t d = (ack->inflight_bytes + mss - 1) / mss;
	uint64_t ticks = ack->srtt_ns / state->event_ns; /* RTT * f_ev */

	if (p <= d || !ticks) {
		state->phase = STARTUP_PHASE_APPROACH;
		return;
	}
	uint64_t n = min_u64(p - d, ticks);
	state->phase = STARTUP_PHASE_PACING;
	state->clock_limits_pacing = n < p - d && !(state->variant & PACED_ROUND);
	state->cwnd_bytes = max_u64((d + n) * mss, ack->cwnd_bytes);
	state->pacing_end_ns = ack->now_ns + ack->srtt_ns;
}

/* One segment in each T = max(1 / f_ev, 1 / bw), as a rate. */
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
		 (state->clock_limits_pacing || ack->now_ns >= state->pacing_end_ns)) {
		state->phase = STARTUP_PHASE_APPROACH;
		/* Neither the application nor the receiver limited the paced flight. */
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
		startup_finish(decision, state->min_estimate_bytes == ssthresh_bytes
						 ? STARTUP_EXIT_ESTIMATE
						 : STARTUP_EXIT_SSTHRESH);
	else if (state->phase == STARTUP_PHASE_APPROACH && flight_ended &&
		 paced_flights_are_limited(state))
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
