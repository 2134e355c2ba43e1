/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, RETREAT: a loss is being repaired. What arrives meanwhile decides ssthresh. */
#ifndef ONRAMP_ONRAMP_RETREAT_H
#define ONRAMP_ONRAMP_RETREAT_H

#include "algorithms/onramp/hold.h"

/* The repair has ended. A cwnd below ssthresh means that an RTO happened meanwhile. A flight that
 * was held back has shown no delivery rate with which the pipe could be filled again. */
static inline void onramp_end_retreat(struct onramp *state, const struct startup_ack *ack)
{
	bool cwnd_is_ssthresh = ack->cwnd_bytes >= ack->ssthresh_bytes;

	if (state->retreat_is_decided && state->overload_bytes_per_s && !state->pipe_is_validated &&
	    cwnd_is_ssthresh) {
		onramp_begin_drain(state, ack);
	} else if (state->retreat_is_decided && cwnd_is_ssthresh &&
		   ack->inflight_bytes < ack->cwnd_bytes / 8 * ONRAMP_CARRIED_EIGHTHS) {
		state->phase = STARTUP_PHASE_SAFE;
		onramp_begin_round(state, ack);
	} else {
		state->phase = STARTUP_PHASE_DONE;
	}
}

/* The repair has left less in flight than cwnd permits. All of the rest would leave at once. */
static inline void onramp_refill(struct onramp *state, const struct startup_ack *ack,
				 struct startup_decision *decision)
{
	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (onramp_round_is_complete(state, ack))
		state->phase = STARTUP_PHASE_DONE;
}

/* Every byte in flight at the loss has arrived or is marked lost. */
static inline bool onramp_flight_is_accounted_for(const struct onramp *state,
						  const struct startup_ack *ack)
{
	return ack->delivered_bytes + (ack->lost_bytes - state->prior_lost_bytes) >=
	       state->round.end_delivered_bytes;
}

/* The path did not carry the remembered BDP: the ssthresh of Careful Resume's Safe Retreat (RFC
 * 9959, section 3.5). */
static inline uint64_t onramp_safe_retreat(struct onramp *state, const struct startup_ack *ack)
{
	uint64_t pipe_bytes = ack->delivered_bytes - state->resume_delivered_bytes;

	state->retreat_is_decided = onramp_flight_is_accounted_for(state, ack);
	/* PipeSize / 2 until every segment is acknowledged or marked lost. */
	if (!state->retreat_is_decided)
		return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes) /
				       ONRAMP_SAFE_RETREAT_DIVISOR,
			       state->prior_cwnd_bytes);
	/* Then the factor by which congestion avoidance reduces cwnd. */
	state->pipe_is_validated = true;
	pipe_bytes = mul_div(pipe_bytes, state->avoidance_ssthresh_bytes, state->round.cwnd_bytes);
	return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes), state->prior_cwnd_bytes);
}

/* What a loss leaves of the bytes that a flight has carried. */
static inline uint64_t onramp_reduced_bytes(const struct onramp *state, uint64_t carried_bytes)
{
	return state->loss_had_queue ? carried_bytes / ONRAMP_COMPETING_DIVISOR
				     : carried_bytes / 8 * ONRAMP_POLICED_EIGHTHS;
}

/* The delivery rate of the flight in which losses occurred. If its last segments are lost, no ACK
 * arrives until their retransmissions are acknowledged. The time without ACKs does not count. */
static inline uint64_t onramp_lossy_rate(const struct onramp *state, const struct startup_ack *ack)
{
	const struct onramp_round *round = &state->round;
	uint64_t rate = onramp_round_bytes_per_s(state, ack);

	if (ack->now_ns < round->last_ns + state->min_rtt_ns / ONRAMP_SHORT_ROUND_DIVISOR ||
	    round->last_ns < round->begin_ns + ONRAMP_MIN_DELAY_NS)
		return rate;
	return max_u64(rate,
		       rate_bytes_per_s(round->last_delivered_bytes - round->begin_delivered_bytes,
					round->last_ns - round->begin_ns));
}

/*
 * The arrivals of the flight that lost segments show what the path carries. Half an RTT of it that
 * was delivered at more than 7/8 of its pacing rate shows that the paced window fits: the loss was
 * not caused by that rate. Otherwise wait until the whole flight is accounted for.
 */
static inline void onramp_measure_loss(struct onramp *state, const struct startup_ack *ack,
				       struct startup_decision *decision)
{
	uint64_t rate, carried_bytes;
	bool is_carried;

