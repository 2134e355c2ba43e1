/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* onramp, RETREAT: a loss is being repaired. How much of the flight is lost decides what follows.
 */
#ifndef ONRAMP_ONRAMP_RETREAT_H
#define ONRAMP_ONRAMP_RETREAT_H

#include "algorithms/onramp/hold.h"

/* The window that this connection has used. cwnd may never have been filled, and the last segments
 * of a message may be all that is in flight. */
static inline uint64_t onramp_used_bytes(const struct onramp *state,
					 const struct startup_loss *loss)
{
	return max_u64(loss->inflight_bytes,
		       min_u64(loss->cwnd_bytes,
			       max_u64(state->initial_cwnd_bytes, state->learned_bytes)));
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

	/* PipeSize / 2 until every segment is acknowledged or marked lost. */
	if (!onramp_flight_is_accounted_for(state, ack))
		return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes) /
				       ONRAMP_SAFE_RETREAT_DIVISOR,
			       state->prior_cwnd_bytes);
	/* Then, once, the factor by which congestion avoidance reduces cwnd. */
	state->pipe_is_validated = true;
	pipe_bytes = mul_div(pipe_bytes, state->avoidance_ssthresh_bytes, state->round.cwnd_bytes);
	return max_u64(min_u64(pipe_bytes, state->round.cwnd_bytes), state->prior_cwnd_bytes);
}

/* The loss met a queue. Where ACKs have validated the window, the queue is its own: the pipe was
 * full. */
static inline bool onramp_pipe_was_full(const struct onramp *state)
{
	return state->loss_had_queue && state->pipe_is_validated;
}

/* Otherwise it may be the queue of competing flows, but for slow start's: that fills one itself. */
static inline bool onramp_may_compete(const struct onramp *state)
{
	return state->loss_had_queue && !state->pipe_is_validated &&
	       state->repaired_phase != STARTUP_PHASE_SLOW_START;
}

/* The ssthresh of a light loss: recovery then sends as much as arrives, and cwnd stays. */
static inline uint64_t onramp_held_bytes(const struct onramp *state,
					 const struct startup_loss *loss)
{
	uint64_t rate = state->last_round_bytes_per_s ? state->last_round_bytes_per_s
						      : state->bottleneck_bytes_per_s;

	if (!state->loss_had_queue)
		return max_u64(loss->cwnd_bytes, state->target_bytes);
	return max_u64(loss->ssthresh_bytes,
		       min_u64(loss->cwnd_bytes, onramp_bdp_bytes(state, rate, loss->mss_bytes)));
}

/* The ssthresh of a repair, when this much of the flight is lost. */
static inline uint64_t onramp_repair_ssthresh(struct onramp *state, uint64_t lost_bytes,
					      uint32_t mss_bytes)
{
	uint64_t flight_bytes =
		state->round.end_delivered_bytes - state->round.begin_delivered_bytes;
	uint64_t arrived_bytes = flight_bytes - min_u64(lost_bytes, flight_bytes);

	if (lost_bytes > max_u64(ONRAMP_LIGHT_LOSS_SEGMENTS * (uint64_t)mss_bytes,
				 flight_bytes / ONRAMP_LIGHT_LOSS_DIVISOR))
		state->held_bytes = 0;
	if (state->held_bytes)
		return state->held_bytes;
	/* A flight that filled a queue arrived later than one that fits. */
	state->target_bytes = state->min_rtt_ns
				      ? mul_div(arrived_bytes, state->min_rtt_ns,
						max_u64(state->group_min_rtt_ns, state->min_rtt_ns))
				      : arrived_bytes;
	arrived_bytes = onramp_may_compete(state) ? arrived_bytes / ONRAMP_COMPETING_DIVISOR
						  : arrived_bytes / 8 * ONRAMP_HEAVY_LOSS_EIGHTHS;
	/* ACKs have validated the window before the paced one. */
	return min_u64(state->avoidance_ssthresh_bytes,
		       state->pipe_is_validated ? arrived_bytes
						: max_u64(arrived_bytes, state->prior_cwnd_bytes));
}

/* The repair has ended. Without an ssthresh, the host has taken the loss back: all segments have
 * arrived after all. A cwnd below ssthresh means that an RTO happened meanwhile. */
