/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * spaced: slow start that sends no faster than the path delivers.
 *
 * N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
 * Links. INRIA RR-3573, 1998. Section 4, the second proposition.
 *
 * In one sentence: slow start sends two segments for each acknowledgement, twice what the
 * bottleneck serves, and overflows a buffer that is small for the path; sent at the rate at which
 * acknowledgements arrive, the same segments do not.
 *
 *   W_B(R) = B R / (R + lambda - mu)                 (9)   the window at which slow start overflows
 * the buffer mu - lambda <= R < R_max                         (10)  then W_B(R) is above the
 * threshold R      = 9/8 * rate of a flight's acknowledgements     (core/measure/flight.h), and
 * cwnd / RTT at least
 *
 *      +------------+  cwnd >= ssthresh  +--------+  window filled, or an RTT   +-----------+
 *      | SLOW START | -----------------> | PACING | --------------------------> | AVOIDANCE |
 *      |            |                    +--------+  (exit: ssthresh, estimate) |           |
 *      |            | <-------------------------------------------------------- |           |
 *      +------------+  cwnd < ssthresh: after a loss that slow start follows,   +-----------+
 *            |         or after idling                                                ^
 *            |______ from both phases: a loss (exit: loss, timeout) __________________|
 *
 * Slow start's growth is unchanged: the window grows by what is acknowledged, and what it permits
 * leaves spaced by 1/R. That is the paper's "one TCP packet for each ACK of the burst received in a
 * mini-cycle, then the remaining packets at an average rate calculated from the incoming ACKs".
 * When the window has reached its threshold, part of what slow start permitted still waits for its
 * turn: PACING sends that, and congestion avoidance then is left alone.
 *
 * Constants
 * - 1/8: "An R slower than mu - lambda makes the source the bottleneck". A measured rate that is
 * too low by less than this still is above, and one that is lower grows by it with each flight,
 * where R equal to the rate of the ACKs, which is never above R, could only stay or fall. By (9) a
 * flight of N leaves N / 9 in the queue, where slow start's leaves N / 2.
 * - cwnd / RTT: a window that takes longer than a round trip to leave is the bottleneck too, and
 * slow start would no longer double it. A path that holds the window carries that much. The first
 * flights behind a time-out are a few segments that left in different round trips: the spacing of
 * their acknowledgements says nothing.
 * - 4 acknowledgements: a flight of fewer says nothing. A receiver may delay the last of them by up
 * to 500 ms, and of two or three that is half of all spacing or more.
 * - RTT / 4: a flight in which the path was silent for so long did not come through it in one
 * piece. What such a flight has of rate is its own, a window in a round trip, and a window is what
 * slow start is there to raise.
 * - 15/16: a flight that arrives no slower than this share of the R at which it left was spaced by
 * R, and says of the path only that it carries R. It raises R, and has no part in what the path
 * holds. Else a rate that was too low once, since the host stood still, would be found again and
 * again. Where the path is the limit, 8/9 arrive.
 *
 * Differences from the paper, and what it leaves open
 * - The paper keeps the threshold of each slow start, which is half of W_max. The first has none,
 * and slow start that is spaced does not overflow the buffer that would end it: it ends where the
 * window holds what the path carries in a round trip, by the higher of the rates of the last two
 * flights that the path slowed down (exit: estimate). So does a later one whose threshold is above
 * that. A threshold that the host lowers meanwhile (HyStart) is not followed.
 * - Until a first flight has been measured, segments leave as the window permits.
 * - A host whose ticks are worth more than 10 segments at R cannot space them: acknowledgements
 * alone clock there.
 * - The paper's constant R takes the place of the measured one where the user gives it (simulator),
 * and the first slow start then ends as the paper's, by a loss.
 */
#ifndef ONRAMP_SPACED_H
#define ONRAMP_SPACED_H

#include "measure/flight.h"
#include "startup.h"

#define SPACED_SURPLUS_PART 8
#define SPACED_MIN_ACKS 4
#define SPACED_SILENCE_PART 4
#define SPACED_OWN_PART 16

struct spaced {
	struct flight flight;
	uint64_t rate_bytes_per_s;  /* of the last flight that said something; 0 before the first */
	uint64_t path_bytes_per_s;  /* of the last that left faster than it arrived; 0 before the
				       first */
	uint64_t older_bytes_per_s; /* of the one before that; 0 before the second */
	uint64_t pace_bytes_per_s;  /* R in force; STARTUP_UNLIMITED: none */
	uint64_t sent_bytes_per_s;  /* R while the present flight left */
	uint64_t given_bytes_per_s; /* by the user; 0: measured */
	uint64_t ssthresh_bytes; /* of this slow start, by the host; what it ended at, in PACING */
	uint64_t event_ns;       /* the host's scheduling granularity */
	uint64_t pacing_end_ns;  /* PACING: one round trip after its start */
	uint32_t phase;
	uint32_t options;     /* enum startup_option */
	uint32_t is_measured; /* the threshold was */
	uint32_t reserved;
};
STARTUP_ASSERT_STATE(struct spaced);