	rate = onramp_lossy_rate(state, ack);
	state->round.last_ns = ack->now_ns;
	state->round.last_delivered_bytes = ack->delivered_bytes;
	if (!onramp_round_is_half(state, ack))
		return;
	is_carried = !state->pipe_is_validated &&
		     onramp_rate_shows_room(state, state->overload_bytes_per_s
							   ? state->overload_bytes_per_s
							   : rate);
	if (!is_carried && !onramp_flight_is_accounted_for(state, ack))
		return;
	state->retreat_is_decided = true;
	if (!state->overload_bytes_per_s)
		state->overload_bytes_per_s = rate;
	if (is_carried)
		state->pipe_is_validated = true;
	carried_bytes = onramp_bdp_bytes(state, state->overload_bytes_per_s, ack->mss_bytes);
	if (!state->pipe_is_validated)
		carried_bytes = max_u64(onramp_reduced_bytes(state, carried_bytes),
					state->prior_cwnd_bytes);
	decision->ssthresh_bytes = min_u64(state->avoidance_ssthresh_bytes, carried_bytes);
	onramp_begin_round(state, ack);
}

/* Raise ssthresh in a long repair. A smoothed RTT near the baseline shows that competing flows have
 * left room. (Retransmitted segments give no RTT sample.) ssthresh doubles in each round trip, up
 * to the BDP of the delivery rate. */
static inline void onramp_raise_retreat(struct onramp *state, const struct startup_ack *ack,
					struct startup_decision *decision)
{
	uint64_t carried_bytes =
		onramp_bdp_bytes(state, state->overload_bytes_per_s, ack->mss_bytes);

	if (!onramp_round_is_complete(state, ack))
		return;
	if (state->rest_rounds++ >= ONRAMP_REPAIR_ROUNDS &&
	    !onramp_rtt_is_delayed(state, ack->srtt_ns))
		decision->ssthresh_bytes = max_u64(ack->ssthresh_bytes,
						   min_u64(2 * ack->ssthresh_bytes, carried_bytes));
	onramp_begin_round(state, ack);
}

/* An ACK in RETREAT. */
static inline void onramp_retreat(struct onramp *state, const struct startup_ack *ack,
				  struct startup_decision *decision)
{
	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!(ack->flags & STARTUP_ACK_RECOVERING)) {
		onramp_end_retreat(state, ack);
		return;
	}
	if (!state->round.begin_ns) {
		state->round.begin_ns = ack->now_ns;
		state->round.begin_delivered_bytes = ack->delivered_bytes;
	}
	if (state->retreat_is_decided) {
		if (!state->pipe_is_validated && state->overload_bytes_per_s)
			onramp_raise_retreat(state, ack, decision);
		return;
	}
	if (state->retreat_is_safe)
		decision->ssthresh_bytes = onramp_safe_retreat(state, ack);
	else
		onramp_measure_loss(state, ack, decision);
}

/* Less than 7/8 of cwnd was in flight. */
static inline bool onramp_window_was_unused(const struct startup_loss *loss)
{
	return loss->inflight_bytes < loss->cwnd_bytes / 8 * ONRAMP_CARRIED_EIGHTHS;
}

/* Begin RETREAT after a loss that ACKs found in PACING with the remembered BDP, APPROACH, HOLD or
 * DRAIN, or again in RETREAT. */
static inline void onramp_begin_retreat(struct onramp *state, const struct startup_loss *loss,
					struct startup_decision *decision)
{
	/* The application or the receiver held the sender back, so the flight shows no rate. */
	uint64_t carried_bytes = 0;
	bool is_held_back =
		(state->phase == STARTUP_PHASE_APPROACH || state->phase == STARTUP_PHASE_HOLD) &&
		onramp_window_was_unused(loss);

	/* In DRAIN, cwnd is not the window that lost the segment. */
	state->avoidance_ssthresh_bytes =
		state->phase == STARTUP_PHASE_DRAIN ? STARTUP_UNLIMITED : loss->ssthresh_bytes;
	if (state->phase != STARTUP_PHASE_DRAIN)
		state->overload_bytes_per_s = 0;
	state->loss_had_queue = onramp_rtt_is_delayed(state, state->noise.last_rtt_ns);
	/* The first part of a probe has been carried. */
	if (state->probe_bytes_per_s &&
	    loss->acknowledged_bytes > state->round.begin_delivered_bytes)
		carried_bytes = loss->acknowledged_bytes - state->round.begin_delivered_bytes;
	if (!state->pipe_is_validated && !is_held_back)
		decision->ssthresh_bytes = min_u64(
			loss->ssthresh_bytes, max_u64(state->prior_cwnd_bytes,
						      onramp_reduced_bytes(state, carried_bytes)));
	state->exit = STARTUP_EXIT_LOSS;
	state->phase = STARTUP_PHASE_RETREAT;
	state->retreat_is_decided = is_held_back;
	state->round.begin_ns = 0;
	state->round.last_ns = 0;
	state->rest_rounds = 0;
	state->round.cwnd_bytes = loss->cwnd_bytes;
	state->round.end_delivered_bytes = loss->acknowledged_bytes + loss->inflight_bytes;
}

#endif
