/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * spaced: slow start that sends no faster than the path delivers.
 *
 * N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
 * Links. INRIA RR-3573, 1998. Section 4, the second proposition.
 *
 * In one sentence: slow start sends two segments for each ACK, twice what the bottleneck serves,
 * and overflows a buffer that is small for the path; the same segments, sent at the rate at which
 * ACKs arrive, do not.
 *
 *   W_B(R) = B R / (R + lambda - mu)                 (9)   cwnd at which the buffer overflows
 *   mu - lambda <= R < R_max                         (10)  then W_B(R) is above ssthresh
 *   R      = 9/8 * rate of a flight's ACKs (core/measure/flight.h), and cwnd / RTT at least
 *
 *      +------------+  cwnd >= ssthresh  +--------+  cwnd full, or an RTT       +-----------+
 *      | SLOW START | -----------------> | PACING | --------------------------> | AVOIDANCE |
 *      |            |                    +--------+  (exit: ssthresh, estimate) |           |
 *      |            | <-------------------------------------------------------- |           |
 *      +------------+  cwnd < ssthresh: after a loss that slow start follows,   +-----------+
 *            |         or after idling                                                ^
 *            |______ from both phases: a loss (exit: loss, timeout) __________________|
 *
 * Slow start's growth is unchanged: cwnd grows by the acknowledged bytes, and what cwnd permits
 * leaves one segment each 1/R. When cwnd has reached ssthresh, some of the permitted segments still
 * wait. PACING sends them. Congestion avoidance is not touched after that.
 *
 * Differences from the paper, and its open points
 * - The paper keeps the ssthresh of each slow start, which is half of W_max. The first slow start
 *   has none. Paced, it does not overflow the buffer, so no loss ends it. It ends where cwnd is the
 *   BDP, by the higher rate of the last two flights that the path slowed down (exit: estimate). So
 *   does a later slow start whose ssthresh is above that BDP. A lower ssthresh that the host sets
 *   meanwhile (HyStart) is not used.
 * - "A solution could be to transmit one TCP packet for each ACK of the burst received in a mini-
 *   cycle, then to send the remaining packets at an average rate calculated from the incoming
 *   ACKs." Here all segments leave at R, also those that answer an ACK. SPACED_REMAINING is the
 *   quoted rule: while a flight's ACKs arrive, each releases one segment; then cwnd grows by the
 *   flight, and what it permits leaves at the rate of these ACKs.
 * - Until a first flight has been measured, segments leave as cwnd permits.
 * - A host from which more than 10 segments leave per tick at R cannot pace at R: ACKs alone clock
 *   it.
 * - Where the user gives a rate (simulator), it replaces the measured R, as the paper's constant R.
 *   The first slow start then ends by a loss, as in the paper.
 */
#ifndef ONRAMP_SPACED_H
#define ONRAMP_SPACED_H

#include "measure/flight.h"
#include "startup.h"

/* R is the measured rate plus 1/8. "An R slower than mu - lambda makes the source the bottleneck."
 * A rate that was measured up to 1/8 too low is still enough, and a lower one grows by 1/8 with
 * each flight. An R equal to the rate of the ACKs, which is never above R, could only stay or fall.
 * By (9), a flight of N leaves N / 9 in the queue; slow start's leaves N / 2.
 *
 * R is also cwnd / RTT at least. A cwnd that takes longer than an RTT to leave is a bottleneck too,
 * and slow start would no longer double it. A path that holds cwnd carries this rate. The first
 * flights after an RTO are a few segments that left in different round trips: the spacing of their
 * ACKs shows nothing. */
#define SPACED_SURPLUS_DIVISOR 8
/* ACKs of a flight that give a rate. A receiver may delay the last one by up to 500 ms, which is
 * half of all spacing or more where there are two or three. */
#define SPACED_MIN_ACKS 4
/* A flight with a silence of more than RTT / 4 did not pass the path in one piece. Its rate is only
 * cwnd in a round trip, and slow start is there to raise cwnd. */
#define SPACED_SILENCE_DIVISOR 4
/* A flight that arrives at 15/16 of the R at which it left, or faster, was spaced by R. It shows
 * only that the path carries R: it raises R, and does not count for the BDP. Otherwise a rate that
 * was too low once, because the host paused, would be measured again and again. Where the path is
 * the limit, 8/9 arrive. */