static inline void spaced_start(struct spaced *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	state->given_bytes_per_s = start->pace_bytes_per_s;
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->pace_bytes_per_s = STARTUP_UNLIMITED;
	state->sent_bytes_per_s = STARTUP_UNLIMITED;
	state->phase = STARTUP_PHASE_SLOW_START;
	state->options = start->options;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* A slow start begins anew, with the threshold that the host has now. What was measured is still
 * the best guess. */
static inline void spaced_begin(struct spaced *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_SLOW_START;
	state->ssthresh_bytes = ack->ssthresh_bytes;
	state->is_measured = false;
	state->flight.end_bytes = 0;
	state->pace_bytes_per_s = STARTUP_UNLIMITED;
	state->sent_bytes_per_s = STARTUP_UNLIMITED;
}

static inline void spaced_measure(struct spaced *state, const struct startup_ack *ack)
{
	uint64_t rate = flight_bytes_per_s(&state->flight, ack, state->options);
	uint64_t sent = state->sent_bytes_per_s;

	/* The next flight has left meanwhile. */
	state->sent_bytes_per_s = state->pace_bytes_per_s;
	/* What did not fill the window is spaced by the application, or by R. */
	if (!rate || 2 * state->flight.cwnd_limited <= state->flight.acks ||
	    state->flight.train.points < SPACED_MIN_ACKS ||
	    state->flight.silence_ns > ack->srtt_ns / SPACED_SILENCE_PART)
		return;
	state->rate_bytes_per_s = rate;
	if (rate > sent - sent / SPACED_OWN_PART)
		return;
	state->older_bytes_per_s = state->path_bytes_per_s;
	state->path_bytes_per_s = rate;
}

/* The threshold of this slow start: the host's, but no more than what the path holds, as far as
 * that is known. */
static inline uint64_t spaced_ssthresh(const struct spaced *state, const struct startup_ack *ack)
{
	uint64_t rate = max_u64(state->path_bytes_per_s, state->older_bytes_per_s);

	if (state->given_bytes_per_s || !state->older_bytes_per_s || !ack->srtt_ns)
		return state->ssthresh_bytes;
	return min_u64(state->ssthresh_bytes, bdp_bytes(rate, ack->srtt_ns, ack->mss_bytes));
}

/* R for this window, or STARTUP_UNLIMITED where there is none yet, or the host cannot keep it. */
static inline uint64_t spaced_rate(const struct spaced *state, const struct startup_ack *ack,
				   uint64_t cwnd_bytes)
{
	uint64_t rate = state->rate_bytes_per_s;

	if (state->given_bytes_per_s)
		rate = state->given_bytes_per_s;
	else if (rate)
		rate = max_u64(rate + rate / SPACED_SURPLUS_PART,
			       rate_bytes_per_s(cwnd_bytes, ack->srtt_ns));
	return rate && startup_can_pace(state->event_ns, rate, ack->mss_bytes) ? rate
									       : STARTUP_UNLIMITED;
}

static inline void spaced_ack(struct spaced *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	/* One that takes the window to its threshold may itself permit a burst: after an outage it
	 * covers whatever came through while its acknowledgements were lost. */
	bool was_pacing = state->phase == STARTUP_PHASE_PACING;
	uint64_t ssthresh_bytes, cwnd_bytes;

	if (state->phase == STARTUP_PHASE_AVOIDANCE)
		spaced_begin(state, ack);
	if (flight_ends(&state->flight, ack))
		spaced_measure(state, ack);
	ssthresh_bytes = spaced_ssthresh(state, ack);
	cwnd_bytes = startup_slow_start(ack, ssthresh_bytes);

	if (state->phase == STARTUP_PHASE_SLOW_START && cwnd_bytes >= ssthresh_bytes) {
		state->phase = STARTUP_PHASE_PACING;
		state->pacing_end_ns = ack->now_ns + ack->srtt_ns;
		state->is_measured = ssthresh_bytes < state->ssthresh_bytes;
		state->ssthresh_bytes = ssthresh_bytes;
	}
	state->pace_bytes_per_s = spaced_rate(state, ack, cwnd_bytes);
	*decision = (struct startup_decision){
		.cwnd_bytes = cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.pacing_bytes_per_s = state->pace_bytes_per_s,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
		.phase = state->phase,
	};
	if (was_pacing && (startup_window_was_full(ack) || ack->now_ns >= state->pacing_end_ns)) {
		state->phase = STARTUP_PHASE_AVOIDANCE;
		startup_pause(decision,
			      state->is_measured ? STARTUP_EXIT_ESTIMATE : STARTUP_EXIT_SSTHRESH);
	}
}

static inline void spaced_loss(struct spaced *state, const struct startup_loss *loss,
			       struct startup_decision *decision)
{
	state->phase = STARTUP_PHASE_AVOIDANCE;
	*decision = (struct startup_decision){
		.cwnd_bytes = loss->cwnd_bytes,
		.ssthresh_bytes = loss->ssthresh_bytes,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
	};
	startup_pause(decision, startup_loss_exit(loss));
}

#endif