static inline void onramp_end_retreat(struct onramp *state, const struct startup_ack *ack,
				      struct startup_decision *decision)
{
	bool is_void = ack->ssthresh_bytes == STARTUP_UNLIMITED;
	bool is_light = is_void || state->held_bytes;
	bool is_over = ack->cwnd_bytes < ack->ssthresh_bytes || onramp_pipe_was_full(state) ||
		       (!is_light && !onramp_may_compete(state));

	/* Without a sample before the loss, nothing is known of the path. */
	if (state->retreat_is_safe || !state->baseline_rtt_ns || (is_over && !is_void)) {
		state->target_bytes = min_u64(state->target_bytes, ack->ssthresh_bytes);
		state->phase = !state->retreat_is_safe && onramp_pipe_was_full(state) &&
					       ack->cwnd_bytes >= ack->ssthresh_bytes
				       ? STARTUP_PHASE_AVOIDANCE
				       : STARTUP_PHASE_DONE;
		return;
	}
	decision->ssthresh_bytes = STARTUP_UNLIMITED;
	pair_rate_end(&state->pairs);
	if (!is_light) {
		onramp_fill_again(state, ack, state->target_bytes);
		return;
	}
	state->phase = state->repaired_phase;
	state->sample_count = 0;
	/* In PACING, the first paced segment may be acknowledged already. */
	if (state->phase != STARTUP_PHASE_PACING)
		onramp_begin_round(state, ack);
}

/* An ACK in RETREAT. When the flight is accounted for, the segments that are lost now are
 * retransmissions. They change no ssthresh of a heavy loss. */
static inline void onramp_retreat(struct onramp *state, const struct startup_ack *ack,
				  struct startup_decision *decision)
{
	decision->ssthresh_bytes = ack->ssthresh_bytes;
	if (!(ack->flags & STARTUP_ACK_RECOVERING))
		onramp_end_retreat(state, ack, decision);
	else if (state->retreat_is_safe && !state->pipe_is_validated)
		decision->ssthresh_bytes = onramp_safe_retreat(state, ack);
	else if (!state->retreat_is_safe &&
		 (state->held_bytes || !onramp_flight_is_accounted_for(state, ack)))
		decision->ssthresh_bytes = onramp_repair_ssthresh(
			state, ack->lost_bytes - state->prior_lost_bytes, ack->mss_bytes);
}

/* Begin RETREAT after a loss that ACKs found, or again in RETREAT. */
static inline void onramp_begin_retreat(struct onramp *state, const struct startup_loss *loss,
					struct startup_decision *decision)
{
	bool is_heavy = state->phase == STARTUP_PHASE_RETREAT && !state->held_bytes;
	uint64_t end_bytes = loss->acknowledged_bytes + loss->inflight_bytes;
	uint64_t flight_bytes = min_u64(onramp_used_bytes(state, loss), end_bytes);

	/* A host may send the initial window into any path (RFC 6928). */
	if (state->phase == STARTUP_PHASE_SLOW_START)
		state->prior_cwnd_bytes =
			max_u64(state->prior_cwnd_bytes, state->initial_cwnd_bytes);
	if (state->phase != STARTUP_PHASE_RETREAT)
		state->repaired_phase = state->phase;
	state->exit = STARTUP_EXIT_LOSS;
	state->phase = STARTUP_PHASE_RETREAT;
	state->avoidance_ssthresh_bytes = loss->ssthresh_bytes;
	if (!state->baseline_rtt_ns)
		state->baseline_rtt_ns = state->min_rtt_ns;
	/* The first segments may be lost, before any sample. */
	state->loss_had_queue =
		state->min_rtt_ns && onramp_rtt_is_delayed(state, state->ack.srtt_ns);
	state->round = (struct onramp_round){
		.begin_delivered_bytes = end_bytes - flight_bytes,
		.end_delivered_bytes = end_bytes,
		.cwnd_bytes = loss->cwnd_bytes,
	};
	state->held_bytes = is_heavy ? 0 : onramp_held_bytes(state, loss);
	decision->ssthresh_bytes =
		state->retreat_is_safe
			? min_u64(loss->ssthresh_bytes, state->prior_cwnd_bytes)
			: onramp_repair_ssthresh(state, loss->lost_bytes - state->prior_lost_bytes,
						 loss->mss_bytes);
}

#endif