#define SPACED_OWN_DIVISOR 16

enum spaced_variant {
	/* The paper's rule, word for word: see above. */
	SPACED_REMAINING = 1 << 2,
};

#define SPACED_VARIANTS(V) TRAIN_VARIANTS(V) V("train", "remaining", SPACED_REMAINING)

struct spaced {
	struct flight flight;
	uint64_t rate_bytes_per_s; /* of the last flight that gave one; 0: none yet */
	uint64_t path_bytes_per_s; /* of the last flight that the path slowed down; 0: none yet */
	uint64_t prior_path_bytes_per_s; /* of the one before; 0: none yet */
	uint64_t pacing_bytes_per_s;     /* R in force; STARTUP_UNLIMITED: none */
	uint64_t sent_bytes_per_s;       /* R while the present flight left */
	uint64_t user_bytes_per_s;       /* R from the user; 0: measured */
	uint64_t ssthresh_bytes; /* the host's for this slow start; in PACING, where it ended */
	uint64_t event_ns;       /* the host's scheduling granularity */
	uint64_t pacing_end_ns;  /* PACING: one RTT after its begin */
	uint64_t held_bytes;     /* SPACED_REMAINING: growth until the flight's last ACK */
	uint64_t variant;        /* enum train_variant, enum spaced_variant */
	uint32_t phase;
	uint32_t ssthresh_is_measured;
};
STARTUP_ASSERT_STATE(struct spaced);

static inline void spaced_start(struct spaced *state, const struct startup_start *start,
				struct startup_decision *decision)
{
	state->user_bytes_per_s = start->pace_bytes_per_s;
	state->ssthresh_bytes = start->ssthresh_bytes;
	state->event_ns = max_u64(start->clock.event_ns, 1);
	state->pacing_bytes_per_s = STARTUP_UNLIMITED;
	state->sent_bytes_per_s = STARTUP_UNLIMITED;
	state->phase = STARTUP_PHASE_SLOW_START;
	state->variant = start->variant;
	startup_begin_slow_start(decision, start->cwnd_bytes, start->ssthresh_bytes);
}

/* A slow start begins, with the ssthresh that the host has now. The measured rate is still the best
 * estimate. */
static inline void spaced_begin(struct spaced *state, const struct startup_ack *ack)
{
	state->phase = STARTUP_PHASE_SLOW_START;
	state->ssthresh_bytes = ack->ssthresh_bytes;
	state->ssthresh_is_measured = false;
	state->flight.end_bytes = 0;
	state->held_bytes = 0;
	state->pacing_bytes_per_s = STARTUP_UNLIMITED;
	state->sent_bytes_per_s = STARTUP_UNLIMITED;
}

/* Take the rate of the flight that just ended. */
static inline void spaced_measure(struct spaced *state, const struct startup_ack *ack)
{
	uint64_t rate = flight_bytes_per_s(&state->flight, ack, state->variant);
	uint64_t sent = state->sent_bytes_per_s;

	/* The next flight has left at the present R. */
	state->sent_bytes_per_s = state->pacing_bytes_per_s;
	/* A flight that did not fill cwnd was spaced by the application or by R. */
	if (!rate || 2 * state->flight.cwnd_limited <= state->flight.acks ||
	    state->flight.train.points < SPACED_MIN_ACKS ||
	    state->flight.silence_ns > ack->srtt_ns / SPACED_SILENCE_DIVISOR)
		return;
	state->rate_bytes_per_s = rate;
	if (rate > sent - sent / SPACED_OWN_DIVISOR)
		return;
	state->prior_path_bytes_per_s = state->path_bytes_per_s;
	state->path_bytes_per_s = rate;
}

/* The ssthresh of this slow start: the host's, but at most the BDP, where that is known. */
static inline uint64_t spaced_ssthresh(const struct spaced *state, const struct startup_ack *ack)
{
	uint64_t rate = max_u64(state->path_bytes_per_s, state->prior_path_bytes_per_s);

	if (state->user_bytes_per_s || !state->prior_path_bytes_per_s || !ack->srtt_ns)
		return state->ssthresh_bytes;
	return min_u64(state->ssthresh_bytes, bdp_bytes(rate, ack->srtt_ns, ack->mss_bytes));
}

/* R for this cwnd; STARTUP_UNLIMITED where there is none yet, or the host cannot pace at it. */
static inline uint64_t spaced_rate(const struct spaced *state, const struct startup_ack *ack,
				   uint64_t cwnd_bytes)
{
	uint64_t rate = state->rate_bytes_per_s;

	if (state->user_bytes_per_s)
		rate = state->user_bytes_per_s;
	else if (rate && !(state->variant & SPACED_REMAINING))
		rate = max_u64(rate + rate / SPACED_SURPLUS_DIVISOR,
			       rate_bytes_per_s(cwnd_bytes, ack->srtt_ns));
	return rate && startup_can_pace(state->event_ns, rate, ack->mss_bytes) ? rate
									       : STARTUP_UNLIMITED;
}

/* Slow start's cwnd. SPACED_REMAINING: where R is known, it does not grow before the last ACK of a
 * flight, which at most doubles it. */
static inline uint64_t spaced_cwnd(struct spaced *state, const struct startup_ack *ack,
				   uint64_t ssthresh_bytes, bool flight_ended)
{
	uint64_t cwnd_bytes = startup_slow_start(ack, ssthresh_bytes);

	if (!(state->variant & SPACED_REMAINING) ||
	    spaced_rate(state, ack, cwnd_bytes) == STARTUP_UNLIMITED) {
		state->held_bytes = 0;
		return cwnd_bytes;
	}
	state->held_bytes += cwnd_bytes - ack->cwnd_bytes;
	if (!flight_ended)
		return ack->cwnd_bytes;
	cwnd_bytes = ack->cwnd_bytes + min_u64(state->held_bytes, ack->cwnd_bytes);
	state->held_bytes = 0;
	return max_u64(min_u64(cwnd_bytes, ssthresh_bytes), ack->cwnd_bytes);
}

static inline void spaced_ack(struct spaced *state, const struct startup_ack *ack,
			      struct startup_decision *decision)
{
	/* The ACK that takes cwnd to ssthresh may itself permit a burst: after an outage it covers
	 * all that came through while ACKs were lost. So PACING lasts until a later ACK. */
	bool was_pacing = state->phase == STARTUP_PHASE_PACING;
	uint64_t ssthresh_bytes, cwnd_bytes;
	bool flight_ended;

	if (state->phase == STARTUP_PHASE_AVOIDANCE)
		spaced_begin(state, ack);
	flight_ended = flight_ends(&state->flight, ack);
	if (flight_ended)
		spaced_measure(state, ack);
	ssthresh_bytes = spaced_ssthresh(state, ack);
	cwnd_bytes = spaced_cwnd(state, ack, ssthresh_bytes, flight_ended);

	if (state->phase == STARTUP_PHASE_SLOW_START && cwnd_bytes >= ssthresh_bytes) {
		state->phase = STARTUP_PHASE_PACING;
		state->pacing_end_ns = ack->now_ns + ack->srtt_ns;
		state->ssthresh_is_measured = ssthresh_bytes < state->ssthresh_bytes;
		state->ssthresh_bytes = ssthresh_bytes;
	}
	state->pacing_bytes_per_s = spaced_rate(state, ack, cwnd_bytes);
	/* Nothing waited: the segment that answers this ACK leaves at once. */
	if (state->variant & SPACED_REMAINING && cwnd_bytes == ack->cwnd_bytes &&
	    startup_window_was_full(ack))
		state->pacing_bytes_per_s = STARTUP_UNLIMITED;
	*decision = (struct startup_decision){
		.cwnd_bytes = cwnd_bytes,
		.ssthresh_bytes = ssthresh_bytes,
		.pacing_bytes_per_s = state->pacing_bytes_per_s,
		.estimate_bytes_per_s = state->rate_bytes_per_s,
		.phase = state->phase,
	};
	if (was_pacing && (startup_window_was_full(ack) || ack->now_ns >= state->pacing_end_ns)) {
		state->phase = STARTUP_PHASE_AVOIDANCE;
		startup_pause(decision, state->ssthresh_is_measured ? STARTUP_EXIT_ESTIMATE
								    : STARTUP_EXIT_SSTHRESH);
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
